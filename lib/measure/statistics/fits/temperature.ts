import { maxTemperature, minTemperature } from '../../../runs/policy/calibration-map'
import { type Numbers, pickColumns, type Table } from '../numbers'

/** Prevents an endless loop. Halving the bracket 60 times reaches the precision of a double. */
const maxSteps = 60

/**
 * Computes the first and second derivative of the log loss with respect to 1/T, at `inverseTemperature`. The table has logarithms of
 * probabilities, and `rightLogs` has the logarithm for the right column of each row.
 */
const computeDerivatives = (
  { values, columns }: Table,
  rightLogs: Numbers,
  weights: Numbers,
  inverseTemperature: number,
): { readonly first: number; readonly second: number } => {
  let first = 0
  let second = 0
  for (let row = 0; row < rightLogs.length; row++) {
    const start = row * columns
    // Sums over the columns, with q = p^(1/T): Σ q, Σ q·ln p and Σ q·(ln p)².
    let total = 0
    let totalLog = 0
    let totalSquare = 0
    for (let k = start; k < start + columns; k++) {
      const log = values[k] as number
      const power = Math.exp(log * inverseTemperature)
      total += power
      totalLog += power * log
      totalSquare += power * log * log
    }
    const meanLog = totalLog / total
    const weight = weights[row] as number
    first += weight * (meanLog - (rightLogs[row] as number))
    second += weight * (totalSquare / total - meanLog * meanLog)
  }
  return { first, second }
}

/**
 * Fits a temperature T by maximum likelihood: minimises Σ −w·ln softmax(log p / T) of the right columns, which is convex in
 * 1/T, by Newton's method within a bracket. `logs` has the logarithms of the probabilities. Guo, Pleiss, Sun and Weinberger
 * (2017).
 */
export const fitTemperature = (logs: Table, truth: Numbers, weights: Numbers): number =>
  fitTemperatureToLogs(logs, pickColumns(logs, truth), weights)

/**
 * Fits a temperature like `fitTemperature`. `rightLogs` has the logarithm for the right column of each row, or, if the truth of a row
 * is only known as probabilities, the mean of the logarithms by these probabilities.
 */
export const fitTemperatureToLogs = (logs: Table, rightLogs: Numbers, weights: Numbers): number => {
  let low = 1 / maxTemperature
  let high = 1 / minTemperature
  // The start leaves probabilities as they are.
  let inverseTemperature = 1
  for (let step = 0; step < maxSteps; step++) {
    const { first, second } = computeDerivatives(logs, rightLogs, weights, inverseTemperature)
    if (first === 0) break
    // The loss is convex, so the minimum is below a point with a positive derivative, and above one with a negative derivative.
    if (first > 0) high = inverseTemperature
    else low = inverseTemperature
    const newton = inverseTemperature - first / second
    // A Newton step that would leave the bracket is replaced by the middle of the bracket.
    const next = newton > low && newton < high ? newton : (low + high) / 2
    const stepSize = Math.abs(next - inverseTemperature)
    inverseTemperature = next
    if (stepSize < 1e-12) break
  }
  return 1 / inverseTemperature
}
