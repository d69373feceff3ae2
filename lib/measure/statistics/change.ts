import { computeEffectiveSize, type Numbers } from './numbers'
import { computeDesignEffect, measureGroupSpread, type Units } from './units'

/** Rows that two models answered, of which a person labelled each. */
export interface PairedResults {
  /** 1 for each row that only the first model answers rightly, else 0. */
  readonly broken: Numbers
  /** 1 for each row that only the second model answers rightly, else 0. */
  readonly fixed: Numbers
  /** The number of rows that each row represents. */
  readonly weights: Numbers
  readonly units: Units
}

/**
 * Computes the one-sided lower bound of a change in accuracy. Of the `n` rows, `brokenShare` is the share that only the first
 * model answers rightly, and `fixedShare` the share that only the second one does. `z` is the normal quantile of the confidence. As in
 * Agresti and Coull's interval (1998), z² rows are added to the observed ones, half of them broken.
 */
export const boundChange = (
  brokenShare: number,
  fixedShare: number,
  n: number,
  z: number,
): number => {
  const rowsWithAdded = n + z * z
  const lost = (brokenShare * n + (z * z) / 2) / rowsWithAdded
  const won = (fixedShare * n) / rowsWithAdded
  const change = won - lost
  return change - z * Math.sqrt((lost + won - change * change) / rowsWithAdded)
}

/**
 * Measures the correlation within groups of being broken and of being fixed, and returns the larger one. `undefined` if
 * neither can be measured.
 */
export const correlateChanges = ({ broken, fixed, units }: PairedResults): number | undefined => {
  const correlations = [broken, fixed]
    .map((changes) => measureGroupSpread(changes, units).correlation)
    .filter((correlation) => correlation !== undefined)
  return correlations.length === 0 ? undefined : Math.max(...correlations)
}

/**
 * Computes the number of independent rows of equal weight that give as much evidence as these rows: at most their number. It is
 * Kish's effective size, divided by the design effect of groups whose rows have this correlation.
 */
export const computeEffectiveRows = (
  { broken, weights, units }: PairedResults,
  correlation: number,
): number => {
  // Only the sizes of the groups are used: `correlation` replaces the correlation of these results.
  const sizes = measureGroupSpread(broken, units)
  const designEffect = computeDesignEffect({ ...sizes, correlation })
  return Math.min(weights.length, computeEffectiveSize(weights) / designEffect)
}
