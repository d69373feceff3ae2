import type { Draft } from '../json/draft'
import type { UsablePolicy } from '../policy/policy'
import type { Answers, RunAnswer } from '../run/answer'
import { largest } from '../statistics/numbers'
import type { Comparison, Expression, Literal, Path } from './expression'
import type { Shapes } from './shape'

/** A path's value in one row; `undefined` where it is missing or its answer is of another type. */
export type Value = number | string | undefined

/** The value a path has in some answers to questions of these shapes. R14, R16 */
export const fieldOf = (path: Path, answers: Answers, shapes: Shapes): Value => {
  const { id, field, key } = path
  const answer = answers.get(id)
  const shape = shapes.get(id)
  if (answer === undefined || answer.type !== shape?.type) return undefined
  if (field === 'outcome' || field === 'calibrated') return judgedBy(shape.policy, answer, path)
  switch (answer.type) {
    case 'noul':
      return answer.noul
    case 'choice':
      return field === 'choice' ? answer.choice : shared(answer, field, key)
    case 'score':
      if (field === 'score') return answer.score
      return field === 'level' ? levelOf(answer) : shared(answer, field, key)
    case 'other':
      return undefined
  }
}

/** What a policy makes of an answer. R23 */
const judgedBy = (
  policy: UsablePolicy | undefined,
  answer: RunAnswer,
  { field, key }: Path,
): Value => {
  if (policy === undefined) return undefined
  const { outcome, calibrated } = policy.apply(answer)
  if (field === 'outcome') return outcome
  if (typeof calibrated === 'number') return calibrated
  return calibrated?.find(([name]) => name === key)?.[1]
}

type Distributed = Extract<RunAnswer, { readonly type: 'choice' | 'score' }>

const shared = (answer: Distributed, field: string, key: string | undefined): Value => {
  if (field === 'confidence') return answer.confidence
  if (field === 'probabilities') return answer.probabilities.find(([name]) => name === key)?.[1]
  const [top, second = 0] = answer.probabilities
    .map(([, probability]) => probability)
    .sort((a, b) => b - a)
  if (top === undefined) return undefined
  return field === 'top' ? top : withoutNoise(top - second)
}

/** 0.7 − 0.2 must be 0.5. */
const withoutNoise = (difference: number): number => Math.round(difference * 1e12) / 1e12

/** The most likely level, the lowest of equals. */
const levelOf = ({ probabilities }: Distributed): Value => {
  const most = largest(probabilities.map(([, probability]) => probability))
  const levels = probabilities.flatMap(([level, p]) => (p === most ? [-Number(level)] : []))
  return levels.length === 0 ? undefined : -largest(levels)
}

/** Whether an expression holds; `undefined` where any of its values is missing. R16 */
export const evaluate = (
  expression: Expression,
  value: (path: Path) => Value,
): boolean | undefined => {
  switch (expression.is) {
    case 'or':
    case 'and': {
      const parts = expression.parts.map((part) => evaluate(part, value))
      if (parts.includes(undefined)) return undefined
      return expression.is === 'or' ? parts.includes(true) : !parts.includes(false)
    }
    case 'not': {
      const part = evaluate(expression.part, value)
      return part === undefined ? undefined : !part
    }
    case 'comparison': {
      const found = value(expression.path)
      return found === undefined ? undefined : compare(expression, found)
    }
  }
}

const compare = ({ operator, literals }: Comparison, value: number | string): boolean => {
  const other = (literals[0] as Literal).value
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

/** What requirements say of one row. R16 */
export interface GateResult {
  readonly passed: boolean
  /** The requirements that do not hold. */
  readonly failed: ReadonlyArray<string>
  /** Those that cannot be told, because a value is missing. */
  readonly unevaluable: ReadonlyArray<string>
}

/** The `gate` of a record. R16 */
export const gateDraft = ({ passed, failed, unevaluable }: GateResult): Draft => ({
  passed,
  failed,
  unevaluable: unevaluable.length === 0 ? undefined : unevaluable,
})
