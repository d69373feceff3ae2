import type { Redact } from '../failure/text/secret'
import { describeReviewFlag, type Flag, type Readings } from './verdict'

/** The report about one unit that ran. */
export interface UnitReport extends Readings {
  readonly name: string
  /** Empty if unknown, like `model`. */
  readonly requestId: string
  readonly model: string
  /** 0 if unknown. */
  readonly inputTokens: number
  /** `true` if a bundle was cut. */
  readonly truncated: boolean
  /** The number of behaviors that the unit lists. `behaviors` is empty if there were no answers. */
  readonly total: number
  readonly flags: ReadonlyArray<Flag>
  readonly notes: ReadonlyArray<string>
  readonly staleAcceptances: ReadonlyArray<string>
  readonly failing: boolean
  /** The reason why the unit could not complete; empty if it did. */
  readonly error: string
}

/** Redacts secrets in all texts of a report, including those of the configuration. */
export const redactReport = (unit: UnitReport, redact: Redact): UnitReport => ({
  ...unit,
  name: redact(unit.name),
  requestId: redact(unit.requestId),
  model: redact(unit.model),
  weakestArea: redact(unit.weakestArea),
  error: redact(unit.error),
  behaviors: unit.behaviors.map((reading) => ({ ...reading, behavior: redact(reading.behavior) })),
  flags: unit.flags.map((flag) => ({ ...flag, message: redact(flag.message) })),
  notes: unit.notes.map((note) => redact(note)),
  staleAcceptances: unit.staleAcceptances.map((name) => redact(name)),
})

const omitEmpty = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> | undefined =>
  list.length === 0 ? undefined : list

/** Encodes a unit's entry of the report document. */
export const encodeUnitReport = (unit: UnitReport) => ({
  name: unit.name,
  request_id: unit.requestId || undefined,
  model: unit.model || undefined,
  input_tokens: unit.inputTokens || undefined,
  truncated: unit.truncated,
  behaviors: unit.behaviors.map(({ id, behavior, covered }) => ({ id, behavior, covered })),
  contradicts_spec: unit.contradictsSpec,
  thoroughness: unit.thoroughness,
  thoroughness_confidence: unit.thoroughnessConfidence,
  weakest_area: unit.weakestArea,
  weakest_confidence: unit.weakestConfidence,
  flags: unit.flags.map(describeReviewFlag),
  notes: omitEmpty(unit.notes),
  stale_acceptances: omitEmpty(unit.staleAcceptances),
  failing: unit.failing,
  error: unit.error || undefined,
})
