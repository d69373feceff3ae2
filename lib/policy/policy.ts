import type { RunAnswer } from '../run/answer'
import type { CalibrationMap } from '../statistics/fits/map'

/** What is done with the answers to each question, by its id. `svc calibrate` makes it from labels. R23 */
export type Policy = ReadonlyMap<string, UsablePolicy>

/** A question's policy, ready to be used. What it takes to apply one is loaded by runs that have one alone. */
export interface UsablePolicy extends QuestionPolicy {
  /** Judges an answer; one that is missing, or of another type, goes to review. */
  readonly apply: (answer: RunAnswer | undefined) => PolicyOutcome
}

/** What a policy makes of one answer. R23 */
export interface PolicyOutcome {
  readonly outcome: 'accept' | 'review'
  /** P(yes), or the probability of each label or level; null where the policy has no map, or the answer no probabilities. */
  readonly calibrated: number | ReadonlyArray<readonly [label: string, probability: number]> | null
}

/** How one question's probabilities are corrected, and from where on its answers are accepted. */
export interface QuestionPolicy {
  readonly type: QuestionType
  /** The digest of the questions as they were asked. R1 */
  readonly questionsSha256: string
  /** The models whose answers it was made from; at least one. */
  readonly models: ReadonlyArray<string>
  /** Null where too little is known; then every answer goes to review. */
  readonly map: CalibrationMap | null
  /** `at` is on the corrected scale: P(yes), or the largest probability. Null sends every answer to review. */
  readonly cut: { readonly at: number | null }
}

/** The types of questions that can be measured. */
export type QuestionType = 'noul' | 'choice' | 'score'

/** A policy as the command line names it. */
export interface GivenPolicy {
  readonly path: string
  readonly questions: Policy
  /** Whether the answers of another model end with 8. */
  readonly pin: boolean
}

/** Whether a policy is for the questions with this digest. */
export const isFor = ({ questions }: GivenPolicy, questionsSha256: string): boolean =>
  [...questions.values()].every((one) => one.questionsSha256 === questionsSha256)
