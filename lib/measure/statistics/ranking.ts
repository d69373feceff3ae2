import { type Numbers, sortDescending } from './numbers'

/** Rows sorted by score, the highest first, with their truth (1 or 0). */
interface Ranking {
  /** The original index of each row. */
  readonly places: Uint32Array
  /** 1 for the last row of those with equal scores, else 0. */
  readonly ends: Uint8Array
  readonly truth: Uint8Array
}

/** Sorts the rows once, because `rocAuc` and `averagePrecision` are computed for many sets of weights. */
export const rankingOf = (scores: Numbers, truth: Numbers): Ranking => {
  const places = sortDescending(scores)
  const ends = new Uint8Array(places.length)
  const sorted = new Uint8Array(places.length)
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number
    sorted[i] = truth[place] as number
    ends[i] = scores[place] === scores[places[i + 1] ?? -1] ? 0 : 1
  }
  return { places, ends, truth: sorted }
}

/**
 * Calls `visit` for each distinct score, from the highest on, with the weights of the positives and the
 * negatives that score at least as high.
 */
const overScores = (
  { places, ends, truth }: Ranking,
  weights: Numbers,
  visit: (positives: number, negatives: number) => void,
): void => {
  let positives = 0
  let negatives = 0
  for (let i = 0; i < places.length; i++) {
    const weight = weights[places[i] as number] as number
    if (truth[i] === 1) positives += weight
    else negatives += weight
    if (ends[i] === 1) visit(positives, negatives)
  }
}

/**
 * Computes the area under the ROC curve: the probability that a positive scores above a negative; a tie counts half
 * (Mann and Whitney 1947). Null unless there are both. scikit-learn: `roc_auc_score`
 */
export const rocAuc = (ranking: Ranking, weights: Numbers): number | null => {
  let area = 0
  let positivesAbove = 0
  let negativesAbove = 0
  overScores(ranking, weights, (positives, negatives) => {
    area += ((negatives - negativesAbove) * (positives + positivesAbove)) / 2
    positivesAbove = positives
    negativesAbove = negatives
  })
  const pairs = positivesAbove * negativesAbove
  return pairs === 0 ? null : area / pairs
}

/**
 * The average precision, Σ (Rₙ − Rₙ₋₁)·Pₙ over the distinct scores, with precision P and recall R of the rows
 * that score at least as high. Null without positives. scikit-learn: `average_precision_score`
 */
export const averagePrecision = (ranking: Ranking, weights: Numbers): number | null => {
  let total = 0
  let before = 0
  overScores(ranking, weights, (positives, negatives) => {
    if (positives > before) total += ((positives - before) * positives) / (positives + negatives)
    before = positives
  })
  return before === 0 ? null : total / before
}
