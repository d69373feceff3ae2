/** The probability of each label of a choice, or level of a score. Empty if the service sent none. */
export type Probabilities = ReadonlyArray<readonly [name: string, probability: number]>

/** Returns the level with the largest probability; of several such levels the lowest. `undefined` without probabilities. */
export const findLikeliestLevel = (probabilities: Probabilities): string | undefined => {
  let level: string | undefined
  let largest = Number.NEGATIVE_INFINITY
  for (const [name, probability] of probabilities) {
    const isLowerLevel = probability === largest && Number(name) < Number(level)
    if (probability > largest || isLowerLevel) {
      level = name
      largest = probability
    }
  }
  return level
}

/**
 * Returns the largest probability, and its margin: its difference to the second largest, or to 0 if there is no second. `undefined`
 * without probabilities.
 */
export const findTopAndMargin = (
  probabilities: Probabilities,
): { readonly top: number; readonly margin: number } | undefined => {
  const [top, second = 0] = probabilities.map(([, p]) => p).sort((a, b) => b - a)
  return top === undefined ? undefined : { top, margin: top - second }
}

/**
 * Computes the confidence of a choice: (K·top − 1)/(K − 1), limited to the range from 0 to 1. K is `labelCount`, and `top` is the
 * largest probability. So the confidence is 0 if all labels are equally likely. A choice with one label has the confidence 1.
 */
export const computeChoiceConfidence = (top: number, labelCount: number): number =>
  labelCount === 1 ? 1 : Math.min(1, Math.max(0, (labelCount * top - 1) / (labelCount - 1)))

/**
 * Computes the confidence of a score from the probabilities of its levels: 1 − spread / uniform spread, limited to the range from 0 to 1.
 * The spread is the mean distance of a level from the likeliest level, weighted by probability. The uniform spread is the mean distance
 * of a level from the middle of the scale. It is not 0, because a score has at least two levels.
 */
export const computeScoreConfidence = (probabilities: ReadonlyArray<number>): number => {
  const likeliestLevel = probabilities.indexOf(Math.max(...probabilities))
  const middle = (probabilities.length - 1) / 2
  let spread = 0
  let distanceSum = 0
  for (const [level, probability] of probabilities.entries()) {
    spread += probability * Math.abs(level - likeliestLevel)
    distanceSum += Math.abs(level - middle)
  }
  const uniformSpread = distanceSum / probabilities.length
  return Math.min(1, Math.max(0, 1 - spread / uniformSpread))
}
