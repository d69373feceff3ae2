import type { Numbers } from './numbers'

/**
 * The division of rows into units: each group of rows is a unit, and so is each row without a group. The bootstrap draws whole
 * units, and cross-validation does not divide a unit between folds.
 */
export interface Units {
  readonly count: number
  /** The unit of each row, from 0. */
  readonly unitOfRow: Numbers
  readonly isGrouped: boolean
}

/** Creates units for rows without groups. */
export const createRowUnits = (rowCount: number): Units => ({
  count: rowCount,
  unitOfRow: new Uint32Array(rowCount).map((_, i) => i),
  isGrouped: false,
})

/** Creates the units of rows in groups. `groupOfRow` has the group of each row; −1 for none. */
export const createGroupUnits = (groupOfRow: Numbers): Units => {
  const unitOfGroup = new Map<number, number>()
  const unitOfRow = new Uint32Array(groupOfRow.length)
  let count = 0
  for (let i = 0; i < groupOfRow.length; i++) {
    const group = groupOfRow[i] as number
    const unit = unitOfGroup.get(group) ?? count
    unitOfRow[i] = unit
    if (unit === count) count++
    // −1 is not stored, so each row without a group becomes a unit of its own.
    if (group >= 0) unitOfGroup.set(group, unit)
  }
  return { count, unitOfRow, isGrouped: unitOfGroup.size > 0 }
}

/** The sizes of groups, and the correlation within them. */
export interface GroupSpread {
  readonly rowCount: number
  readonly groupCount: number
  /** Σm² over the groups, with m rows in a group. */
  readonly sumOfSquaredSizes: number
  /**
   * The intraclass correlation of being right, at least 0. `undefined` if there are fewer than two groups, if every group has a
   * single row, if all rows are right, or if all rows are wrong.
   */
  readonly correlation: number | undefined
}

/**
 * Measures how rows are spread over groups. The correlation is the ANOVA estimate (B − W) / (B + (m₀ − 1)·W), with the
 * mean squares B between and W within groups, and m₀ = (n − Σm²/n) / (G − 1). `right` is 1 or 0 for each row. `indexes`
 * selects rows; all by default. A row without a group counts as a group. Weights are ignored. Donner, Int. Statist.
 * Rev. 54 (1986).
 */
export const measureGroupSpread = (
  right: Numbers,
  { count, unitOfRow }: Units,
  indexes?: Numbers,
): GroupSpread => {
  const sizes = new Uint32Array(count)
  const rightInUnit = new Float64Array(count)
  const rowCount = indexes?.length ?? right.length
  let totalRight = 0
  for (let i = 0; i < rowCount; i++) {
    const row = indexes?.[i] ?? i
    const unit = unitOfRow[row] as number
    sizes[unit] = (sizes[unit] as number) + 1
    rightInUnit[unit] = (rightInUnit[unit] as number) + (right[row] as number)
    totalRight += right[row] as number
  }
  let groupCount = 0
  let sumOfSquaredSizes = 0
  let squaresBetween = 0
  for (let unit = 0; unit < count; unit++) {
    const size = sizes[unit] as number
    if (size === 0) continue
    groupCount++
    sumOfSquaredSizes += size * size
    squaresBetween += (rightInUnit[unit] as number) ** 2 / size
  }
  const isCorrelationDefined =
    groupCount > 1 && groupCount < rowCount && totalRight > 0 && totalRight < rowCount
  if (!isCorrelationDefined)
    return { rowCount, groupCount, sumOfSquaredSizes, correlation: undefined }
  const between = (squaresBetween - totalRight ** 2 / rowCount) / (groupCount - 1)
  const within = (totalRight - squaresBetween) / (rowCount - groupCount)
  const typicalSize = (rowCount - sumOfSquaredSizes / rowCount) / (groupCount - 1)
  const correlation = Math.max(0, (between - within) / (between + (typicalSize - 1) * within))
  return { rowCount, groupCount, sumOfSquaredSizes, correlation }
}

/**
 * Computes the design effect of groups, 1 + (m′ − 1)·ρ with m′ = Σm²/Σm: the number of rows in groups that give as much
 * evidence as one independent row. `fallbackCorrelation` replaces an undefined correlation ρ. The design effect is 1 if there is at
 * most one group. Kish, Survey Sampling (1965), 5.4.
 */
export const computeDesignEffect = (
  { rowCount, groupCount, sumOfSquaredSizes, correlation }: GroupSpread,
  fallbackCorrelation = 1,
): number =>
  groupCount < 2 ? 1 : 1 + (sumOfSquaredSizes / rowCount - 1) * (correlation ?? fallbackCorrelation)
