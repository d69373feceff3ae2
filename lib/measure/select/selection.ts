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
import {
  checkRequirements,
  evaluateRequirements,
  type GateRequirement,
  parseRequirements,
} from '../../runs/gate/requirements'
import { learnFromAnswer, type QuestionShape } from '../../runs/gate/shape'
import type { PolicyOutcome, UsablePolicy } from '../../runs/policy/policy'
import type { RunRecord } from '../../runs/record/decode'
import { type Answered, isAnswered } from '../../runs/record/outcome'

/** The conditions of `svc select`. */
export interface Selection {
  readonly where: ReadonlyArray<GateRequirement>
  /** True if rows without an answer are selected. */
  readonly errors: boolean
}

/** Parses the values of `--where`. Fails with a usage error that names the column. */
export const parseSelection = (
  where: ReadonlyArray<string>,
  errors: boolean,
): E.Either<Failure, Selection> =>
  pipe(
    parseRequirements(where, '--where'),
    E.map((requirements) => ({ where: requirements, errors })),
  )

/** Creates a filter that decides for one record after the other whether it meets the conditions. */
export const createRecordFilter = ({ where, errors }: Selection) => {
  /** The shapes of the answers to each question, from all records so far. */
  const shapes = new Map<string, QuestionShape>()
  /** The rows that lack a value of a condition, and those without an answer, which conditions cannot select. */
  const counts = { lacking: 0, unanswered: 0 }
  let failure: Failure | undefined

  const checkConditions = (knownShapes: ReadonlyMap<string, QuestionShape>): void => {
    const checked = checkRequirements(where, knownShapes, '--where')
    if (E.isLeft(checked)) failure = checked.left
  }
  /** Extends `shapes` by the answers of a record, and returns the shapes of its questions. */
  const learnShapes = ({ policy }: RunRecord, answers: Answered['answers']) => {
    const policies = readPolicies(policy)
    const recordShapes = new Map<string, QuestionShape>()
    for (const [id, answer] of answers) {
      const questionPolicy = policies.get(id)
      const learnt = learnFromAnswer(shapes.get(id), answer)
      const shape = questionPolicy === undefined ? learnt : { ...learnt, policy: questionPolicy }
      shapes.set(id, shape)
      recordShapes.set(id, shape)
    }
    return recordShapes
  }
  return {
    /** Returns true if a record is selected. */
    selects: (record: RunRecord): boolean => {
      if (!isAnswered(record.outcome)) {
        if (!errors && where.length > 0) counts.unanswered++
        return errors || where.length === 0
      }
      if (where.length === 0) return !errors
      const isFirst = shapes.size === 0
      const { answers } = record.outcome
      const recordShapes = learnShapes(record, answers)
      // A condition may name labels that only later answers list, so `finish` checks labels.
      if (isFirst) checkConditions(removeNames(recordShapes))
      const { failed, unevaluable } = evaluateRequirements(where, recordShapes, answers)
      if (unevaluable.length > 0) counts.lacking++
      return failed.length + unevaluable.length === 0
    },
    /** Returns a failure if a condition does not fit the records so far, such as one on an unknown question. */
    failure: (): Failure | undefined => failure,
    /** Checks the conditions against the whole run. Returns the counts of rows that they could not be evaluated for. */
    finish: (): E.Either<Failure, typeof counts> => {
      if (failure === undefined && shapes.size > 0) checkConditions(shapes)
      return failure === undefined ? E.right(counts) : E.left(failure)
    },
  }
}

/** Removes the labels and levels from shapes, which then allow all of them. */
const removeNames = (
  shapes: ReadonlyMap<string, QuestionShape>,
): ReadonlyMap<string, QuestionShape> =>
  new Map([...shapes].map(([id, shape]) => [id, removeNamesOf(shape)]))

const removeNamesOf = (shape: QuestionShape): QuestionShape => {
  if (shape.type === 'choice')
    return { type: 'choice', labels: undefined, ...(shape.policy && { policy: shape.policy }) }
  return shape.type === 'score' ? { ...shape, levels: undefined } : shape
}

/** Reads the results of a policy in a record, and returns for each question a policy that repeats its result. */
const readPolicies = (policy: JsonValue | undefined): ReadonlyMap<string, UsablePolicy> => {
  const policies = new Map<string, UsablePolicy>()
  for (const [id, value] of membersIn(policy)) {
    const outcome = readPolicyOutcome(value)
    if (outcome !== undefined) policies.set(id, createPolicy(outcome))
  }
  return policies
}

/** Reads the result of a policy for one question of a record; `undefined` if it is invalid. */
export const readPolicyOutcome = (value: JsonValue): PolicyOutcome | undefined => {
  if (!(value instanceof Map)) return undefined
  const outcome = stringIn(memberIn(value, 'outcome'))
  if (outcome !== 'accept' && outcome !== 'review') return undefined
  const decision = memberIn(value, 'decision')
  const result = { outcome, ...(typeof decision === 'boolean' && { decision }) } as const
  const calibrated = memberIn(value, 'calibrated')
  if (calibrated instanceof Literal) return { ...result, calibrated: numberOf(calibrated) }
  if (!(calibrated instanceof Map)) return { ...result, calibrated: null }
  const probabilities: Array<readonly [label: string, probability: number]> = []
  for (const [label, p] of calibrated)
    if (p instanceof Literal) probabilities.push([label, numberOf(p)])
  return { outcome, calibrated: probabilities }
}

/** Creates a policy whose result is always `outcome`. */
const createPolicy = (outcome: PolicyOutcome): UsablePolicy => ({
  type: 'noul',
  scale: 'top',
  questionsSha256: '',
  models: [],
  map: { method: 'none' },
  cut: { at: 0 },
  apply: () => outcome,
})
