import { type Numbers, sortDescending } from './numbers'

/** Rows in descending order of their scores, such as the probability of a yes. */
interface Ranking {
  /** The index of each row before sorting. */
  readonly indexes: Uint32Array
  /** 1 if the next row has a lower score, or if there is no next row; else 0. */
  readonly isLastOfTie: Uint8Array
  /** The truth of the sorted rows: 1 for positives, 0 for negatives. */
  readonly truth: Uint8Array
}

/** Ranks rows by score. `truth` is 1 for positives, 0 for negatives. A ranking can be reused for many sets of weights. */
export const rankRows = (scores: Numbers, truth: Numbers): Ranking => {
  const indexes = sortDescending(scores)
  const isLastOfTie = new Uint8Array(indexes.length)
  const sortedTruth = new Uint8Array(indexes.length)
  for (let i = 0; i < indexes.length; i++) {
    const index = indexes[i] as number
    const nextIndex = indexes[i + 1]
    const isTiedWithNext = nextIndex !== undefined && scores[index] === scores[nextIndex]
    sortedTruth[i] = truth[index] as number
    isLastOfTie[i] = isTiedWithNext ? 0 : 1
  }
  return { indexes, isLastOfTie, truth: sortedTruth }
}

/**
 * Computes the area under the ROC curve: the probability that a positive scores above a negative. Ties count half. Null
 * without positives or without negatives. Mann and Whitney (1947); scikit-learn: `roc_auc_score`
 */
export const rocAuc = (ranking: Ranking, weights: Numbers): number | null => {
  const { indexes, isLastOfTie, truth } = ranking
  let area = 0
  // The weights of the positives and negatives so far, and of those with a higher score.
  let positives = 0
  let negatives = 0
  let higherPositives = 0
  let higherNegatives = 0
  for (let i = 0; i < indexes.length; i++) {
    const weight = weights[indexes[i] as number] as number
    if (truth[i] === 1) positives += weight
    else negatives += weight
    if (isLastOfTie[i] === 0) continue
    // Each negative of this tie is below the positives with a higher score. Those in the tie count half, so it is below
    // higherPositives + (positives − higherPositives) / 2 positives.
    area += ((negatives - higherNegatives) * (positives + higherPositives)) / 2
    higherPositives = positives
    higherNegatives = negatives
  }
  const pairs = positives * negatives
  return pairs === 0 ? null : area / pairs
}

/**
 * Computes the average precision: Σ (Rₙ − Rₙ₋₁)·Pₙ over the distinct scores in descending order, with the precision P
 * and recall R of the rows at or above the score. Null without positives. scikit-learn: `average_precision_score`
 */
export const averagePrecision = (ranking: Ranking, weights: Numbers): number | null => {
  const { indexes, isLastOfTie, truth } = ranking
  let total = 0
  // The weights of the positives and negatives so far, and of the positives with a higher score.
  let positives = 0
  let negatives = 0
  let higherPositives = 0
  for (let i = 0; i < indexes.length; i++) {
    const weight = weights[indexes[i] as number] as number
    if (truth[i] === 1) positives += weight
    else negatives += weight
    if (isLastOfTie[i] === 0) continue
    if (positives > higherPositives)
      total += ((positives - higherPositives) * positives) / (positives + negatives)
    higherPositives = positives
  }
  return positives === 0 ? null : total / positives
}
