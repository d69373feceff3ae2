import { descending, type Numbers } from './numbers'

/** Rows with their scores and truth (1 or 0), and their indexes from the highest score to the lowest. */
interface Ranking {
  readonly scores: Numbers
  readonly truth: Numbers
  readonly places: Numbers
}

/** Sorts the rows once, because `rocAuc` and `averagePrecision` are computed for many sets of weights. */
export const rankingOf = (scores: Numbers, truth: Numbers): Ranking => ({
  scores,
  truth,
  places: descending(scores),
})

/**
 * Calls `visit` for each distinct score, from the highest on, with the weights of the positives and the
 * negatives that score at least as high.
 */
const overScores = (
  { scores, truth, places }: Ranking,
  weights: Numbers,
  visit: (positives: number, negatives: number) => void,
): void => {
  let positives = 0
  let negatives = 0
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number
    const weight = weights[place] as number
    if (truth[place] === 1) positives += weight
    else negatives += weight
    if (scores[place] !== scores[places[i + 1] ?? -1]) visit(positives, negatives)
  }
}

/**
 * The area under the ROC curve: the probability that a positive scores above a negative, where ties count half
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
