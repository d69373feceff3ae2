import type { Answer } from '../../codec/answer'

/** The policy of one question: a map that calibrates probabilities, and a cut. Answers at or above the cut are accepted. */
export interface QuestionPolicy {
  readonly type: QuestionType
  /** The SHA-256 of the set of questions that the policy was derived for. */
  readonly questionsSha256: string
  /** The models whose answers the policy was derived from. There is at least one. */
  readonly models: ReadonlyArray<string>
  /** Null if there were too few correct answers to derive a map. Every answer then goes to review. */
  readonly map: CalibrationMap | null
  /** `at` is the lowest value that is accepted. Null sends every answer to review by a person. */
  readonly cut: { readonly at: number | null }
}

/** The types of questions that can be measured and can have a policy. A noul is a yes/no question. */
export type QuestionType = 'noul' | 'choice' | 'score'

/**
 * A map that calibrates the probabilities of answers to a question: `platt` for a noul, `temperature` for a choice or score. `none`
 * leaves them unchanged.
 */
export type CalibrationMap =
  | { readonly method: 'none' }
  | ({ readonly method: 'platt' } & Platt)
  | { readonly method: 'temperature'; readonly temperature: number }

export const calibrationMethods = ['none', 'platt', 'temperature'] as const

export type CalibrationMethod = (typeof calibrationMethods)[number]

/** Platt scaling: p becomes 1 / (1 + e^−(slope·logit p + intercept)). */
export interface Platt {
  readonly slope: number
  readonly intercept: number
}

/** The policy of a question that was read from a file. */
export interface UsablePolicy extends QuestionPolicy {
  readonly scale: CutScale
  /**
   * Judges an answer. An answer that is missing or of another type goes to review. This is a member, and not a function to import, so
   * that a command without a policy does not load its code.
   */
  readonly apply: (answer: Answer | undefined) => PolicyOutcome
}

/** The names of the scales in `policy.json`. */
export const cutScales = ['noul', 'top'] as const

/**
 * The value of an answer that is compared with the cut. `noul` is the calibrated probability of a yes. `top` is the largest
 * calibrated probability, so a confident no is accepted like a confident yes.
 */
export type CutScale = (typeof cutScales)[number]

/** The judgement of a policy on one answer. */
export interface PolicyOutcome {
  readonly outcome: 'accept' | 'review'
  /** `true` for a yes: the calibrated probability of a yes is at least 0.5. Present only for a noul with the scale `top`. */
  readonly decision?: boolean
  /**
   * The calibrated probability of a yes, or of each label or level. Null if the policy has no map, or if the answer is missing, of
   * another type or without probabilities.
   */
  readonly calibrated: number | ReadonlyArray<readonly [label: string, probability: number]> | null
}

/** The policies for the answers to several questions, by question id. `svc calibrate` derives them from labels. */
export type AnswerPolicies = ReadonlyMap<string, UsablePolicy>

/** The policy file of `--policy`. */
export interface LoadedPolicy {
  readonly path: string
  readonly policies: AnswerPolicies
  /** `true` with `--pin`: the exit code is 8 if another model answered. */
  readonly pin: boolean
}

/** Returns `true` if all policies were derived for the questions with this digest. */
export const isPolicyFor = (
  { policies }: Pick<LoadedPolicy, 'policies'>,
  questionsSha256: string,
): boolean => [...policies.values()].every((policy) => policy.questionsSha256 === questionsSha256)
