import { clip, clipProbability } from '../losses'
import type { Numbers, Table } from '../numbers'

/** The lowest and highest temperatures. Beyond them every distribution is practically one label, or uniform. */
export const coldest = 0.05
export const hottest = 20

const maxSteps = 60

/** The natural logarithm of a probability, which is raised to at least 0.005. R19 */
export const logOf = (p: number): number => Math.log(Math.max(p, clip))

/** The logarithms of probabilities of yes, clipped to [0.005, 0.995], in the columns no and yes. */
export const logsOfYes = (p: Numbers): Table => {
  const values = new Float64Array(p.length * 2)
  for (let i = 0; i < p.length; i++) {
    const yes = clipProbability(p[i] as number)
    values[2 * i] = Math.log(1 - yes)
    values[2 * i + 1] = Math.log(yes)
  }
  return { values, columns: 2 }
}

/**
 * Turns the probabilities from the place `from` up to `end` into softmax(log p / T), in their place. T above 1 makes a
 * source less certain, below 1 more.
 */
export const temperRow = (
  values: Float64Array,
  from: number,
  end: number,
  temperature: number,
): void => {
  let largest = logOf(0)
  for (let k = from; k < end; k++) largest = Math.max(largest, logOf(values[k] as number))
  let total = 0
  for (let k = from; k < end; k++) {
    values[k] = power(logOf(values[k] as number), largest, temperature)
    total += values[k] as number
  }
  for (let k = from; k < end; k++) values[k] = (values[k] as number) / total
}

/** Turns the probability of a yes into that of softmax(log p / T) over no and yes. */
export const temperYes = (p: number, temperature: number): number => {
  const yes = clipProbability(p)
  const [ofNo, ofYes] = [Math.log(1 - yes), Math.log(yes)]
  const largest = Math.max(ofNo, ofYes)
  const raised = power(ofYes, largest, temperature)
  return raised / (power(ofNo, largest, temperature) + raised)
}

/** exp((log − largest) / T). Subtracted before it is divided: a tiny temperature would make both sides infinite. */
const power = (log: number, largest: number, temperature: number): number =>
  Math.exp((log - largest) / temperature)

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
  let low = 1 / hottest
  let high = 1 / coldest
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
