/**
 * The confidence of a choice among `labels` labels, 0 to 1, whose likeliest label has the probability `top`:
 * (K·top − 1)/(K − 1) for K labels, 1 for a single one. D41
 */
export const choiceConfidence = (top: number, labels: number): number =>
  labels === 1 ? 1 : Math.min(1, Math.max(0, (labels * top - 1) / (labels - 1)))
