import { likeliestLevel, type RunAnswer } from '../run/answer'

/** An answer of a type that can be measured. */
export type KnownAnswer = Exclude<RunAnswer, { readonly type: 'other' }>

/** Whether an answer has a type that can be measured. */
export const isKnown = (answer: RunAnswer): answer is KnownAnswer => answer.type !== 'other'

/**
 * The decision of an answer: `yes` or `no` for a noul (yes from 0.5 on), the chosen label, or the likeliest
 * level of a score. `undefined` for a score without probabilities. R18
 */
export const decisionOf = (answer: KnownAnswer): string | undefined => {
  switch (answer.type) {
    case 'noul':
      return answer.noul >= 0.5 ? 'yes' : 'no'
    case 'choice':
      return answer.choice
    case 'score':
      return likeliestLevel(answer.probabilities)
  }
}

/** The probability of the label or level that an answer decides for; `undefined` where it gives none. */
export const probabilityOfDecision = (answer: KnownAnswer): number | undefined => {
  if (answer.type === 'noul') return Math.max(answer.noul, 1 - answer.noul)
  const decided = decisionOf(answer)
  return answer.probabilities.find(([name]) => name === decided)?.[1]
}
