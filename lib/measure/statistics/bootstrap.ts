import type { Random } from '../../runtime/random'
import type { Interval } from './intervals'
import { type Numbers, quantile } from './numbers'
import type { Units } from './units'

/** Figures by name. A figure that is undefined for the rows is null. */
export type Figures = Readonly<Record<string, number | null>>

/** Returns the number of bootstrap draws for a number of rows. Large runs get fewer, to save time. */
export const countDraws = (rows: number): number => (rows > 20_000 ? 200 : 1000)

/** The rows to resample, and how. */
interface BootstrapPlan {
  readonly weights: Numbers
  readonly units: Units
  readonly draws: number
  readonly random: Random
  /** The confidence level of the interval. Default: 0.95. */
  readonly level?: number
}

/**
 * Computes percentile intervals of figures. Each draw resamples the units (groups, or single rows) with replacement: the weight of a
 * row is multiplied by the number of times its unit was drawn, and `measure` computes the figures with these weights. Draws in
 * which a figure is null or not a finite number do not count for that figure. A figure has no interval if no draw counts, or if it is
 * equal in all draws that count. Efron (1979); for groups: Davison and Hinkley (1997), 3.8.
 */
export const bootstrapIntervals = (
  measure: (weights: Numbers) => Figures,
  plan: BootstrapPlan,
): Readonly<Record<string, Interval>> => {
  const { draws, level = 0.95 } = plan
  const valuesByFigure = new Map<string, number[]>()
  // All draws reuse this array, since it is large for large runs.
  const drawnWeights = new Float64Array(plan.weights.length)
  for (let draw = 0; draw < draws; draw++) {
    resampleWeights(plan, drawnWeights)
    for (const [name, value] of Object.entries(measure(drawnWeights))) {
      if (value === null || !Number.isFinite(value)) continue
      const values = valuesByFigure.get(name)
      if (values === undefined) valuesByFigure.set(name, [value])
      else values.push(value)
    }
  }
  const tail = (1 - level) / 2
  const intervals: Record<string, Interval> = {}
  for (const [name, values] of valuesByFigure) {
    const sorted = Float64Array.from(values).sort()
    if (isConstant(sorted)) continue
    intervals[name] = { low: quantile(sorted, tail), high: quantile(sorted, 1 - tail) }
  }
  return intervals
}

/** Draws units with replacement. Sets `drawnWeights` to the weight of each row times the number of times its unit was drawn. */
const resampleWeights = (
  { weights, units, random }: BootstrapPlan,
  drawnWeights: Float64Array,
): void => {
  const timesDrawn = new Uint32Array(units.count)
  for (let i = 0; i < units.count; i++) {
    const unit = random.nextInt(units.count)
    timesDrawn[unit] = (timesDrawn[unit] as number) + 1
  }
  for (let row = 0; row < drawnWeights.length; row++) {
    const unit = units.unitOfRow[row] as number
    drawnWeights[row] = (weights[row] as number) * (timesDrawn[unit] as number)
  }
}

/** Figures of two draws count as equal up to this relative difference, which rounding errors of sums can cause. */
const roundingTolerance = 1e-12

/** Returns `true` if sorted numbers, at least one, are equal, apart from rounding errors. */
const isConstant = (sorted: Float64Array): boolean => {
  const low = sorted[0] as number
  const high = sorted.at(-1) as number
  return high - low <= roundingTolerance * Math.max(Math.abs(low), Math.abs(high))
}
