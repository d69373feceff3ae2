import * as E from 'fp-ts/Either'
import type { Answers } from '../../codec/answer'
import { createAssets, type RequestImage } from '../../codec/images'
import type { Draft } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import type { AskRequest, Template } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import { encodeGate } from '../gate/evaluate'
import { checkRequirements, evaluateRequirements, type GateRequirement } from '../gate/requirements'
import { createShapes, type QuestionShapes } from '../gate/shape'
import { applyPolicies, encodePolicyOutcomes } from '../policy/answer-policies'
import type { AnswerPolicies, PolicyOutcome } from '../policy/policy'
import { digestQuestions, maxQuestions } from '../record/record'
import { type PermutedQuestions, permuteChoices } from './permute-choices'

/** The requirements and the policies of a run. */
export interface JudgingRules {
  readonly requirements: ReadonlyArray<GateRequirement>
  /** The types and labels of the questions. */
  readonly shapes: QuestionShapes
  readonly policies: AnswerPolicies | undefined
}

/** The questions of a run, and the rules for their answers. */
export interface BatchPlan extends JudgingRules {
  /** The request without a state, which is different for each row. */
  readonly template: Template
  /** The questions to send: those of the template and, with `--permute`, its choices again in other orders of their labels. */
  readonly permuted: PermutedQuestions
  /** The digest of the template's questions. */
  readonly questionsSha256: string
  /** The model of the requests; `undefined` for the default of the client. */
  readonly model: string | undefined
  /** `true` if records contain the states. */
  readonly withState: boolean
}

/** The options of `createBatchPlan`. */
export interface BatchPlanOptions {
  /** The questions, which must be valid. */
  readonly template: Template
  readonly requirements: ReadonlyArray<GateRequirement>
  /** The name of a requirement in messages; `--require` by default. */
  readonly requirementName?: string
  readonly policies: AnswerPolicies | undefined
  /** The number of orders of its labels in which each choice is asked; `undefined` for one. */
  readonly orders: number | undefined
  readonly model: string | undefined
  readonly withState: boolean
}

/**
 * Creates the plan of a run. Fails with a usage error if there are too many questions, perhaps because of `orders`, or if a
 * requirement does not fit the questions or can never hold.
 */
export const createBatchPlan = (options: BatchPlanOptions): E.Either<Failure, BatchPlan> => {
  const { template, requirements, requirementName, policies, orders, model, withState } = options
  const questionCount = template.questions.length
  if (questionCount > maxQuestions)
    return E.left(usage(`a run takes at most ${maxQuestions} questions, got ${questionCount}`))
  const judgingRules = createJudgingRules(template, requirements, policies, requirementName)
  if (E.isLeft(judgingRules)) return judgingRules
  const permuted = permuteChoices(template.questions, orders)
  if (E.isLeft(permuted)) return permuted
  return E.right({
    ...judgingRules.right,
    template,
    permuted: permuted.right,
    questionsSha256: digestQuestions(template.questions),
    model,
    withState,
  })
}

/**
 * Creates the rules for answers to these questions. `requirementName` is the name of a requirement in messages. Fails with a usage
 * error if a requirement does not fit the questions or can never hold.
 */
export const createJudgingRules = (
  { questions }: Pick<Template, 'questions'>,
  requirements: ReadonlyArray<GateRequirement>,
  policies: AnswerPolicies | undefined,
  requirementName?: string,
): E.Either<Failure, JudgingRules> => {
  const shapes = createShapes(questions, policies)
  const checked = checkRequirements(requirements, shapes, requirementName)
  return E.isLeft(checked) ? checked : E.right({ requirements, shapes, policies })
}

/** The judgement on the answers of one row. */
export interface Judgement {
  /** `true` if all requirements hold; `undefined` if there are no requirements. */
  readonly passed: boolean | undefined
  /** The outcome of the policy for each question. Empty without a policy. */
  readonly outcomes: ReadonlyArray<readonly [id: string, outcome: PolicyOutcome['outcome']]>
  /** The members `gate` and `policy` of the record. They are absent if `undefined`. */
  readonly members: { readonly gate: Draft | undefined; readonly policy: Draft | undefined }
}

/** Judges the answers of one row by the requirements and the policy. */
export const judgeAnswers = (
  { requirements, shapes, policies }: JudgingRules,
  answers: Answers,
): Judgement => {
  const gate =
    requirements.length > 0 ? evaluateRequirements(requirements, shapes, answers) : undefined
  const outcomes = policies === undefined ? [] : applyPolicies(policies, answers)
  return {
    passed: gate?.passed,
    outcomes: outcomes.map(([id, { outcome }]) => [id, outcome]),
    members: {
      gate: gate && encodeGate(gate),
      policy: policies && encodePolicyOutcomes(outcomes),
    },
  }
}

/** Creates the request with the questions of a plan about a state and its images. */
export const createBatchRequest = (
  { template, permuted }: Pick<BatchPlan, 'template' | 'permuted'>,
  state: JsonValue,
  images: ReadonlyArray<RequestImage>,
): AskRequest => {
  // `extra` has the members of the request that svc passes on unchanged. The images are one of them, `assets`.
  const extra = new Map([...template.extra, ...createAssets(images)])
  return { ...template, questions: permuted.questions, state, extra }
}
