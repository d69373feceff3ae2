import { explainTooFewGroups } from '../rows/evidence'
import {
  boundChange,
  computeEffectiveRows,
  correlateChanges,
  type PairedResults,
} from '../statistics/change'
import { normalQuantile, z95 } from '../statistics/intervals'
import { hasUnequalWeights, weightedMean } from '../statistics/numbers'
import { createGroupUnits, createRowUnits } from '../statistics/units'

/** The row of a pair. */
export interface PairedRow {
  /** The index of the row in run a. */
  readonly index: number
  /** The index of the row's group; −1 for none. */
  readonly group: number
  /** The number of rows of the run that the row represents. */
  readonly weight: number
}

/** The share of right decisions of both runs, and their difference. */
export interface AccuracyChange {
  readonly a: number
  readonly b: number
  /** The accuracy of b minus that of a. */
  readonly difference: number
  /** The 95 % interval of `difference`; `undefined` if `noIntervalReason` explains why there is none. */
  readonly interval: { readonly low: number; readonly high: number } | undefined
  /** The one-sided 95 % lower bound of `difference`; `undefined` without an interval. */
  readonly lowerBound: number | undefined
  readonly noIntervalReason: string | undefined
}

/** The labelled pairs of decisions about one question: that of run a and that of run b about the same row. */
export class LabelledPairs {
  /** The rows of the pairs, in the order in which they were added. */
  readonly rows: PairedRow[] = []
  /** The number of pairs in which only b is right. */
  fixedCount = 0
  /** The number of pairs in which only a is right. */
  brokenCount = 0
  /** The number of pairs in which an answer has no decision, because it is a score without probabilities. */
  undecidedCount = 0
  /** 1 for each pair in which a is right, else 0. */
  private readonly rightInA: number[] = []
  /** 1 for each pair in which b is right, else 0. */
  private readonly rightInB: number[] = []

  get count(): number {
    return this.rows.length
  }

  /** Adds a pair of decisions, of which `truth` is right. A refusal is never right. */
  add(a: string | undefined, b: string | undefined, truth: string, row: PairedRow): void {
    const isDecided = a !== undefined && b !== undefined
    if (!isDecided) this.undecidedCount++
    if (isDecided && a !== truth && b === truth) this.fixedCount++
    if (isDecided && a === truth && b !== truth) this.brokenCount++
    this.rightInA.push(a === truth ? 1 : 0)
    this.rightInB.push(b === truth ? 1 : 0)
    this.rows.push(row)
  }

  /** Returns the number of right decisions of each run. */
  countRight(): { readonly a: number; readonly b: number } {
    const count = (right: ReadonlyArray<number>) => right.reduce((sum, one) => sum + one, 0)
    return { a: count(this.rightInA), b: count(this.rightInB) }
  }

  /** Returns `true` if any row belongs to a group. */
  isGrouped(): boolean {
    return this.rows.some(({ group }) => group >= 0)
  }

  /** Explains why the pairs are not independent draws, which McNemar's test needs. Returns `undefined` if they are. */
  explainDependence(): string | undefined {
    if (this.isGrouped()) return 'rows in groups are not independent draws'
    return hasUnequalWeights(this.rows.map(({ weight }) => weight))
      ? 'rows with different weights are not independent draws'
      : undefined
  }

  /** Measures both accuracies and their difference. `undefined` if an answer has no decision. Needs at least one pair. */
  measureChange(): AccuracyChange | undefined {
    if (this.undecidedCount > 0) return undefined
    const results = this.listResults()
    const { weights, units } = results
    const a = weightedMean(
      this.rightInA,
      this.rows.map(({ weight }) => weight),
    )
    const brokenShare = weightedMean(results.broken, weights)
    const fixedShare = weightedMean(results.fixed, weights)
    const difference = fixedShare - brokenShare
    const noIntervalReason = explainTooFewGroups(units)
    const accuracies = { a, b: a + difference, difference, noIntervalReason }
    if (noIntervalReason !== undefined)
      return { ...accuracies, interval: undefined, lowerBound: undefined }
    // Without a measurable correlation, a whole group counts as one row.
    const effectiveRows = computeEffectiveRows(results, correlateChanges(results) ?? 1)
    // An accuracy cannot change by more than 1, but the bound of very few rows can be below −1.
    const bound = (lost: number, won: number, z: number): number =>
      Math.max(-1, boundChange(lost, won, effectiveRows, z))
    return {
      ...accuracies,
      interval: {
        low: bound(brokenShare, fixedShare, z95),
        high: -bound(fixedShare, brokenShare, z95),
      },
      lowerBound: bound(brokenShare, fixedShare, normalQuantile(0.95)),
    }
  }

  private listResults(): PairedResults {
    const { rightInA, rightInB } = this
    return {
      broken: rightInA.map((right, i) => (right === 1 && rightInB[i] === 0 ? 1 : 0)),
      fixed: rightInA.map((right, i) => (right === 0 && rightInB[i] === 1 ? 1 : 0)),
      weights: this.rows.map(({ weight }) => weight),
      units: this.isGrouped()
        ? createGroupUnits(this.rows.map(({ group }) => group))
        : createRowUnits(this.rows.length),
    }
  }
}
