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
import type { PolicyOutcome, UsablePolicy } from '../policy/policy'
import type { RunRecord } from '../record/decode'
import { type Answered, isAnswered } from '../record/outcome'
import {
  checkRequirements,
  evaluateRequirements,
  type GateRequirement,
  parseRequirements,
} from './requirements'
import { learnFromAnswer, type QuestionShape } from './shape'

/** The rows that `svc select` selects. */
export interface Selection {
  /** The conditions of `--where`. A selected row meets all of them. */
  readonly conditions: ReadonlyArray<GateRequirement>
  /**
   * `true` selects the rows without an answer. If there are conditions, the answered rows that meet them are selected too. Without
   * conditions, no answered row is selected.
   */
  readonly selectsErrors: boolean
}

/** Parses the values of `--where`. Fails with a usage error that names the column of the text. */
export const parseSelection = (
  where: ReadonlyArray<string>,
  selectsErrors: boolean,
): E.Either<Failure, Selection> =>
  pipe(
    parseRequirements(where, '--where'),
    E.map((conditions) => ({ conditions, selectsErrors })),
  )

/** The rows that were not selected because the conditions could not be evaluated. */
export interface UnevaluatedRows {
  /** The number of answered rows that lack a value that a condition names. */
  readonly lacking: number
  /** The number of rows without an answer. With `--errors` it is 0, because they are selected. */
  readonly unanswered: number
}

/** Decides which records are selected. Records must be passed in the order of the run. */
export class RecordFilter {
  /** The shape of the answers to each question: their type and labels, from all records so far. */
  private readonly shapes = new Map<string, QuestionShape>()
  private readonly counts = { lacking: 0, unanswered: 0 }
  /** Set if a condition does not fit the records so far, such as one on an unknown question. */
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
    // A condition may name labels that only later answers list, so labels are checked by `finish`.
    if (isFirstAnswered)
      this.checkConditions(
        new Map([...recordShapes].map(([id, shape]) => [id, allowAnyName(shape)])),
      )
    const { failed, unevaluable } = evaluateRequirements(conditions, recordShapes, answers)
    if (unevaluable.length > 0) this.counts.lacking++
    return failed.length + unevaluable.length === 0
  }

  /** Checks the conditions against the whole run. Returns the numbers of rows for which they could not be evaluated. */
  finish(): E.Either<Failure, UnevaluatedRows> {
    if (this.failure === undefined && this.shapes.size > 0) this.checkConditions(this.shapes)
    return this.failure === undefined ? E.right(this.counts) : E.left(this.failure)
  }

  private checkConditions(shapes: ReadonlyMap<string, QuestionShape>): void {
    const checked = checkRequirements(this.selection.conditions, shapes, '--where')
    if (E.isLeft(checked)) this.failure = checked.left
  }

  /** Extends `shapes` by the answers of a record, and returns the shapes of its questions. */
  private learnShapes(
    { policy }: RunRecord,
    answers: Answered['answers'],
  ): ReadonlyMap<string, QuestionShape> {
    const policies = readPolicies(policy)
    const recordShapes = new Map<string, QuestionShape>()
    for (const [id, answer] of answers) {
      const questionPolicy = policies.get(id)
      const learnt = learnFromAnswer(this.shapes.get(id), answer)
      const shape = questionPolicy === undefined ? learnt : { ...learnt, policy: questionPolicy }
      this.shapes.set(id, shape)
      recordShapes.set(id, shape)
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
const readPolicies = (policy: JsonValue | undefined): ReadonlyMap<string, UsablePolicy> => {
  const policies = new Map<string, UsablePolicy>()
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

/** Creates a policy that always returns `outcome`. Its other members are placeholders, which conditions do not use. */
const createConstantPolicy = (outcome: PolicyOutcome): UsablePolicy => ({
  type: 'noul',
  scale: 'top',
  questionsSha256: '',
  models: [],
  map: { method: 'none' },
  cut: { at: 0 },
  apply: () => outcome,
})
