import type { Answer, Answers } from '../../codec/answer'
import type { Draft } from '../../codec/json/draft'
import { findLikeliestLevel, findTopAndMargin } from '../../codec/probabilities'
import { isLevelIndex } from '../../codec/question'
import type { PolicyOutcome } from '../policy/policy'
import type { AnswerPath, Expression, Operator } from './expression'
import type { QuestionShapes } from './shape'

/** The value of a path in one row; `undefined` if it is missing, or if the answer is not of the question's type. */
export type PathValue = number | string | undefined

/** Looks up the value of a path in the answers of one row. */
export const lookUpPath = (
  path: AnswerPath,
  answers: Answers,
  shapes: QuestionShapes,
): PathValue => {
  const { id, field, key } = path
  const answer = answers.get(id)
  const shape = shapes.get(id)
  // An outcome needs no answer: a policy sends a row to review if the answer is missing, a refusal or of another type.
  if (field === 'outcome') return shape?.policy?.apply(answer).outcome
  if (field === 'calibrated') return lookUpCalibrated(shape?.policy?.apply(answer), key)
  if (answer === undefined || answer.type !== shape?.type) return undefined
  switch (answer.type) {
    // A yes/no question: the probability of a yes.
    case 'noul':
      return answer.noul
    case 'choice':
      return field === 'choice' ? answer.choice : lookUpProbability(answer, field, key)
    case 'score':
      if (field === 'score') return answer.score
      return field === 'level' ? findLevel(answer) : lookUpProbability(answer, field, key)
    case 'refusal':
    case 'other':
      return undefined
  }
}

/** Looks up the calibrated probability of a yes or, with a `key`, of a label or level. */
const lookUpCalibrated = (
  judgement: PolicyOutcome | undefined,
  key: string | undefined,
): PathValue => {
  const calibrated = judgement?.calibrated
  if (typeof calibrated === 'number') return calibrated
  return calibrated?.find(([name]) => name === key)?.[1]
}

/** An answer with a probability for each label or level. */
type DistributedAnswer = Extract<Answer, { readonly type: 'choice' | 'score' }>

/**
 * Looks up a field that choices and scores have: `confidence`, `probabilities` with the label or level `key`, `top` or `margin`.
 * `checkExpression` refuses other fields before.
 */
const lookUpProbability = (
  { confidence, probabilities }: DistributedAnswer,
  field: string,
  key: string | undefined,
): PathValue => {
  if (field === 'confidence') return confidence
  if (field === 'probabilities') return probabilities.find(([name]) => name === key)?.[1]
  const topAndMargin = findTopAndMargin(probabilities)
  if (topAndMargin === undefined) return undefined
  return field === 'top' ? topAndMargin.top : roundMargin(topAndMargin.margin)
}

/** Removes the rounding errors of binary fractions: 0.7 − 0.2 becomes 0.5. */
const roundMargin = (margin: number): number => Math.round(margin * 1e12) / 1e12

/** Finds the most likely level. `undefined` without probabilities, or if its name is not the index of a level. */
const findLevel = ({ probabilities }: DistributedAnswer): number | undefined => {
  const level = findLikeliestLevel(probabilities)
  return level === undefined || !isLevelIndex(level) ? undefined : Number(level)
}

/** Evaluates an expression. Returns `undefined` if one of its values is missing, even if the other values would decide. */
export const evaluateExpression = (
  expression: Expression,
  lookUp: (path: AnswerPath) => PathValue,
): boolean | undefined => {
  switch (expression.kind) {
    case 'or':
    case 'and': {
      const results = expression.operands.map((operand) => evaluateExpression(operand, lookUp))
      if (results.includes(undefined)) return undefined
      return expression.kind === 'or' ? results.includes(true) : !results.includes(false)
    }
    case 'not': {
      const result = evaluateExpression(expression.operand, lookUp)
      return result === undefined ? undefined : !result
    }
    case 'comparison': {
      const { path, operator, literals } = expression
      const value = lookUp(path)
      if (value === undefined) return undefined
      return literals.some((literal) => compare(value, operator, literal.value))
    }
  }
}

/** Compares a value with a literal. `in` is `==` with at least one of its literals. */
const compare = (value: number | string, operator: Operator, literal: number | string): boolean => {
  switch (operator) {
    case '==':
    case 'in':
      return value === literal
    case '!=':
      return value !== literal
    case '<':
      return value < literal
    case '<=':
      return value <= literal
    case '>':
      return value > literal
    case '>=':
      return value >= literal
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

/** Encodes the `gate` of a record. */
export const encodeGate = ({ passed, failed, unevaluable }: GateResult): Draft => ({
  passed,
  failed,
  unevaluable: unevaluable.length === 0 ? undefined : unevaluable,
})
