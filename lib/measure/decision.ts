import type { Answer } from '../codec/answer'
import { findLikeliestLevel, type Probabilities } from '../codec/probabilities'
import { maxLevels } from '../codec/question'
import type { Label } from '../runs/record/decode'

/** An answer that can be measured: a noul (the answer to a yes/no question), a choice or a score. */
export type KnownAnswer = Exclude<Answer, { readonly type: 'refusal' | 'other' }>

export const isKnown = (answer: Answer): answer is KnownAnswer =>
  answer.type !== 'refusal' && answer.type !== 'other'

/**
 * Returns the decision of an answer: `yes` or `no` for a noul (yes from 0.5 on), the chosen label, or the likeliest level of a
 * score. `undefined` for a score without probabilities.
 */
export const decisionOf = (answer: KnownAnswer): string | undefined => {
  switch (answer.type) {
    case 'noul':
      return answer.noul >= 0.5 ? 'yes' : 'no'
    case 'choice':
      return answer.choice
    case 'score':
      return findLikeliestLevel(answer.probabilities)
  }
}

/** Returns the probability of the decision of an answer; `undefined` if the answer has none. */
export const probabilityOfDecision = (answer: KnownAnswer): number | undefined => {
  const decision = decisionOf(answer)
  const [, probability] = distributionOf(answer).find(([label]) => label === decision) ?? []
  return probability
}

/** Returns the probabilities of an answer by label. Empty if it has none. A noul has those of `no` and `yes`. */
export const distributionOf = (answer: KnownAnswer): Probabilities => {
  if (answer.type !== 'noul') return answer.probabilities
  return [
    ['no', 1 - answer.noul],
    ['yes', answer.noul],
  ]
}

/**
 * Returns the decision that a person's label says is right: `yes` or `no` for true or false, the label of a choice, or the
 * level of a score. `undefined` if the label does not fit the question type.
 */
export const decisionByLabel = (type: KnownAnswer['type'], label: Label): string | undefined => {
  switch (type) {
    case 'noul':
      if (typeof label !== 'boolean') return undefined
      return label ? 'yes' : 'no'
    case 'choice':
      return typeof label === 'string' ? label : undefined
    case 'score': {
      const isLevel = Number.isInteger(label) && Number(label) >= 0 && Number(label) < maxLevels
      return isLevel ? String(label) : undefined
    }
  }
}

/** Returns the decision that a label names, for a refusal, whose question type is not known. */
export const nameLabel = (label: Label): string => {
  if (typeof label === 'boolean') return label ? 'yes' : 'no'
  return String(label)
}
