import type { Draft } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import type { AnswerPolicies } from '../policy/policy'
import type { RunRecord } from '../record/decode'
import { type Answered, isAnswered } from '../record/outcome'
import type { GateResult, PathValue } from './evaluate'
import { evaluateRequirements, type GateRequirement, lookUpValues } from './requirements'
import { addPolicy, learnFromAnswer, type QuestionShape, type QuestionShapes } from './shape'

/** The result of the requirements for a whole run. */
export interface GateVerdict {
  /** The number of rows. `passed`, `failed` and `errors` add up to it. */
  readonly rows: number
  readonly passed: number
  /** The number of rows that did not pass, including those that cannot be evaluated. */
  readonly failed: number
  /** The number of failed rows that lack a value of a requirement. */
  readonly unevaluable: number
  /** The number of rows without answers. */
  readonly errors: number
  /** The text of each requirement, and the number of rows that did not meet it. */
  readonly requirements: ReadonlyArray<{ readonly require: string; readonly failed: number }>
  /** The first failed rows, at most `maxListedRows`. */
  readonly failedRows: ReadonlyArray<FailedRow>
  /** Every row of the run, in order. Empty without `listsAllRows`. */
  readonly judgedRows: ReadonlyArray<JudgedRow>
  /** The shape of each question (its type, and its labels or levels), learned from the answers. */
  readonly shapes: QuestionShapes
  /** The models that answered. */
  readonly models: ReadonlySet<string>
}

/** A row that failed (it has `values`), passed, or was not answered. `error` is the message of its error. */
export type JudgedRow =
  | FailedRow
  | (RowIdentity & { readonly passed: true })
  | (RowIdentity & { readonly error: string })

/** The members of a record that identify its row. */
export interface RowIdentity {
  readonly index: number
  readonly id: JsonValue | undefined
  readonly stateSha256: string | undefined
  readonly images: RunRecord['images']
}

/** A row that did not pass. */
export interface FailedRow extends RowIdentity {
  readonly result: GateResult
  /** The values of all paths in the requirements that the row did not meet. */
  readonly values: ReadonlyArray<readonly [path: string, value: PathValue]>
}

/** The rows that a verdict lists. */
interface ListedRows {
  /** The maximum number of rows in `failedRows`. */
  readonly maxListedRows: number
  /** `true` if `judgedRows` lists every row. */
  readonly listsAllRows: boolean
}

/**
 * Creates a tally, which counts the results of a run. `add` evaluates the requirements for one record. `createVerdict` returns the
 * totals.
 */
export const createGateTally = (
  requirements: ReadonlyArray<GateRequirement>,
  { maxListedRows, listsAllRows }: ListedRows,
  policies?: AnswerPolicies,
) => {
  const counts = { rows: 0, passed: 0, failed: 0, unevaluable: 0, errors: 0 }
  /** The number of failed rows by the text of the requirement. */
  const failuresByRequirement = new Map(requirements.map(({ text }) => [text, 0]))
  const failedRows: FailedRow[] = []
  const judgedRows: JudgedRow[] = []
  const shapes = new Map<string, QuestionShape>()
  const models = new Set<string>()

  // The shape of a question without a requirement is learned only from its first answer, because no requirement is checked against it.
  const requiredPaths = requirements.flatMap(({ paths }) => paths)
  const requiredQuestions = new Set(requiredPaths.map(({ id }) => id))
  // An outcome needs no answer, so a question with a policy has a shape from the start, also if it is never answered.
  for (const { id, field } of requiredPaths) {
    const policy = policies?.get(id)
    if (field === 'outcome' && policy !== undefined) shapes.set(id, { type: 'refusal', policy })
  }
  const learnShapes = ({ answers }: Answered): void => {
    for (const [id, answer] of answers) {
      const knownShape = shapes.get(id)
      if (knownShape !== undefined && !requiredQuestions.has(id)) continue
      // Returns the known shape itself if the answer reveals nothing new.
      const shape = learnFromAnswer(knownShape, answer)
      if (shape !== knownShape) shapes.set(id, addPolicy(shape, policies?.get(id)))
    }
  }
  const addFailedRow = (record: RunRecord, { answers }: Answered, result: GateResult): void => {
    const unmetTexts = [...result.failed, ...result.unevaluable]
    counts.failed += 1
    if (result.unevaluable.length > 0) counts.unevaluable += 1
    for (const text of unmetTexts)
      failuresByRequirement.set(text, (failuresByRequirement.get(text) ?? 0) + 1)
    // The values are only looked up for a row that is listed.
    if (failedRows.length >= maxListedRows && !listsAllRows) return
    const values = requirements
      .filter(({ text }) => unmetTexts.includes(text))
      .flatMap((requirement) => lookUpValues(requirement, shapes, answers))
    // Several requirements may name the same path. The map has it once.
    const row = { ...identifyRow(record), result, values: [...new Map(values)] }
    if (failedRows.length < maxListedRows) failedRows.push(row)
    if (listsAllRows) judgedRows.push(row)
  }
  return {
    add: (record: RunRecord): void => {
      counts.rows += 1
      if (!isAnswered(record.outcome)) {
        counts.errors += 1
        if (listsAllRows)
          judgedRows.push({ ...identifyRow(record), error: record.outcome.error.message })
        return
      }
      const { answers, model } = record.outcome
      models.add(model)
      learnShapes(record.outcome)
      const result = evaluateRequirements(requirements, shapes, answers)
      if (result.passed) {
        counts.passed += 1
        if (listsAllRows) judgedRows.push({ ...identifyRow(record), passed: true })
      } else addFailedRow(record, record.outcome, result)
    },
    createVerdict: (): GateVerdict => ({
      ...counts,
      requirements: Array.from(failuresByRequirement, ([require, failed]) => ({ require, failed })),
      failedRows,
      judgedRows,
      shapes,
      models,
    }),
  }
}

const identifyRow = (record: RunRecord): RowIdentity => ({
  index: record.index,
  id: record.id,
  stateSha256: record.stateSha256,
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
  rows_failed: verdict.failedRows.map(encodeFailedRow),
})

const encodeFailedRow = ({ index, id, result, values }: FailedRow): Draft => ({
  index,
  id,
  failed: result.failed,
  unevaluable: result.unevaluable.length === 0 ? undefined : result.unevaluable,
  values: new Map<string, Draft>(values.map(([path, value]) => [path, value ?? null])),
})
