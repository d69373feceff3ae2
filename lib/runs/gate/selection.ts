import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import {
  type JsonValue,
  Literal,
  memberIn,
  membersIn,
  numberOf,
  stringIn,
} from '../../codec/json/json'
import type { Failure } from '../../failure/failure'
import type { PolicyOutcome } from '../policy/policy'
import type { RunRecord } from '../record/decode'
import { type Answered, isAnswered } from '../record/outcome'
import {
  checkRequirements,
  evaluateRequirements,
  type GateRequirement,
  parseRequirements,
} from './requirements'
import { addPolicy, learnFromAnswer, type QuestionShape, type ShapePolicy } from './shape'

/** The rows that `svc select` selects. */
export interface Selection {
  /** The conditions of `flag`. A selected row meets all of them. */
  readonly conditions: ReadonlyArray<GateRequirement>
  /** The name of the flag in messages, such as `--where`. */
  readonly flag: string
  /**
   * `true` selects the rows without an answer. If there are conditions, the answered rows that meet them are selected too. Without
   * conditions, no answered row is selected.
   */
  readonly selectsErrors: boolean
}

/** Parses the conditions of a flag. Fails with a usage error that names the column of the text. */
export const parseSelection = (
  where: ReadonlyArray<string>,
  selectsErrors: boolean,
  flag = '--where',
): E.Either<Failure, Selection> =>
  pipe(
    parseRequirements(where, flag),
    E.map((conditions) => ({ conditions, flag, selectsErrors })),
  )

/** The rows that were not selected because the conditions could not be evaluated. */
export interface UnevaluatedRows {
  /** The number of answered rows that lack a value that a condition names. */
  readonly lacking: number
  /** The number of rows without an answer. With `--errors` it is 0, because they are selected. */
  readonly unanswered: number
}

/** Decides which records are selected. The order of the records makes no difference. */
export class RecordFilter {
  /** The shape of the answers to each question: their type and labels, from all records so far, without policies. */
  private readonly shapes = new Map<string, QuestionShape>()
  /** The last policy of each question. Records without one do not change it. */
  private readonly policies = new Map<string, ShapePolicy>()
  private readonly counts = { lacking: 0, unanswered: 0 }
  /** Set if a condition does not fit the records so far, such as one that compares a number with a text. */
  failure: Failure | undefined

  constructor(private readonly selection: Selection) {}

  /** Returns `true` if a record is selected. */
  selects(record: RunRecord): boolean {
    const { conditions, selectsErrors } = this.selection
    const hasConditions = conditions.length > 0
    if (!isAnswered(record.outcome)) {
      if (hasConditions && !selectsErrors) this.counts.unanswered++
      return selectsErrors || !hasConditions
    }
    if (!hasConditions) return !selectsErrors
    // No shape is known before the first answered record.
    const isFirstAnswered = this.shapes.size === 0
    const { answers } = record.outcome
    const recordShapes = this.learnShapes(record, answers)
    if (isFirstAnswered) this.checkConditions(this.allowLaterRecords())
    const { failed, unevaluable } = evaluateRequirements(conditions, recordShapes, answers)
    if (unevaluable.length > 0) this.counts.lacking++
    return failed.length + unevaluable.length === 0
  }

  /** Checks the conditions against the whole run. Returns the numbers of rows for which they could not be evaluated. */
  finish(): E.Either<Failure, UnevaluatedRows> {
    if (this.failure === undefined && this.shapes.size > 0)
      this.checkConditions(
        new Map(
          [...this.shapes].map(([id, shape]) => [id, addPolicy(shape, this.policies.get(id))]),
        ),
      )
    return this.failure === undefined ? E.right(this.counts) : E.left(this.failure)
  }

  private checkConditions(shapes: ReadonlyMap<string, QuestionShape>): void {
    const { conditions, flag } = this.selection
    const checked = checkRequirements(conditions, shapes, flag)
    if (E.isLeft(checked)) this.failure = checked.left
  }

