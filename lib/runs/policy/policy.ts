import type { Answer } from '../../codec/answer'
import type { CalibrationMap } from './calibration-map'

/** What to do with the answers to each question, by question id. `svc calibrate` derives it from labels. */
export type AnswerPolicies = ReadonlyMap<string, UsablePolicy>

/**
 * The policy of a question, ready to be applied. The code that applies it is loaded only by runs that have a
 * policy, which is why `apply` comes with the data.
 */
export interface UsablePolicy extends QuestionPolicy {
  readonly scale: Scale
  /** Judges an answer. An answer that is missing or of another type goes to review. */
  readonly apply: (answer: Answer | undefined) => PolicyOutcome
}

/**
 * What a cut is on: the corrected P(yes) of a noul, or the largest corrected probability, so that a sure no is accepted
 * like a sure yes.
 */
export type Scale = (typeof scales)[number]

/** The names of the scales in `policy.json`. */
export const scales = ['noul', 'top'] as const

/** The judgement of a policy on one answer. */
export interface PolicyOutcome {
  readonly outcome: 'accept' | 'review'
  /** Whether the answer is yes, by the corrected P(yes); for a noul whose cut is on `top`, which accepts a no too. */
  readonly decision?: boolean
  /**
   * The corrected P(yes), or probability of each label or level. Null where the policy has no map, or the
   * answer no probabilities.
   */
  readonly calibrated: number | ReadonlyArray<readonly [label: string, probability: number]> | null
}

/** How the probabilities of one question are corrected, and from what value on its answers are accepted. */
export interface QuestionPolicy {
  readonly type: QuestionType
  /** The digest of the set of questions that were asked. */
  readonly questionsSha256: string
  /** The models whose answers the policy was derived from; at least one. */
  readonly models: ReadonlyArray<string>
  /** Null where there were too few labels; every answer then goes to review. */
  readonly map: CalibrationMap | null
  /** `at` is the least value on the scale that is accepted. Null sends every answer to review. */
  readonly cut: { readonly at: number | null }
}

/** The types of questions that can be measured. */
export type QuestionType = 'noul' | 'choice' | 'score'

/** A policy that was given on the command line. */
export interface GivenPolicy {
  readonly path: string
  readonly questions: AnswerPolicies
  /** `--pin`: whether answers of another model make the exit code 8. */
  readonly pin: boolean
}

/** Whether a policy was made for the questions with this digest. */
export const isFor = (
  { questions }: Pick<GivenPolicy, 'questions'>,
  questionsSha256: string,
): boolean => [...questions.values()].every((one) => one.questionsSha256 === questionsSha256)
