import type { Numbers, Table } from './numbers'

/**
 * Half a rounding step of services that give two decimals: what they call 0.00 may be as likely
 * as this. Log loss and fits take no probability for less. R19
 */
export const clip = 0.005

/** A probability of a yes, within [0.005, 0.995]. R19 */
export const clipped = (p: number): number => Math.min(Math.max(p, clip), 1 - clip)

/** (p − y)² for each row, y 1 or 0; the mean is scikit-learn's `brier_score_loss`. Brier (1950). */
export const brierLosses = (p: Numbers, truth: Numbers): Float64Array =>
  Float64Array.from(p, (value, i) => (value - (truth[i] as number)) ** 2)

/** −ln of the clipped probability of what was true, y 1 or 0. scikit-learn: `log_loss` */
export const logLosses = (p: Numbers, truth: Numbers): Float64Array =>
  Float64Array.from(
    p,
    (value, i) => -Math.log(truth[i] === 1 ? clipped(value) : 1 - clipped(value)),
  )

/** One number for each row of a table, given the row's offset in the values and what was true of it. */
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

/** Σₖ (pₖ − yₖ)² over all labels, from 0 to 2, for each row; `truth` is the right column. Brier (1950). */
export const brierLossesOfAll = (table: Table, truth: Numbers): Float64Array =>
  eachRow(table, truth, (offset, right) => {
    let loss = 0
    for (let k = 0; k < table.columns; k++)
      loss += ((table.values[offset + k] as number) - (k === right ? 1 : 0)) ** 2
    return loss
  })

/** −ln max(p, 0.005) of the right column for each row, not renormalised. R19 */
export const logLossesOfAll = (table: Table, truth: Numbers): Float64Array =>
  eachRow(
    table,
    truth,
    (offset, right) => -Math.log(Math.max(table.values[offset + right] as number, clip)),
  )

/**
 * The ranked probability score of each row: Σₖ (Pₖ − Yₖ)² / (K − 1) over cumulative
 * probabilities P and truth Y. 0 is best, 1 worst. Epstein (1969). R18
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
