import type { Random } from '../../runtime/random'
import type { Interval } from './intervals'
import { type Numbers, quantile } from './numbers'
import type { Units } from './units'

/** The figures of a draw by name; null if one is not defined. */
export type Figures = Readonly<Record<string, number | null>>

/** The number of draws: 1,000, or 200 above 20,000 rows. */
export const drawsFor = (rows: number): number => (rows > 20_000 ? 200 : 1000)

interface Plan {
  readonly weights: Numbers
  readonly units: Units
  readonly draws: number
  readonly random: Random
  /** The confidence level of the interval. Default: 0.95. */
  readonly level?: number
}

/**
 * Computes percentile intervals of figures. Each draw takes as many units as there are, with replacement. The weight of
 * a row is multiplied by how often its unit was taken, and `figures` is computed with these weights. Rows that belong
 * together, such as pairs, must be one row. A draw in which a figure is null is left out of that figure's interval. A
 * figure whose draws do not vary gets no interval. Efron (1979); for groups: Davison and Hinkley (1997), 3.8.
 */
export const bootstrap = (
  figures: (weights: Numbers) => Figures,
  { weights, units: { units, unitOf }, draws, random, level = 0.95 }: Plan,
): Readonly<Record<string, Interval>> => {
  const taken = new Uint32Array(units)
  const drawn = new Float64Array(weights.length)
  const seen = new Map<string, number[]>()
  for (let draw = 0; draw < draws; draw++) {
    taken.fill(0)
    for (let i = 0; i < units; i++) {
      const unit = random.below(units)
      taken[unit] = (taken[unit] as number) + 1
    }
    for (let i = 0; i < drawn.length; i++)
      drawn[i] = (weights[i] as number) * (taken[unitOf[i] as number] as number)
    for (const [name, value] of Object.entries(figures(drawn))) {
      if (value === null || !Number.isFinite(value)) continue
      const values = seen.get(name)
      if (values === undefined) seen.set(name, [value])
      else values.push(value)
    }
  }
  const tail = (1 - level) / 2
  return Object.fromEntries(
    [...seen].flatMap(([name, values]) => {
      const sorted = Float64Array.from(values).sort()
      if (isConstant(sorted)) return []
      return [[name, { low: quantile(sorted, tail), high: quantile(sorted, 1 - tail) }]]
    }),
  )
}

/** True if sorted numbers are all the same, apart from rounding errors of sums. */
const isConstant = (sorted: Float64Array): boolean => {
  const [low = 0, high = 0] = [sorted[0], sorted.at(-1)]
  return high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high))
}
