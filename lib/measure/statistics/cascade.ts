import { type Interval, wilson } from './intervals'
import { normalQuantile } from './normal'
import { effectiveSize, mean } from './numbers'
import { designEffectOf, measureSpread, type Units } from './units'

/** Two answers to one row: a cheap one (a) and an expensive one (b). */
export interface CascadeData {
  /** The certainty of a about each row: its largest probability, or 0 if it refused to answer. */
  readonly sureness: ReadonlyArray<number>
  /** The rows with a label, in the order of `sureness`. The lists below have one entry for each. */
  readonly labelled: ReadonlyArray<number>
  /** 1 if the cheap answer to the labelled row is right, else 0. */
  readonly rightA: ReadonlyArray<number>
  /** 1 if the expensive answer to the labelled row is right, else 0. */
  readonly rightB: ReadonlyArray<number>
  /** One divided by the chance with which the labelled row was drawn. */
  readonly weights: ReadonlyArray<number>
  /** The groups of the labelled rows. */
  readonly units: Units
}

/** The requirements of a cascade. */
export interface CascadeTarget {
  /** The maximum loss of accuracy against b, for example 0.02. */
  readonly margin: number
  /** The confidence of the proof, for example 0.95. */
  readonly confidence: number
}

/** The figures of one threshold. */
export type CascadePoint = {
  /** a answers if its probability is at least this; null if b answers every row. */
  readonly at: number | null
  /** The share of all rows that b is asked. */
  readonly asked: number
  readonly accuracy: number
  /** Wilson's 95 % interval of the accuracy. */
  readonly interval: Interval | null
  /** The accuracy minus that of b. */
  readonly change: number
  /** The change is at least this, with the confidence asked for. */
  readonly low: number
}

/**
 * The thresholds in the order in which they were tested, starting with b for all rows, and the last one that passed.
 */
export interface CascadeCurve {
  /** The number of labelled rows that pass if a breaks no decision. */
  readonly needs: number
  readonly points: ReadonlyArray<CascadePoint>
  readonly cut: CascadePoint | null
  /** The number of groups of equal size that give as much evidence; `undefined` if rows have no groups. */
  readonly effectiveGroups: number | undefined
}

/** With fewer groups than this, bounds on grouped rows do not hold (simulated). */
export const minEffectiveGroups = 30

/** The normal quantile of a one-sided bound is squared and halved here as in Agresti and Coull's added rows. */
const boundChange = (broken: number, fixed: number, n: number, z: number): number => {
  const size = n + z * z
  const lost = (broken * n + (z * z) / 2) / size
  const won = (fixed * n) / size
  const change = won - lost
  return change - z * Math.sqrt((lost + won - change * change) / size)
}

/** Finds the smallest number of rows that proves the margin if a and b are right in the same rows. */
const findNeededRows = (margin: number, z: number): number => {
  let rows = 1
  while (boundChange(0, 0, rows, z) < -margin) rows++
  return rows
}

/** Lists the thresholds to test: the sureness at each tenth of the rows, the highest first, each once. */
const listThresholds = (sureness: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sorted = Float64Array.from(sureness).sort().reverse()
  const tenths = Array.from({ length: 10 }, (_, i) => Math.ceil(((i + 1) * sorted.length) / 10))
  return [...new Set(tenths.map((count) => sorted[count - 1] as number))]
}

/** 1 for each labelled row that a answers (at this threshold) wrongly while b is right; and the reverse. */
const listChanges = (data: CascadeData, at: number): { broken: number[]; fixed: number[] } => {
  const answersA = data.labelled.map((row) => (data.sureness[row] as number) >= at)
  const isTurned = (from: ReadonlyArray<number>, to: ReadonlyArray<number>): number[] =>
    answersA.map((isA, i) => (isA && from[i] === 1 && to[i] === 0 ? 1 : 0))
  return { broken: isTurned(data.rightB, data.rightA), fixed: isTurned(data.rightA, data.rightB) }
}

/**
 * Measures how alike changes are within groups: the larger correlation of the two kinds; `undefined` if neither is
 * known.
 */
const correlateChanges = (data: CascadeData, at: number): number | undefined => {
  const { broken, fixed } = listChanges(data, at)
  const known = [broken, fixed]
    .map((changes) => measureSpread(changes, data.units, undefined).correlation)
    .filter((correlation) => correlation !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

/**
 * Computes the number of independent rows that give as much evidence about a change with this correlation within
 * groups.
 */
const sizeEvidence = (data: CascadeData, correlation: number): number => {
  const spread = measureSpread(data.rightA, data.units, undefined)
  const effect = designEffectOf({ ...spread, correlation })
  return Math.min(data.labelled.length, effectiveSize(data.weights) / effect)
}

/** Computes Wilson's interval of an accuracy, for the number of independent rows that give as much evidence. */
const spanAccuracy = (data: CascadeData, right: ReadonlyArray<number>): Interval | null => {
  const spread = measureSpread(right, data.units, undefined)
  const n = effectiveSize(data.weights) / designEffectOf(spread)
  return n > 0 ? wilson(mean(right, data.weights), n) : null
}

const measurePoint = (data: CascadeData, at: number, z: number): CascadePoint => {
  const { broken, fixed } = listChanges(data, at)
  const right = data.rightB.map((one, i) => one - (broken[i] as number) + (fixed[i] as number))
  const always = correlateChanges(data, 0)
  const n = sizeEvidence(data, correlateChanges(data, at) ?? always ?? 1)
  const [lost, won] = [mean(broken, data.weights), mean(fixed, data.weights)]
  return {
    at,
    asked: data.sureness.filter((sure) => sure < at).length / data.sureness.length,
    accuracy: mean(right, data.weights),
    interval: spanAccuracy(data, right),
    change: won - lost,
    low: boundChange(lost, won, n, z),
  }
}

/**
 * Tests from which sureness on the cheap answers of a may stand in for those of b, at the price of a margin of accuracy.
 *
 * The thresholds are fixed before labels are looked at and tested from the strictest on; the first failure ends the
 * sequence (fixed sequence testing, Maurer, Hothorn and Lehmacher 1995). A threshold passes if a one-sided lower bound of
 * the change in accuracy is at least −margin: that of a difference of paired shares with rows added as Agresti and
 * Coull (1998) do for one share. Groups and weights shrink the number of rows (Kish 1965).
 *
 * Needs at least one labelled row.
 */
export const traceCascade = (data: CascadeData, target: CascadeTarget): CascadeCurve => {
  const z = normalQuantile(target.confidence)
  const accuracy = mean(data.rightB, data.weights)
  const alone: CascadePoint = {
    at: null,
    asked: 1,
    accuracy,
    interval: spanAccuracy(data, data.rightB),
    change: 0,
    low: 0,
  }
  const points = listThresholds(data.sureness).map((at) => measurePoint(data, at, z))
  const spread = measureSpread(data.rightA, data.units, undefined)
  const effectiveGroups = data.units.isGrouped ? spread.rows ** 2 / spread.squares : undefined
  const hasGroups = effectiveGroups === undefined || effectiveGroups >= minEffectiveGroups
  const failed = points.findIndex(({ low }) => low < -target.margin)
  const passed = failed === -1 ? points : points.slice(0, failed)
  return {
    needs: findNeededRows(target.margin, z),
    points: [alone, ...points],
    cut: (hasGroups ? passed.at(-1) : undefined) ?? null,
    effectiveGroups,
  }
}
