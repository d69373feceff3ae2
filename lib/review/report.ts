import type { Redact } from '../text/secret'
import { describeReviewFlag, type ReviewFlag, type UnitAnswers } from './verdict'

/**
 * The report about a unit: a section of the spec with its implementation and tests. If the unit has an error, its answers are empty
 * or 0.
 */
export interface UnitReport extends UnitAnswers {
  readonly name: string
  /** `''` if the service sent none. */
  readonly requestId: string
  /** `''` if there was no response. */
  readonly model: string
  /** 0 if unknown. */
  readonly inputTokens: number
  /** `true` if the implementation or the tests were cut to the maximum size. */
  readonly truncated: boolean
  /** The number of behaviors in the configuration. Without answers, `behaviors` is empty, and this is larger. */
  readonly behaviorCount: number
  readonly flags: ReadonlyArray<ReviewFlag>
  readonly notes: ReadonlyArray<string>
  /** The entries of `accepted` whose flag was not raised. */
  readonly staleAcceptances: ReadonlyArray<string>
  /** `true` if a flag that is not accepted, or an error, fails the review. */
  readonly failing: boolean
  /** The reason why the unit could not complete; `''` if it did. */
  readonly error: string
}

/** Redacts secrets in all texts of a report, including those of the configuration. */
export const redactReport = (report: UnitReport, redact: Redact): UnitReport => ({
  ...report,
  name: redact(report.name),
  requestId: redact(report.requestId),
  model: redact(report.model),
  weakestArea: redact(report.weakestArea),
  error: redact(report.error),
  behaviors: report.behaviors.map((answer) => ({
    ...answer,
    behavior: redact(answer.behavior),
  })),
  flags: report.flags.map((flag) => ({ ...flag, message: redact(flag.message) })),
  notes: report.notes.map((note) => redact(note)),
  staleAcceptances: report.staleAcceptances.map((name) => redact(name)),
})

const omitEmpty = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> | undefined =>
  list.length === 0 ? undefined : list

/** Encodes the entry of a unit in the report document. */
export const encodeUnitReport = (report: UnitReport) => ({
  name: report.name,
  request_id: report.requestId || undefined,
  model: report.model || undefined,
  input_tokens: report.inputTokens || undefined,
  truncated: report.truncated,
  behaviors: report.behaviors.map(({ id, behavior, covered }) => ({ id, behavior, covered })),
  contradicts_spec: report.contradictsSpec,
  thoroughness: report.thoroughness,
  thoroughness_confidence: report.thoroughnessConfidence,
  weakest_area: report.weakestArea,
  weakest_confidence: report.weakestConfidence,
  flags: report.flags.map(describeReviewFlag),
  notes: omitEmpty(report.notes),
  stale_acceptances: omitEmpty(report.staleAcceptances),
  failing: report.failing,
  error: report.error || undefined,
})
