import { boundChange, computeEffectiveRows, correlateChanges, type PairedResults } from './change'
import { type Interval, normalQuantile, wilsonInterval } from './intervals'
import { computeEffectiveSize, weightedMean } from './numbers'
import { computeDesignEffect, measureGroupSpread, type Units } from './units'

/**
 * The answers of a cheap model and of an expensive one to the same rows. In a cascade, the cheap model answers the rows of which it
 * is sure, and the expensive one answers the others.
 */
interface CascadeData {
  /** The largest probability in the cheap answer to each row; 0 for a refusal. */
  readonly topProbability: ReadonlyArray<number>
  /** The indexes of the labelled rows in `topProbability`. The lists below have one entry for each labelled row. */
  readonly labelledIndexes: ReadonlyArray<number>
  /** 1 if the cheap answer is right, else 0. */
  readonly cheapRight: ReadonlyArray<number>
  /** 1 if the expensive answer is right, else 0. */
  readonly expensiveRight: ReadonlyArray<number>
  /** The number of rows that the labelled row represents. */
  readonly weights: ReadonlyArray<number>
  readonly units: Units
}

/** The requirements of a cascade. */
export interface CascadeTarget {
  /** The maximum loss of accuracy compared with the expensive model, for example 0.02. */
  readonly margin: number
  /** The confidence that no more accuracy is lost, for example 0.95. */
  readonly confidence: number
}

/** The figures of one threshold. Members have the names of the document of `svc cascade`. */
export type CascadePoint = {
  /**
   * The threshold: the cheap model answers the rows with at least this top probability. Null if the expensive model answers every
   * row.
   */
  readonly at: number | null
  /** The share of all rows that the expensive model answers. */
  readonly asked: number
  /** The share of all rows that the cascade answers rightly, estimated from the labelled rows. */
  readonly accuracy: number
  /** The 95 % interval of the accuracy. */
  readonly interval: Interval
  /** The accuracy minus that of asking the expensive model for every row. */
  readonly change: number
  /** The lower bound of `change`, at the confidence of the target. */
  readonly low: number
}

/** The tested thresholds of a cascade, and the cut: the threshold that is proven to lose at most the margin. */
export interface CascadeCurve {
  /** The minimum number of labelled rows for a cut, which is enough if both models are right in the same rows. */
  readonly needs: number
  /** The thresholds in the order of the tests. Before them, the first point is that of asking the expensive model for every row. */
  readonly points: ReadonlyArray<CascadePoint>
  /** The last threshold that passed its test. Null if the first test failed, or if there are too few groups. */
  readonly cut: CascadePoint | null
  /** The number of groups of equal size that give as much evidence as the groups; `undefined` if rows have no groups. */
  readonly effectiveGroups: number | undefined
}

/** The minimum effective number of groups for a cut. In simulations the bound is too optimistic with fewer. */
export const minEffectiveGroups = 30

/**
 * Finds the lowest threshold at which the cheap model may replace the expensive one with a loss of accuracy of at most the margin.
 * Needs at least one labelled row.
 *
 * The thresholds do not depend on the labels, and are tested in descending order until one fails (fixed sequence testing:
 * Maurer, Hothorn and Lehmacher 1995). A threshold passes if the one-sided lower bound of the change in accuracy is at
 * least −margin. The bound is that of a difference of paired shares, with added rows as in Agresti and Coull (1998).
 * Weights and groups reduce the number of rows that it is computed with (Kish 1965).
 */
