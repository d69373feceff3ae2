import type { Answer } from '../../codec/answer'
import type { CalibrationMap } from './calibration-map'

/** The policy for the answers to each question, by question id. `svc calibrate` derives it from labels. */
export type AnswerPolicies = ReadonlyMap<string, UsablePolicy>

/**
 * The policy of a question, ready to be applied. The code that applies it is loaded only by runs that have a
 * policy, which is why `apply` comes with the data.
 */
export interface UsablePolicy extends QuestionPolicy {
  readonly scale: CutScale
  /** Judges an answer. An answer that is missing or of another type goes to review. */
  readonly apply: (answer: Answer | undefined) => PolicyOutcome
}

/**
 * The value that a cut compares: `noul` is the corrected P(yes) of a noul; `top` is the largest corrected probability, which
 * accepts a sure no like a sure yes.
 */
export type CutScale = (typeof scales)[number]

/** The names of the scales in `policy.json`. */
export const scales = ['noul', 'top'] as const

/** The judgement of a policy on one answer. */
export interface PolicyOutcome {
  readonly outcome: 'accept' | 'review'
  /** `true` if the corrected P(yes) is at least 0.5. Only for a noul whose cut is on `top`, which accepts a no too. */
  readonly decision?: boolean
  /**
   * The corrected P(yes), or the corrected probability of each label or level. Null if the policy has no map, or the
   * answer no probabilities.
   */
  readonly calibrated: number | ReadonlyArray<readonly [label: string, probability: number]> | null
}

/** The map that corrects the probabilities of one question, and the cut at or above which its answers are accepted. */
export interface QuestionPolicy {
  readonly type: QuestionType
  /** The digest of the set of questions that were asked. */
  readonly questionsSha256: string
  /** The models whose answers the policy was derived from; at least one. */
  readonly models: ReadonlyArray<string>
  /** Null if there were too few labels; every answer then goes to review. */
  readonly map: CalibrationMap | null
  /** `at` is the minimum on the scale that is accepted. Null sends every answer to review. */
  readonly cut: { readonly at: number | null }
}

/** The types of questions that can be measured. */
export type QuestionType = 'noul' | 'choice' | 'score'

/** The policy of `--policy`. */
export interface GivenPolicy {
  readonly path: string
  readonly questions: AnswerPolicies
  /** `true` if answers of another model make the exit code 8: `--pin`. */
  readonly pin: boolean
}

/** Returns `true` if a policy was made for the questions with this digest. */
export const isFor = (
  { questions }: Pick<GivenPolicy, 'questions'>,
  questionsSha256: string,
): boolean => [...questions.values()].every((policy) => policy.questionsSha256 === questionsSha256)
