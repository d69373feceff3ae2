import { clipProbability, minProbability } from '../../runs/policy/calibration-map'
import { mapNumbers, type Numbers, type Table } from './numbers'

/**
 * Computes the Brier loss of each row: (p − y)², with a truth y of 1 or 0. Its mean is scikit-learn's `brier_score_loss`.
 * Brier (1950).
 */
export const brierLosses = (p: Numbers, truth: Numbers): Float64Array =>
  mapNumbers(p, (value, i) => (value - (truth[i] as number)) ** 2)

/** Computes the log loss of each row: −ln of the clipped probability of the truth, which is 1 or 0. scikit-learn: `log_loss` */
export const logLosses = (p: Numbers, truth: Numbers): Float64Array =>
  mapNumbers(
    p,
    (value, i) => -Math.log(truth[i] === 1 ? clipProbability(value) : 1 - clipProbability(value)),
  )

/** Computes the loss of each row of a table. `loss` gets the index of the row's first value, and the row's right column. */
const computeLosses = (
  { values, columns }: Table,
  truth: Numbers,
  loss: (offset: number, right: number) => number,
): Float64Array => {
  const losses = new Float64Array(values.length / columns)
  for (let row = 0; row < losses.length; row++)
    losses[row] = loss(row * columns, truth[row] as number)
  return losses
}

/** Computes the Brier loss over all labels of each row: Σₖ (pₖ − yₖ)², from 0 to 2. `truth` is the right column. Brier (1950). */
export const brierLossesOfAll = (table: Table, truth: Numbers): Float64Array =>
  computeLosses(table, truth, (offset, right) => {
    let loss = 0
    for (let k = 0; k < table.columns; k++)
      loss += ((table.values[offset + k] as number) - (k === right ? 1 : 0)) ** 2
    return loss
  })

/** Computes the log loss of each row: −ln max(p, 0.005) of the right column. Clipped probabilities are not renormalised. */
export const logLossesOfAll = (table: Table, truth: Numbers): Float64Array =>
  computeLosses(
    table,
    truth,
    (offset, right) => -Math.log(Math.max(table.values[offset + right] as number, minProbability)),
  )

/**
 * Computes the ranked probability score of each row: Σₖ (Pₖ − Yₖ)² / (K − 1), with cumulative probabilities P and
 * cumulative truth Y. 0 is best, 1 is worst. Epstein (1969).
 */
export const rankedProbabilityScores = (table: Table, truth: Numbers): Float64Array =>
  computeLosses(table, truth, (offset, right) => {
    let cumulative = 0
    let score = 0
    for (let k = 0; k < table.columns - 1; k++) {
      cumulative += table.values[offset + k] as number
      score += (cumulative - (k >= right ? 1 : 0)) ** 2
    }
    return score / (table.columns - 1)
  })
