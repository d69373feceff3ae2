import * as E from 'fp-ts/Either'
import type { Answers } from '../../codec/answer'
import type { Draft } from '../../codec/json/draft'
import type { Template } from '../../codec/request'
import type { Failure } from '../../failure/failure'
import { encodeGate } from '../gate/evaluate'
import { checkRequirements, evaluateRequirements, type GateRequirement } from '../gate/requirements'
import { createShapes, type QuestionShapes } from '../gate/shape'
import { applyPolicies, encodeOutcomes } from '../policy/answer-policies'
import type { AnswerPolicies } from '../policy/policy'

/** The requirements and the policy of a run. */
export interface JudgingRules {
  readonly requirements: ReadonlyArray<GateRequirement>
  /** The types and labels of the questions. */
  readonly shapes: QuestionShapes
  readonly policy: AnswerPolicies | undefined
}

/**
 * Creates the rules for answers to these questions. `requirementName` is the name of a requirement in messages. Fails with a usage
 * error if a requirement does not fit the questions or can never hold.
 */
export const createJudgingRules = (
  { questions }: Pick<Template, 'questions'>,
  requirements: ReadonlyArray<GateRequirement>,
  policy: AnswerPolicies | undefined,
  requirementName?: string,
): E.Either<Failure, JudgingRules> => {
  const shapes = createShapes(questions, policy)
  const checked = checkRequirements(requirements, shapes, requirementName)
  return E.isLeft(checked) ? checked : E.right({ requirements, shapes, policy })
}

/** The outcome of the policy for the answer to each question. */
export type Outcomes = ReadonlyArray<readonly [id: string, outcome: 'accept' | 'review']>

/** The judgement on the answers of one row. */
export interface Judgement {
  /** `true` if all requirements hold; `undefined` if there are no requirements. */
  readonly passed: boolean | undefined
  /** The outcomes of the policy. Empty without a policy. */
  readonly outcomes: Outcomes
  /** The members `gate` and `policy` of the record. */
  readonly members: { readonly gate?: Draft; readonly policy?: Draft }
}

/** Judges the answers of one row by the requirements and the policy. */
export const judgeAnswers = (
  { requirements, shapes, policy }: JudgingRules,
  answers: Answers,
): Judgement => {
  const gate =
    requirements.length > 0 ? evaluateRequirements(requirements, shapes, answers) : undefined
  const outcomes = policy === undefined ? [] : applyPolicies(policy, answers)
  return {
    passed: gate?.passed,
    outcomes: outcomes.map(([id, { outcome }]) => [id, outcome]),
    members: {
      ...(gate && { gate: encodeGate(gate) }),
      ...(policy && { policy: encodeOutcomes(outcomes) }),
    },
  }
}
