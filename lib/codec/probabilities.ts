/** The probability of each label of a choice, or level of a score. Empty if the service sent none. */
export type Probabilities = ReadonlyArray<readonly [name: string, probability: number]>

/** Returns the level with the largest probability, the lowest of equal ones. `undefined` if there are none. */
export const likeliestLevel = (probabilities: Probabilities): string | undefined => {
  let level: string | undefined
  let largest = Number.NEGATIVE_INFINITY
  for (const [name, p] of probabilities) {
    if (p > largest || (p === largest && Number(name) < Number(level))) {
      level = name
      largest = p
    }
  }
  return level
}

/**
 * Returns the largest probability and its margin, the difference to the second largest (0 if there is only one).
 * `undefined` if there are none.
 */
export const leadOf = (
  probabilities: Probabilities,
): { readonly top: number; readonly margin: number } | undefined => {
  const [top, second = 0] = probabilities.map(([, p]) => p).sort((a, b) => b - a)
  return top === undefined ? undefined : { top, margin: top - second }
}

/**
 * Computes the confidence of a choice, 0 to 1: (K·top − 1)/(K − 1) for K labels of which the likeliest has the probability
 * `top`. 1 for a single label.
 */
export const choiceConfidence = (top: number, labels: number): number =>
  labels === 1 ? 1 : Math.min(1, Math.max(0, (labels * top - 1) / (labels - 1)))

/** Computes the confidence of a score: 1 − E|i − mode| / mean|i − (K−1)/2| for K levels, at least 0. */
export const scoreConfidence = (probabilities: ReadonlyArray<number>): number => {
  const k = probabilities.length
  const mode = probabilities.indexOf(Math.max(...probabilities))
  const spread = probabilities.reduce((sum, p, i) => sum + p * Math.abs(i - mode), 0)
  const flat = probabilities.reduce((sum, _, i) => sum + Math.abs(i - (k - 1) / 2), 0) / k
  return Math.min(1, Math.max(0, 1 - spread / flat))
}
