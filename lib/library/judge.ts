import * as E from 'fp-ts/Either'
import { type Answer, answerDecoder } from '../codec/answer'
import { mapOf } from '../codec/combinators'
import { firstFault, formatLoc } from '../codec/fault'
import { encode } from '../codec/json/draft'
import { type Failure, usage } from '../failure/failure'
import {
  checkRequirements,
  evaluateRequirements,
  type GateRequirement as ParsedRequirement,
  parseRequirements,
} from '../runs/gate/requirements'
import { createShapes, learnFromAnswer } from '../runs/gate/shape'
import { applyPolicies, encodePolicyOutcomes } from '../runs/policy/answer-policies'
import { decodePolicy } from '../runs/policy/decode'
import type { AnswerPolicies } from '../runs/policy/policy'
import { parseQuestions, type Questions } from './questions'
import { orThrow } from './results'
import { encodeValue, parseDraft } from './values'

/** The name of a requirement in messages. */
const nameInMessages = 'require'

/** Answers by question id, as `ask` returns them. */
export type AnyAnswers = Readonly<Record<string, object>>

/** Expressions that answers must fulfil. */
export interface Requirement {
  readonly expressions: ReadonlyArray<string>
  /**
   * Checks the expressions against questions, before anything is sent. Throws a `UsageError` if one names a question,
   * label or field that does not exist, or can never hold.
   */
  readonly check: (questions: Questions) => void
  /** Judges the answers to one request. Throws a `UsageError` if an answer cannot be read. */
  readonly judge: (answers: AnyAnswers) => Verdict
}

/** The result of judging answers by a requirement, as in the `gate` of a record. */
export interface Verdict {
  /** `true` if all expressions hold. */
  readonly passed: boolean
  /** The expressions that do not hold. */
  readonly failed: ReadonlyArray<string>
  /** The expressions that cannot be judged because a value is missing. They do not pass. */
  readonly unevaluable: ReadonlyArray<string>
}

/**
 * Parses expressions such as `billing.noul >= 0.8 and tone.choice != "angry"`; `svc help requirements` has the grammar.
 * Throws a `UsageError` that names the column of a syntax error.
 */
export const requirement = (...expressions: ReadonlyArray<string>): Requirement => {
  const parsed = orThrow(parseRequirements(expressions, nameInMessages))
  return {
    expressions,
    check: (questions) => {
      const template = orThrow(parseQuestions(questions))
      orThrow(checkRequirements(parsed, createShapes(template.questions), nameInMessages))
    },
    judge: (answers) => judgeAnswers(parsed, orThrow(parseAnswers(answers))),
  }
}

/** Judges answers without their questions. The shape of a question, its type with its labels or levels, is learned from its answer. */
const judgeAnswers = (
  requirements: ReadonlyArray<ParsedRequirement>,
  answers: ReadonlyMap<string, Answer>,
): Verdict => {
  // Each shape is learned from one answer. `undefined` says that there is no shape yet.
  const shapes = new Map(
    Array.from(answers, ([id, answer]) => [id, learnFromAnswer(undefined, answer)] as const),
  )
  return evaluateRequirements(requirements, shapes, answers)
}

/** A policy of `svc calibrate`: the parsed text of a `policy.json`. */
export interface Policy {
  readonly questions: Readonly<Record<string, object>>
}

/** The decision of a policy about one answer. */
export interface Outcome {
  /** `review` means that a person must look at the answer. */
  readonly outcome: 'accept' | 'review'
  /** `true` for yes, `false` for no. Present for a yes/no question if its policy accepts a sure yes and a sure no. */
  readonly decision?: boolean
  /** The corrected probability of a yes, or that of each label or level; null if there is none. */
  readonly calibrated: number | Readonly<Record<string, number>> | null
}

/**
 * Applies a policy to the answers of one request. An answer that is missing, refused or of another type goes to review.
 * Throws a `UsageError` if the policy or an answer cannot be read.
 */
export const applyPolicy = (
  policy: Policy,
  answers: AnyAnswers,
): Readonly<Record<string, Outcome>> => {
  const answerPolicies = orThrow(parsePolicy(policy))
  const outcomes = applyPolicies(answerPolicies, orThrow(parseAnswers(answers)))
  return parseDraft(encodePolicyOutcomes(outcomes))
}

/** Parses a policy. Fails with a usage error if it is invalid. */
export const parsePolicy = (policy: Policy): E.Either<Failure, AnswerPolicies> => {
  const value = encodeValue(policy)
  if (value === undefined) return E.left(usage('the policy is not a JSON value'))
  const decoded = decodePolicy(encode(value))
  return E.isLeft(decoded) ? E.left(usage(`the policy cannot be read: ${decoded.left}`)) : decoded
}

const parseAnswers = (answers: AnyAnswers): E.Either<Failure, ReadonlyMap<string, Answer>> => {
  const decoded = mapOf(answerDecoder).decode(encodeValue(answers))
  if (E.isRight(decoded)) return decoded
  const { loc, message } = firstFault(decoded.left)
  return E.left(usage(`${formatLoc(['answers', ...loc])}: ${message}`))
}
