/** The probability of each label of a choice, or level of a score. Empty where the service sent none. */
export type Probabilities = ReadonlyArray<readonly [name: string, probability: number]>

/** The level with the largest probability, the lowest of equal ones; `undefined` where there are none. R14 */
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
 * The largest probability, and its margin: how far it is above the second, or all of it where there is no
 * second. `undefined` where there are none. R14, R25
 */
export const leadOf = (
  probabilities: Probabilities,
): { readonly top: number; readonly margin: number } | undefined => {
  const [top, second = 0] = probabilities.map(([, p]) => p).sort((a, b) => b - a)
  return top === undefined ? undefined : { top, margin: top - second }
}

/**
 * The confidence of a choice among `labels` labels, 0 to 1, whose likeliest label has the probability `top`:
 * (K·top − 1)/(K − 1) for K labels, 1 for a single one. D41
 */
export const choiceConfidence = (top: number, labels: number): number =>
  labels === 1 ? 1 : Math.min(1, Math.max(0, (labels * top - 1) / (labels - 1)))
