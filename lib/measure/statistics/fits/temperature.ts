import { maxTemperature, minTemperature } from '../../../runs/policy/calibration-map'
import type { Numbers, Table } from '../numbers'

const maxSteps = 60

/** The slope and curvature, at 1/T = `inverse`, of the mean log loss of the right columns. */
const derivatives = (
  { values, columns }: Table,
  truth: Numbers,
  weights: Numbers,
  inverse: number,
): readonly [slope: number, curvature: number] => {
  let slope = 0
  let curvature = 0
  for (let row = 0; row < truth.length; row++) {
    const from = row * columns
    let total = 0
    let first = 0
    let second = 0
    for (let k = from; k < from + columns; k++) {
      const log = values[k] as number
      const power = Math.exp(log * inverse)
      total += power
      first += power * log
      second += power * log * log
    }
    const expected = first / total
    const weight = weights[row] as number
    slope += weight * (expected - (values[from + (truth[row] as number)] as number))
    curvature += weight * (second / total - expected * expected)
  }
  return [slope, curvature]
}

/**
 * Finds the temperature at which the right columns are likeliest: the minimum of Σ −w·ln softmax(log p / T),
 * which is convex in 1/T, by Newton's method within a bracket. Guo, Pleiss, Sun and Weinberger (2017). `table`
 * holds logarithms.
 */
export const fitTemperature = (table: Table, truth: Numbers, weights: Numbers): number => {
  let low = 1 / maxTemperature
  let high = 1 / minTemperature
  let inverse = 1
  for (let step = 0; step < maxSteps; step++) {
    const [slope, curvature] = derivatives(table, truth, weights, inverse)
    if (slope === 0) break
    if (slope > 0) high = inverse
    else low = inverse
    const newton = inverse - slope / curvature
    const next = newton > low && newton < high ? newton : (low + high) / 2
    const moved = Math.abs(next - inverse)
    inverse = next
    if (moved < 1e-12) break
  }
  return 1 / inverse
}
