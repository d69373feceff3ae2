import { clipProbability, minProbability } from '../../runs/policy/calibration-map'
import { mapNumbers, type Numbers, type Table } from './numbers'

/**
 * The Brier loss (p − y)² of each row, y being 1 or 0; its mean is scikit-learn's `brier_score_loss`. Brier
 * (1950).
 */
export const brierLosses = (p: Numbers, truth: Numbers): Float64Array =>
  mapNumbers(p, (value, i) => (value - (truth[i] as number)) ** 2)

/**
 * Computes the log loss of each row: −ln of the clipped probability of the truth, with y of 1 or 0. scikit-learn:
 * `log_loss`
 */
export const logLosses = (p: Numbers, truth: Numbers): Float64Array =>
  mapNumbers(
    p,
    (value, i) => -Math.log(truth[i] === 1 ? clipProbability(value) : 1 - clipProbability(value)),
  )

/** Computes a number for each row of a table, from the row's offset in the values and its right column. */
const eachRow = (
  { values, columns }: Table,
  truth: Numbers,
  loss: (offset: number, truth: number) => number,
): Float64Array => {
  const losses = new Float64Array(values.length / columns)
  for (let row = 0; row < losses.length; row++)
    losses[row] = loss(row * columns, truth[row] as number)
  return losses
}

/**
 * The Brier loss over all labels of each row, Σₖ (pₖ − yₖ)², from 0 to 2. `truth` is the right column. Brier
 * (1950).
 */
export const brierLossesOfAll = (table: Table, truth: Numbers): Float64Array =>
  eachRow(table, truth, (offset, right) => {
    let loss = 0
    for (let k = 0; k < table.columns; k++)
      loss += ((table.values[offset + k] as number) - (k === right ? 1 : 0)) ** 2
    return loss
  })

/** The log loss of each row, −ln max(p, 0.005) of the right column, not renormalised. */
export const logLossesOfAll = (table: Table, truth: Numbers): Float64Array =>
  eachRow(
    table,
    truth,
    (offset, right) => -Math.log(Math.max(table.values[offset + right] as number, minProbability)),
  )

/**
 * The ranked probability score of each row: Σₖ (Pₖ − Yₖ)² / (K − 1), with cumulative probabilities P and
 * cumulative truth Y. 0 is best, 1 worst. Epstein (1969).
 */
export const rankedProbabilityScores = (table: Table, truth: Numbers): Float64Array =>
  eachRow(table, truth, (offset, right) => {
    let cumulative = 0
    let score = 0
    for (let k = 0; k < table.columns - 1; k++) {
      cumulative += table.values[offset + k] as number
      score += (cumulative - (k >= right ? 1 : 0)) ** 2
    }
    return score / (table.columns - 1)
  })
