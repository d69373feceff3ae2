import type { Draft } from '../../codec/json/draft'
import { type JsonValue, stringIn } from '../../codec/json/json'
import type { AnswerPolicies } from '../policy/policy'
import type { RunRecord } from '../record/decode'
import { type Answered, isAnswered } from '../record/outcome'
import type { GateResult, PathValue } from './evaluate'
import { evaluateRequirements, type GateRequirement, lookUpValues } from './requirements'
import { addPolicy, learnFromAnswer, type QuestionShape, type QuestionShapes } from './shape'

/** The result of the requirements for a whole run. */
export interface GateVerdict {
  readonly rows: number
  readonly passed: number
  /** Rows that did not pass, including those that cannot be evaluated. */
  readonly failed: number
  readonly unevaluable: number
  /** Rows without answers. */
  readonly errors: number
  readonly requirements: ReadonlyArray<{ readonly require: string; readonly failed: number }>
  /** The failed rows that are listed. */
  readonly rowsFailed: ReadonlyArray<FailedRow>
  /** Every row of the run, in order. Empty without `listsAllRows`. */
  readonly judged: ReadonlyArray<JudgedRow>
  /** The shapes of the questions, learned from the answers. */
  readonly shapes: QuestionShapes
  /** The models that answered. */
  readonly models: ReadonlySet<string>
}

/** A row that failed, passed, or was not answered. `error` is the message of its error. */
export type JudgedRow =
  | FailedRow
  | (RowName & { readonly passed: true })
  | (RowName & { readonly error: string })

/** The members of a record that identify its row. */
export interface RowName {
  readonly index: number
  readonly id: JsonValue | undefined
  readonly stateSha256: string | undefined
  readonly images: RunRecord['images']
}

/** A row that did not pass. */
export interface FailedRow extends RowName {
  readonly result: GateResult
  /** The values of all paths in the requirements that the row did not meet. */
  readonly values: ReadonlyArray<readonly [path: string, value: PathValue]>
}

/**
 * Creates a tally that evaluates the rows of a run one by one. Its verdict lists at most `maxListed` failed rows in `rowsFailed`,
 * and with `listsAllRows` every row in `judged`.
 */
export const createGateTally = (
  requirements: ReadonlyArray<GateRequirement>,
  { maxListed, listsAllRows }: { readonly maxListed: number; readonly listsAllRows: boolean },
  policy?: AnswerPolicies,
) => {
  const counts = { rows: 0, passed: 0, failed: 0, unevaluable: 0, errors: 0 }
  const failuresByRequirement = new Map(requirements.map(({ text }) => [text, 0]))
  const rowsFailed: FailedRow[] = []
  const judged: JudgedRow[] = []
  const shapes = new Map<string, QuestionShape>()
  const models = new Set<string>()

  /** The questions in the requirements. The shapes of other questions need not be complete. */
  const namedQuestions = new Set(requirements.flatMap(({ paths }) => paths.map(({ id }) => id)))
  const learnShapes = ({ answers }: Answered): void => {
    for (const [id, answer] of answers) {
      const knownShape = shapes.get(id)
      if (knownShape !== undefined && !namedQuestions.has(id)) continue
      const shape = learnFromAnswer(knownShape, answer)
      if (shape !== knownShape) shapes.set(id, addPolicy(shape, policy?.get(id)))
    }
  }
  const addFailedRow = (record: RunRecord, { answers }: Answered, result: GateResult): void => {
    const unmet = [...result.failed, ...result.unevaluable]
    counts.failed += 1
    if (result.unevaluable.length > 0) counts.unevaluable += 1
    for (const text of unmet)
      failuresByRequirement.set(text, (failuresByRequirement.get(text) ?? 0) + 1)
    if (rowsFailed.length >= maxListed && !listsAllRows) return
    const values = requirements
      .filter(({ text }) => unmet.includes(text))
      .flatMap((requirement) => lookUpValues(requirement, shapes, answers))
    const row = { ...nameRow(record), result, values: [...new Map(values)] }
    if (rowsFailed.length < maxListed) rowsFailed.push(row)
    if (listsAllRows) judged.push(row)
  }
  return {
    add: (record: RunRecord): void => {
      counts.rows += 1
      if (!isAnswered(record.outcome)) {
        counts.errors += 1
        if (listsAllRows) judged.push({ ...nameRow(record), error: record.outcome.error.message })
        return
      }
      const { answers, model } = record.outcome
      models.add(model)
      learnShapes(record.outcome)
      const result = evaluateRequirements(requirements, shapes, answers)
      if (result.passed) {
        counts.passed += 1
        if (listsAllRows) judged.push({ ...nameRow(record), passed: true })
      } else addFailedRow(record, record.outcome, result)
    },
    verdict: (): GateVerdict => ({
      ...counts,
      requirements: [...failuresByRequirement].map(([require, failed]) => ({ require, failed })),
      rowsFailed,
      judged,
      shapes,
      models,
    }),
  }
}

const nameRow = (record: RunRecord): RowName => ({
  index: record.index,
  id: record.id,
  stateSha256: stringIn(record.stateSha256),
  images: record.images,
})

/** Encodes the document of `svc gate`. */
export const encodeVerdict = (verdict: GateVerdict): Draft => ({
  rows: verdict.rows,
  passed: verdict.passed,
  failed: verdict.failed,
  unevaluable: verdict.unevaluable,
  errors: verdict.errors,
  requirements: verdict.requirements.map(({ require, failed }) => ({ require, failed })),
  rows_failed: verdict.rowsFailed.map(encodeFailedRow),
})

const encodeFailedRow = ({ index, id, result, values }: FailedRow): Draft => ({
  index,
  id,
  failed: result.failed,
  unevaluable: result.unevaluable.length === 0 ? undefined : result.unevaluable,
  values: new Map<string, Draft>(values.map(([path, value]) => [path, value ?? null])),
})
