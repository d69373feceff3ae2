import type { Answer, Answers } from '../../codec/answer'
import type { Draft } from '../../codec/json/draft'
import { leadOf, likeliestLevel } from '../../codec/probabilities'
import { isLevel } from '../../codec/question-limits'
import type { UsablePolicy } from '../policy/policy'
import type { Expression, FieldComparison, Path, RequirementLiteral } from './expression'
import type { Shapes } from './shape'

/** The value of a path in one row; `undefined` where it is missing, or the answer has another type. */
export type Value = number | string | undefined

/** Looks up the value of a path in the answers of one row. */
export const lookUpPath = (path: Path, answers: Answers, shapes: Shapes): Value => {
  const { id, field, key } = path
  const answer = answers.get(id)
  const shape = shapes.get(id)
  if (answer === undefined || answer.type !== shape?.type) return undefined
  if (field === 'outcome' || field === 'calibrated')
    return lookUpPolicyField(shape.policy, answer, path)
  switch (answer.type) {
    case 'noul':
      return answer.noul
    case 'choice':
      return field === 'choice' ? answer.choice : lookUpSharedField(answer, field, key)
    case 'score':
      if (field === 'score') return answer.score
      return field === 'level' ? levelOf(answer) : lookUpSharedField(answer, field, key)
    case 'refusal':
    case 'other':
      return undefined
  }
}

/** The value of `outcome` or `calibrated`, which a policy derives from an answer. */
const lookUpPolicyField = (
  policy: UsablePolicy | undefined,
  answer: Answer,
  { field, key }: Path,
): Value => {
  if (policy === undefined) return undefined
  const { outcome, calibrated } = policy.apply(answer)
  if (field === 'outcome') return outcome
  if (typeof calibrated === 'number') return calibrated
  return calibrated?.find(([name]) => name === key)?.[1]
}

type Distributed = Extract<Answer, { readonly type: 'choice' | 'score' }>

const lookUpSharedField = (answer: Distributed, field: string, key: string | undefined): Value => {
  if (field === 'confidence') return answer.confidence
  if (field === 'probabilities') return answer.probabilities.find(([name]) => name === key)?.[1]
  const found = leadOf(answer.probabilities)
  return field === 'top' ? found?.top : found && roundNoise(found.margin)
}

/** Removes rounding errors of binary fractions, so that 0.7 − 0.2 is 0.5. */
const roundNoise = (difference: number): number => Math.round(difference * 1e12) / 1e12

const levelOf = ({ probabilities }: Distributed): Value => {
  const level = likeliestLevel(probabilities)
  return level === undefined || !isLevel(level) ? undefined : Number(level)
}

/**
 * Whether an expression holds; `undefined` where one of its values is missing, even if the rest would decide.
 */
export const evaluateExpression = (
  expression: Expression,
  value: (path: Path) => Value,
): boolean | undefined => {
  switch (expression.is) {
    case 'or':
    case 'and': {
      const parts = expression.parts.map((part) => evaluateExpression(part, value))
      if (parts.includes(undefined)) return undefined
      return expression.is === 'or' ? parts.includes(true) : !parts.includes(false)
    }
    case 'not': {
      const part = evaluateExpression(expression.part, value)
      return part === undefined ? undefined : !part
    }
    case 'comparison': {
      const found = value(expression.path)
      return found === undefined ? undefined : compare(expression, found)
    }
  }
}

const compare = ({ operator, literals }: FieldComparison, value: number | string): boolean => {
  const other = (literals[0] as RequirementLiteral).value
  switch (operator) {
    case '==':
      return value === other
    case '!=':
      return value !== other
    case '<':
      return value < other
    case '<=':
      return value <= other
    case '>':
      return value > other
    case '>=':
      return value >= other
    case 'in':
      return literals.some((literal) => literal.value === value)
  }
}

/** The result of the requirements for one row. */
export interface GateResult {
  readonly passed: boolean
  /** The texts of the requirements that do not hold. */
  readonly failed: ReadonlyArray<string>
  /** The texts of the requirements that cannot be evaluated, because a value is missing. */
  readonly unevaluable: ReadonlyArray<string>
}

/** The `gate` of a record. */
export const gateDraft = ({ passed, failed, unevaluable }: GateResult): Draft => ({
  passed,
  failed,
  unevaluable: unevaluable.length === 0 ? undefined : unevaluable,
})
