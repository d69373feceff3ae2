import type { Interval } from './intervals'
import { type Numbers, quantile } from './numbers'
import type { Random } from './random'

/** The figures of a draw by name; null where one is not defined. */
export type Figures = Readonly<Record<string, number | null>>

/** The units that are drawn: `units` groups of rows (a single row counts as one), and the group of each row. */
export interface Units {
  readonly units: number
  readonly unitOf: Numbers
}

/** Units of one row each. */
export const singly = (rows: number): Units => ({
  units: rows,
  unitOf: Uint32Array.from({ length: rows }, (_, i) => i),
})

/** The units of rows in groups: each group, and each row that has no group (−1). R19 */
export const grouped = (groups: Numbers): Units => {
  const unitOfGroup = new Map<number, number>()
  let units = 0
  const unitOf = Uint32Array.from(groups, (group) => {
    const known = unitOfGroup.get(group)
    if (known !== undefined) return known
    if (group >= 0) unitOfGroup.set(group, units)
    return units++
  })
  return { units, unitOf }
}

/** The number of draws: 1,000, or 200 above 20,000 rows. R19 */
export const drawsFor = (rows: number): number => (rows > 20_000 ? 200 : 1000)

/**
 * Computes percentile intervals (2.5 % to 97.5 %) of figures. Each draw takes as many units as there are, with
 * replacement. The weight of a row is multiplied by how often its unit was taken, and `figures` is computed
 * with these weights. Rows that belong together, such as pairs, must be one row. A draw in which a figure is
 * null is left out of that figure's interval. Efron (1979); for groups: Davison and Hinkley (1997), 3.8. R19
 */
export const bootstrap = (
  figures: (weights: Numbers) => Figures,
  weights: Numbers,
  { units, unitOf }: Units,
  draws: number,
  random: Random,
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
  return Object.fromEntries(
    [...seen].map(([name, values]) => {
      const sorted = Float64Array.from(values).sort()
      return [name, { low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) }]
    }),
  )
}