export const traceCascade = (data: CascadeData, target: CascadeTarget): CascadeCurve => {
  const z = normalQuantile(target.confidence)
  const onlyExpensive: CascadePoint = {
    at: null,
    asked: 1,
    accuracy: weightedMean(data.expensiveRight, data.weights),
    interval: computeAccuracyInterval(data, data.expensiveRight),
    change: 0,
    low: 0,
  }
  const points = listThresholds(data.topProbability).map((at) => measurePoint(data, at, z))
  const { rowCount, sumOfSquaredSizes } = measureGroupSpread(data.cheapRight, data.units)
  const effectiveGroups = data.units.isGrouped ? rowCount ** 2 / sumOfSquaredSizes : undefined
  const hasEnoughGroups = effectiveGroups === undefined || effectiveGroups >= minEffectiveGroups
  const firstFailedIndex = points.findIndex(({ low }) => low < -target.margin)
  const passed = firstFailedIndex === -1 ? points : points.slice(0, firstFailedIndex)
  const cut = hasEnoughGroups ? passed.at(-1) : undefined
  return {
    needs: findMinRowsForCut(target.margin, z),
    points: [onlyExpensive, ...points],
    cut: cut ?? null,
    effectiveGroups,
  }
}

/** Finds the minimum number of rows that proves the margin if no row is broken or fixed. */
const findMinRowsForCut = (margin: number, z: number): number => {
  let rows = 1
  while (boundChange(0, 0, rows, z) < -margin) rows++
  return rows
}

/** Lists the thresholds to test: the deciles of the top probabilities in descending order, without duplicates. */
const listThresholds = (topProbability: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sorted = Float64Array.from(topProbability).sort().reverse()
  const acceptedCounts = Array.from({ length: 10 }, (_, i) =>
    Math.ceil(((i + 1) * sorted.length) / 10),
  )
  return [...new Set(acceptedCounts.map((count) => sorted[count - 1] as number))]
}

/**
 * Finds the labelled rows whose result changes if the cheap model answers the rows with a top probability of at least `at`. A row is
 * broken if only the expensive model answers it rightly, and fixed if only the cheap one does.
 */
const findChanges = (data: CascadeData, at: number): PairedResults => {
  const { labelledIndexes, topProbability, cheapRight, expensiveRight, weights, units } = data
  const areCheap = labelledIndexes.map((row) => (topProbability[row] as number) >= at)
  return {
    broken: areCheap.map((isCheap, i) =>
      isCheap && cheapRight[i] === 0 && expensiveRight[i] === 1 ? 1 : 0,
    ),
    fixed: areCheap.map((isCheap, i) =>
      isCheap && cheapRight[i] === 1 && expensiveRight[i] === 0 ? 1 : 0,
    ),
    weights,
    units,
  }
}

/** Computes Wilson's interval of an accuracy from the effective number of rows. */
const computeAccuracyInterval = (
  { weights, units }: CascadeData,
  right: ReadonlyArray<number>,
): Interval => {
  const designEffect = computeDesignEffect(measureGroupSpread(right, units))
  return wilsonInterval(weightedMean(right, weights), computeEffectiveSize(weights) / designEffect)
}

/** Measures a cascade with the threshold `at`. `z` is the normal quantile of the confidence. */
const measurePoint = (data: CascadeData, at: number, z: number): CascadePoint => {
  const changes = findChanges(data, at)
  const { broken, fixed } = changes
  // 1 if the answer of the cascade is right, else 0.
  const cascadeRight = data.expensiveRight.map(
    (right, i) => right - (broken[i] as number) + (fixed[i] as number),
  )
  // At the threshold 0, the cheap model answers every row. Without any measurable correlation, a whole group counts as one row.
  const correlation = correlateChanges(changes) ?? correlateChanges(findChanges(data, 0)) ?? 1
  const brokenShare = weightedMean(broken, data.weights)
  const fixedShare = weightedMean(fixed, data.weights)
  const askedOfExpensive = data.topProbability.filter((probability) => probability < at)
  return {
    at,
    asked: askedOfExpensive.length / data.topProbability.length,
    accuracy: weightedMean(cascadeRight, data.weights),
    interval: computeAccuracyInterval(data, cascadeRight),
    change: fixedShare - brokenShare,
    low: boundChange(brokenShare, fixedShare, computeEffectiveRows(changes, correlation), z),
  }
}
