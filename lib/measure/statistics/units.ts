import type { Numbers } from './numbers'

/**
 * The units that a bootstrap draws and that folds keep together: `units` of them, and the unit of each row. A group
 * is one unit. A row without a group is a unit too.
 */
export interface Units {
  readonly units: number
  readonly unitOf: Numbers
  /** True if any row has a group. If not, every row is a unit. */
  readonly isGrouped: boolean
}

/** Makes each of `rows` rows a unit. */
export const unitsOfRows = (rows: number): Units => ({
  units: rows,
  unitOf: new Uint32Array(rows).map((_, i) => i),
  isGrouped: false,
})

/** Makes each group a unit, and each row that has no group (−1). */
export const unitsOfGroups = (groups: Numbers): Units => {
  const unitOfGroup = new Map<number, number>()
  const unitOf = new Uint32Array(groups.length)
  let units = 0
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] as number
    const known = group < 0 ? undefined : unitOfGroup.get(group)
    unitOf[i] = known ?? units
    if (known === undefined) {
      if (group >= 0) unitOfGroup.set(group, units)
      units++
    }
  }
  return { units, unitOf, isGrouped: unitOfGroup.size > 0 }
}

/** The sizes of groups, and the correlation within them. */
interface Spread {
  readonly rows: number
  readonly groups: number
  /** Σm², with m rows in a group. */
  readonly squares: number
  /**
   * The intraclass correlation of being right, at least 0. `undefined` if it cannot be told: all rows are
   * right, all are wrong, or no group has two rows.
   */
  readonly correlation: number | undefined
}

/**
 * Measures how the rows at `places` are spread over groups. The correlation is the ANOVA estimate (B − W) / (B + (m₀ −
 * 1)·W), with the mean squares B between and W within groups and m₀ = (n − Σm²/n) / (G − 1). `right` is 1 or 0. Rows
 * count unweighted. Donner, Int. Statist. Rev. 54 (1986).
 */
export const measureSpread = (
  right: Numbers,
  { units, unitOf }: Units,
  places: Numbers | undefined,
): Spread => {
  const sizes = new Uint32Array(units)
  const rightOf = new Float64Array(units)
  const rows = places === undefined ? right.length : places.length
  let allRight = 0
  for (let i = 0; i < rows; i++) {
    const row = places === undefined ? i : (places[i] as number)
    const unit = unitOf[row] as number
    const one = right[row] as number
    sizes[unit] = (sizes[unit] as number) + 1
    rightOf[unit] = (rightOf[unit] as number) + one
    allRight += one
  }
  let groups = 0
  let squares = 0
  let explained = 0
  for (let unit = 0; unit < units; unit++) {
    const size = sizes[unit] as number
    if (size === 0) continue
    groups++
    squares += size * size
    explained += (rightOf[unit] as number) ** 2 / size
  }
  const isTold = groups > 1 && groups < rows && allRight > 0 && allRight < rows
  if (!isTold) return { rows, groups, squares, correlation: undefined }
  const between = (explained - allRight ** 2 / rows) / (groups - 1)
  const inside = (allRight - explained) / (rows - groups)
  const typical = (rows - squares / rows) / (groups - 1)
  const correlation = Math.max(0, (between - inside) / (between + (typical - 1) * inside))
  return { rows, groups, squares, correlation }
}

/**
 * Computes the number of rows in groups that give as much evidence as one independent row: 1 + (m′ − 1)·ρ with m′ =
 * Σm²/Σm. `fallback` is ρ if the spread has none. Kish, Survey Sampling (1965), 5.4.
 */
export const designEffectOf = (
  { rows, groups, squares, correlation }: Spread,
  fallback = 1,
): number => (groups < 2 ? 1 : 1 + (squares / rows - 1) * (correlation ?? fallback))
