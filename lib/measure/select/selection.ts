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
import { learnFromAnswer, type Shape } from '../../runs/gate/shape'
import type { PolicyOutcome, UsablePolicy } from '../../runs/policy/policy'
import type { RunRecord } from '../../runs/record/decode'
import { type Answered, isAnswered } from '../../runs/record/outcome'

/** Which rows of a run `svc select` keeps. */
export interface Selection {
  readonly where: ReadonlyArray<GateRequirement>
  /** True if rows without an answer are kept. */
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

/** Decides record by record which ones are kept. */
export const createFilter = ({ where, errors }: Selection) => {
  const shapes = new Map<string, Shape>()
  const count = { lacking: 0, unanswered: 0 }
  let failure: Failure | undefined

  const check = (known: ReadonlyMap<string, Shape>): void => {
    const checked = checkRequirements(where, known, '--where')
    if (E.isLeft(checked)) failure = checked.left
  }
  /** Learns the shapes of a record's answers. */
  const learn = ({ policy: given }: RunRecord, answers: Answered['answers']) => {
    const policies = policiesIn(given)
    const own = new Map<string, Shape>()
    for (const [id, answer] of answers) {
      const policy = policies.get(id)
      const learnt = learnFromAnswer(shapes.get(id), answer)
      const shape = policy === undefined ? learnt : { ...learnt, policy }
      shapes.set(id, shape)
      own.set(id, shape)
    }
    return own
  }
  return {
    /** Returns true if a record is kept. */
    keeps: (record: RunRecord): boolean => {
      if (!isAnswered(record.outcome)) {
        if (!errors && where.length > 0) count.unanswered++
        return errors || where.length === 0
      }
      if (where.length === 0) return !errors
      const isFirst = shapes.size === 0
      const own = learn(record, record.outcome.answers)
      // Labels that only later answers list must not be refused before the end.
      if (isFirst) check(new Map([...own].map(([id, shape]) => [id, withoutNames(shape)])))
      const { failed, unevaluable } = evaluateRequirements(where, own, record.outcome.answers)
      if (unevaluable.length > 0) count.lacking++
      return failed.length + unevaluable.length === 0
    },
    /** Returns a failure if the records so far show that the conditions do not fit this run. */
    failure: (): Failure | undefined => failure,
    /** Checks the conditions against the whole run, and says how many rows they could not judge. */
    finish: (): E.Either<Failure, typeof count> => {
      if (failure === undefined && shapes.size > 0) check(shapes)
      return failure === undefined ? E.right(count) : E.left(failure)
    },
  }
}

/** A shape that allows every label and level. */
const withoutNames = (shape: Shape): Shape => {
  if (shape.type === 'choice')
    return { type: 'choice', labels: undefined, ...(shape.policy && { policy: shape.policy }) }
  return shape.type === 'score' ? { ...shape, levels: undefined } : shape
}

/** The judgements of a policy that a record holds, by question. */
const policiesIn = (given: JsonValue | undefined): ReadonlyMap<string, UsablePolicy> => {
  return new Map(
    [...membersIn(given)].flatMap(([id, value]) => {
      const outcome = outcomeIn(value)
      return outcome === undefined ? [] : [[id, policyOf(outcome)] as const]
    }),
  )
}

/** Reads the judgement in a record; `undefined` if it is invalid. */
export const outcomeIn = (value: JsonValue): PolicyOutcome | undefined => {
  if (!(value instanceof Map)) return undefined
  const word = memberIn(value, 'outcome')
  const outcome = stringIn(word)
  if (outcome !== 'accept' && outcome !== 'review') return undefined
  const decided = memberIn(value, 'decision')
  const decision = typeof decided === 'boolean' ? { decision: decided } : {}
  const given = memberIn(value, 'calibrated')
  if (given instanceof Literal) return { outcome, ...decision, calibrated: numberOf(given) }
  if (!(given instanceof Map)) return { outcome, ...decision, calibrated: null }
  const calibrated = [...given].flatMap(([name, p]) =>
    p instanceof Literal ? [[name, numberOf(p)] as const] : [],
  )
  return { outcome, calibrated }
}

/** A policy that judges one answer as the record says. */
const policyOf = (outcome: PolicyOutcome): UsablePolicy => ({
  type: 'noul',
  scale: 'top',
  questionsSha256: '',
  models: [],
  map: { method: 'none' },
  cut: { at: 0 },
  apply: () => outcome,
})
