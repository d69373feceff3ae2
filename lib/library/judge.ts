import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { Answer } from '../codec/answer'
import { dictionary } from '../codec/combinators'
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
import { decodePolicy } from '../runs/policy/decode'
import type { AnswerPolicies as UsablePolicy } from '../runs/policy/policy'
import { encodePolicyOutcomes } from '../runs/policy/write'
import { type Questions, readQuestions } from './questions'
import { orThrow } from './results'
import { encodeValue, parseDraft } from './values'

/** Answers by question id, as `ask` gives them. */
export type AnyAnswers = Readonly<Record<string, object>>

/** What answers must fulfil: all its expressions hold. */
export interface Requirement {
  readonly expressions: ReadonlyArray<string>
  /**
   * Checks the expressions against questions, before anything is sent. Throws a `UsageError` if one names a question,
   * label or field that does not exist, or can never hold.
   */
  readonly check: (questions: Questions) => void
  /** Judges the answers to one request. */
  readonly judge: (answers: AnyAnswers) => Verdict
}

/** Whether answers fulfil a requirement, as in the `gate` of a record. */
export interface Verdict {
  readonly passed: boolean
  /** The expressions that do not hold. */
  readonly failed: ReadonlyArray<string>
  /** The expressions that cannot be judged, since a value is missing; they do not pass. */
  readonly unevaluable: ReadonlyArray<string>
}

/**
 * Reads expressions such as `billing.noul >= 0.8 and tone.choice != "angry"`; `svc help requirements` has the grammar.
 * Throws a `UsageError` that names the column of a fault.
 */
export const requirement = (...expressions: ReadonlyArray<string>): Requirement => {
  const parsed = orThrow(parseRequirements(expressions, 'require'))
  return {
    expressions,
    check: (questions) => {
      const template = orThrow(readQuestions(questions))
      orThrow(checkRequirements(parsed, createShapes(template.questions), 'require'))
    },
    judge: (answers) => judgeAnswers(parsed, orThrow(readAnswers(answers))),
  }
}

const judgeAnswers = (
  parsed: ReadonlyArray<ParsedRequirement>,
  answers: ReadonlyMap<string, Answer>,
): Verdict => {
  const shapes = new Map(
    Array.from(answers, ([id, answer]) => [id, learnFromAnswer(undefined, answer)] as const),
  )
  return evaluateRequirements(parsed, shapes, answers)
}

/** A policy of `svc calibrate`: the parsed text of a `policy.json`. */
export interface Policy {
  readonly questions: Readonly<Record<string, object>>
}

/** What a policy decides about one answer. */
export interface Outcome {
  /** Whether to accept the answer, or to let a person look at it. */
  readonly outcome: 'accept' | 'review'
  /** Whether the answer is yes, for a noul that the policy accepts as a sure yes or a sure no. */
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
  const usable = orThrow(readPolicy(policy))
  return parseDraft(encodePolicyOutcomes(usable, orThrow(readAnswers(answers))))
}

/** Checks a policy. Fails with a usage error. */
export const readPolicy = (policy: Policy): E.Either<Failure, UsablePolicy> => {
  const value = encodeValue(policy)
  return value === undefined
    ? E.left(usage('the policy is no JSON value'))
    : pipe(
        decodePolicy(encode(value)),
        E.mapLeft((why) => usage(`the policy cannot be read: ${why}`)),
      )
}

const readAnswers = (answers: AnyAnswers): E.Either<Failure, ReadonlyMap<string, Answer>> =>
  pipe(
    dictionary(Answer).decode(encodeValue(answers)),
    E.mapLeft((errors) => {
      const { loc, message } = firstFault(errors)
      return usage(`${formatLoc(['answers', ...loc])}: ${message}`)
    }),
  )