  /** Returns shapes that allow what later records can add: questions, labels, levels and policies. `finish` checks these. */
  private allowLaterRecords(): ReadonlyMap<string, QuestionShape> {
    const ids = this.selection.conditions.flatMap(({ paths }) => paths.map(({ id }) => id))
    return new Map(
      ids.map((id) => {
        const shape = this.shapes.get(id) ?? { type: 'refusal' }
        return [id, addPolicy(allowAnyName(shape), createConstantPolicy(uncalibratedReview))]
      }),
    )
  }

  /** Extends `shapes` and `policies` by a record, and returns the shapes of its questions with the policies of this record. */
  private learnShapes(
    { policy }: RunRecord,
    answers: Answered['answers'],
  ): ReadonlyMap<string, QuestionShape> {
    const policies = readPolicies(policy)
    const recordShapes = new Map<string, QuestionShape>()
    for (const [id, answer] of answers) {
      const shape = learnFromAnswer(this.shapes.get(id), answer)
      this.shapes.set(id, shape)
      recordShapes.set(id, addPolicy(shape, policies.get(id)))
    }
    for (const [id, questionPolicy] of policies) {
      this.policies.set(id, questionPolicy)
      if (recordShapes.has(id)) continue
      // The policy judges a question that the record does not answer.
      const shape = this.shapes.get(id) ?? { type: 'refusal' }
      this.shapes.set(id, shape)
      recordShapes.set(id, addPolicy(shape, questionPolicy))
    }
    return recordShapes
  }
}

/** Removes the labels or levels from a shape. Such a shape allows any label or level in a condition. */
const allowAnyName = (shape: QuestionShape): QuestionShape => {
  if (shape.type === 'choice') return { ...shape, labels: undefined }
  return shape.type === 'score' ? { ...shape, levelCount: undefined } : shape
}

/**
 * Reads the results of a policy in a record: for each question, whether the answer is accepted or goes to a person. Conditions need
 * policies, so each result becomes a policy that always returns it.
 */
const readPolicies = (policy: JsonValue | undefined): ReadonlyMap<string, ShapePolicy> => {
  const policies = new Map<string, ShapePolicy>()
  for (const [id, value] of membersIn(policy)) {
    const outcome = readPolicyOutcome(value)
    if (outcome !== undefined) policies.set(id, createConstantPolicy(outcome))
  }
  return policies
}

/** Reads the result of a policy for one question of a record; `undefined` if it is invalid. */
export const readPolicyOutcome = (value: JsonValue): PolicyOutcome | undefined => {
  if (!(value instanceof Map)) return undefined
  const outcome = stringIn(memberIn(value, 'outcome'))
  if (outcome !== 'accept' && outcome !== 'review') return undefined
  // Only a yes/no question has a decision, and only with the scale `top`.
  const decision = memberIn(value, 'decision')
  const result = { outcome, ...(typeof decision === 'boolean' && { decision }) } as const
  const calibrated = memberIn(value, 'calibrated')
  if (calibrated instanceof Literal) return { ...result, calibrated: numberOf(calibrated) }
  if (!(calibrated instanceof Map)) return { ...result, calibrated: null }
  const probabilities: Array<readonly [label: string, probability: number]> = []
  for (const [label, probability] of calibrated)
    if (probability instanceof Literal) probabilities.push([label, numberOf(probability)])
  return { outcome, calibrated: probabilities }
}

/** The judgement of a policy on an answer that it cannot calibrate. */
const uncalibratedReview: PolicyOutcome = { outcome: 'review', calibrated: null }

/** Creates a policy that always returns `outcome`. Its map and its cut allow conditions on any outcome. */
const createConstantPolicy = (outcome: PolicyOutcome): ShapePolicy => ({
  map: { method: 'none' },
  cut: { at: 0 },
  apply: () => outcome,
})
