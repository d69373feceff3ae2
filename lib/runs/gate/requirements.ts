import * as E from 'fp-ts/Either'
import type { Answers } from '../../codec/answer'
import type { AskRequest } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import type { AnswerPolicies } from '../policy/policy'
import { checkExpression } from './check'
import { evaluateExpression, type GateResult, lookUpPath, type PathValue } from './evaluate'
import {
  type AnswerPath,
  type Expression,
  type ExpressionFault,
  listComparisons,
} from './expression'
import { parseExpression } from './parse'
import { createShapes, type QuestionShapes } from './shape'

/** A parsed requirement of `--require`. */
export interface GateRequirement {
  /** The original text of the expression. */
  readonly text: string
  readonly expression: Expression
  /** The paths to the values in the expression, without duplicates. */
  readonly paths: ReadonlyArray<AnswerPath>
}

/** Parses requirements, and drops duplicates. `flag` is the name of a requirement in messages. Fails with a usage error. */
export const parseRequirements = (
  texts: ReadonlyArray<string>,
  flag = '--require',
): E.Either<Failure, ReadonlyArray<GateRequirement>> =>
  E.traverseArray((text: string) => parseRequirement(text, flag))([...new Set(texts)])

const parseRequirement = (text: string, flag: string): E.Either<Failure, GateRequirement> => {
  const expression = parseExpression(text)
  if (E.isLeft(expression)) return E.left(createExpressionFailure(flag, text, expression.left))
  return E.right({ text, expression: expression.right, paths: listPaths(expression.right) })
}

/** Creates the usage error about a fault in the value of a flag that takes an expression or a path. */
export const createExpressionFailure = (
  flag: string,
  text: string,
  { message, column }: ExpressionFault,
): Failure => usage(`${flag}: ${message} at column ${column}: ${text}`)

const listPaths = (expression: Expression): ReadonlyArray<AnswerPath> => [
  ...new Map(listComparisons(expression).map(({ path }) => [path.text, path])).values(),
]

/**
 * Checks requirements against the questions, whose types, labels and policies `shapes` has. `flag` is the name of a requirement in
 * messages. Fails with a usage error if a requirement does not fit the questions or can never hold.
 */
export const checkRequirements = (
  requirements: ReadonlyArray<GateRequirement>,
  shapes: QuestionShapes,
  flag = '--require',
): E.Either<Failure, void> => {
  for (const { text, expression } of requirements) {
    const fault = checkExpression(expression, shapes)
    if (fault !== undefined) return E.left(createExpressionFailure(flag, text, fault))
  }
  return E.right(undefined)
}

/** Evaluates requirements on the answers of one row. The row passes if all requirements hold. */
export const evaluateRequirements = (
  requirements: ReadonlyArray<GateRequirement>,
  shapes: QuestionShapes,
  answers: Answers,
): GateResult => {
  const failed: string[] = []
  const unevaluable: string[] = []
  for (const { text, expression } of requirements) {
    const holds = evaluateExpression(expression, (path) => lookUpPath(path, answers, shapes))
    if (holds === undefined) unevaluable.push(text)
    else if (!holds) failed.push(text)
  }
  return { passed: failed.length + unevaluable.length === 0, failed, unevaluable }
}

/** Looks up the values of a requirement's paths in one row. */
export const lookUpValues = (
  { paths }: GateRequirement,
  shapes: QuestionShapes,
  answers: Answers,
): ReadonlyArray<readonly [path: string, value: PathValue]> =>
  paths.map((path) => [path.text, lookUpPath(path, answers, shapes)])

/** Describes the values of paths, such as `billing.noul is 0.31, tone.top is missing`. */
export const describeValues = (
  values: ReadonlyArray<readonly [path: string, value: PathValue]>,
): string =>
  values
    .map(([path, value]) =>
      value === undefined ? `${path} is missing` : `${path} is ${JSON.stringify(value)}`,
    )
    .join(', ')

/** The questions of a request, and the policy for their answers. */
export interface GateQuestions {
  readonly questions: AskRequest['questions']
  readonly policies: AnswerPolicies | undefined
}

/** The requirements of `--require` for the response to a single request. */
export interface Gate {
  /** Checks the requirements against the questions. Fails as `checkRequirements` does. */
  readonly check: (asked: GateQuestions) => E.Either<Failure, void>
  /** Describes each requirement that is not met: `<expr> (<path> is <value>, …)`. */
  readonly describeUnmet: (asked: GateQuestions, answers: Answers) => ReadonlyArray<string>
}

/** Creates the gate from the values of `--require`. Fails as `parseRequirements` does. */
export const createGate = (texts: ReadonlyArray<string>): E.Either<Failure, Gate> => {
  const requirements = parseRequirements(texts)
  if (E.isLeft(requirements)) return requirements
  return E.right({
    check: ({ questions, policies }) =>
      checkRequirements(requirements.right, createShapes(questions, policies)),
    describeUnmet: ({ questions, policies }, answers) =>
      describeUnmetRequirements(requirements.right, createShapes(questions, policies), answers),
  })
}

/** Describes each requirement that the answers do not meet: `<expr> (<path> is <value>, …)`. */
export const describeUnmetRequirements = (
  requirements: ReadonlyArray<GateRequirement>,
  shapes: QuestionShapes,
  answers: Answers,
): ReadonlyArray<string> => {
  const { failed, unevaluable } = evaluateRequirements(requirements, shapes, answers)
  const unmet = new Set([...failed, ...unevaluable])
  return requirements
    .filter(({ text }) => unmet.has(text))
    .map((requirement) => {
      const values = lookUpValues(requirement, shapes, answers)
      return `${requirement.text} (${describeValues(values)})`
    })
}
