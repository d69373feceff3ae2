import { studentQuantile } from './beta'
import { clopperPearsonLower } from './intervals'
import { type Numbers, placesWhere, sortDescending, sum } from './numbers'
import { listAccepted } from './thresholds'
import { designEffectOf, measureSpread, type Units } from './units'

/** The figures that a target can name. R21 */
export const targetFigures = ['precision', 'recall', 'accuracy', 'coverage'] as const

/** What a cut has to reach. R21 */
export interface Target {
  readonly figure: (typeof targetFigures)[number]
  /** The value to reach, between 0 and 1. */
  readonly value: number
}

/** A threshold and the evidence for it. `at` is null where there is none, and `why` gives the reason. */
export interface Cut {
  readonly at: number | null
  /** The number of rows at or above the cut; 0 without a cut. */
  readonly n: number
  /**
   * The one-sided lower bound of the target's figure at the cut; for coverage the coverage itself. Null without
   * a cut.
   */
  readonly low: number | null
  /** The fewest rows that can prove the target. Absent for coverage. */
  readonly needs?: number
  readonly why?: string
}

/** The labelled rows that a cut is chosen from. */
export interface Sample {
  /** The value of each row that the cut is on. */
  readonly scale: Numbers
  /** 1 or 0: whether the label is yes for precision and recall, whether the decision is right for accuracy. */
  readonly right: Numbers
  readonly weights: Numbers
  readonly units: Units
  /** How many times as many rows in groups the question's decisions take. It is used for recall. R19 */
  readonly designEffect: number
}

/** The number of candidates, which are fixed before the labels are looked at. */
const candidates = 10

/** The fewest groups, by their effective number, from which a cut is made. R21 */
const fewestGroups = 30

/**
 * The fewest rows that can prove a target, ⌈ln(1 − confidence) / ln(target)⌉: with fewer, even a sample without
 * errors cannot. R21
 */
export const rowsNeeded = (target: number, confidence: number): number =>
  Math.ceil(Math.log(1 - confidence) / Math.log(target) - 1e-9)

/**
 * Chooses a cut on a scale by a fixed sequence of tests. Ten candidates are taken in an order that does not
 * depend on the labels, and each is tested by a one-sided lower bound. The first failure ends the
 * sequence, and the last success is the cut. Tests in a fixed order need no correction for multiple testing
 * (Maurer, Hothorn and Lehmacher 1995), so the cut misses its target in at most 1 − confidence of samples. R21
 */
export const chooseCut = (target: Target, confidence: number, sample: Sample): Cut => {
  switch (target.figure) {
    case 'precision':
    case 'accuracy':
      return chooseByAccepted(target, confidence, sample)
    case 'recall':
      return chooseByPositives(target, confidence, sample)
    case 'coverage':
      return chooseByCoverage(target.value, sample)
  }
}

/** The rows that a candidate is tested with. */
interface Tested {
  readonly at: number
  /** The number of rows that the candidate accepts. */
  readonly accepted: number
  readonly share: number
  readonly evidence: Evidence
}

/** How many rows a share was observed in, and how many independent rows of equal weight are worth as much. */
interface Evidence {
  readonly rows: number
  readonly worth: number
  /** The effective number of groups, (Σm)²/Σm²; `undefined` without groups. */
  readonly groups: number | undefined
}

const chooseByAccepted = (target: Target, confidence: number, sample: Sample): Cut => {
  const { scale, right, weights, units } = sample
  const whole = units.isGrouped ? measureSpread(right, units, undefined).correlation : undefined
  const needs = rowsNeeded(target.value, confidence)
  const least = Math.max(needs, Math.min(4 * needs, scale.length / 4))
  const tests = listAccepted(candidates, scale, right, weights)
    .filter(({ rows }, i, all) => rows >= least || i === all.length - 1)
    .map(({ at, rows, places, weight, right: rightly, squares }): Tested => {
      const kish = weight ** 2 / squares
      const evidence = units.isGrouped
        ? weighGroups(kish, right, units, places, confidence, whole)
        : { rows, worth: kish, groups: undefined }
      return { at, accepted: rows, share: rightly / weight, evidence }
    })
  return testInOrder(target, confidence, tests, 'accepted rows are right')
}

const chooseByPositives = (target: Target, confidence: number, sample: Sample): Cut => {
  const { scale, right, weights, units, designEffect } = sample
  const places = placesWhere(right, (one) => one === 1)
  let all = 0
  let squares = 0
  for (const place of places) {
    all += weights[place] as number
    squares += (weights[place] as number) ** 2
  }
  const kish = squares === 0 ? 0 : all ** 2 / squares
  const evidence = units.isGrouped
    ? weighGroups(kish, right, units, places, confidence, undefined, designEffect)
    : { rows: places.length, worth: kish, groups: undefined }
  const tests = listAccepted(candidates, scale, right, weights)
    .toReversed()
    .map(({ at, rows, right: rightly }): Tested => {
      const share = all === 0 ? 0 : rightly / all
      return { at, accepted: rows, share, evidence }
    })
  return testInOrder(target, confidence, tests, 'rows that are a yes are found')
}

/**
 * Computes how many independent rows the rows at `places` are worth: Kish's number over the design effect, times the
 * squared ratio of Student's quantiles for rows and for groups, at most the number of rows. Korn and Graubard, Survey
 * Methodology 24 (1998). R21
 */
const weighGroups = (
  kish: number,
  right: Numbers,
  units: Units,
  places: Numbers,
  confidence: number,
  correlation: number | undefined,
  designEffect?: number,
): Evidence => {
  const spread = measureSpread(right, units, places)
  const { rows, groups, squares } = spread
  const effectiveGroups = rows === 0 ? 0 : rows ** 2 / squares
  if (effectiveGroups < fewestGroups) return { rows, worth: 0, groups: effectiveGroups }
  const ratio = studentQuantile(confidence, rows - 1) / studentQuantile(confidence, groups - 1)
  const worth = (kish / (designEffect ?? designEffectOf(spread, correlation))) * ratio ** 2
  return { rows, worth: Math.min(worth, rows), groups: effectiveGroups }
}

/** Tests candidates in their order. Those with too little evidence are passed over. */
const testInOrder = (
  { figure, value }: Target,
  confidence: number,
  tests: ReadonlyArray<Tested>,
  what: string,
): Cut => {
  const needs = rowsNeeded(value, confidence)
  let cut: Cut | undefined
  let best: Evidence = { rows: 0, worth: 0, groups: undefined }
  for (const { at, accepted, share, evidence } of tests) {
    const { rows, worth } = evidence
    if (worth >= best.worth) best = evidence
    if (worth < needs - 1e-9) continue
    const low = clopperPearsonLower(Math.min(1, share) * worth, worth, confidence)
    if (low < value) {
      const worthOf = isNear(worth, rows) ? '' : ` (worth ${Math.floor(worth)})`
      const why = `${round(share)} of ${rows}${worthOf} ${what}, which shows ${figure} ${round(low)} at least`
      return cut ?? { at: null, n: 0, low: null, needs, why }
    }
    cut = { at, n: accepted, low, needs }
  }
  return cut ?? { at: null, n: 0, low: null, needs, why: explainTooFew(figure, value, needs, best) }
}

const explainTooFew = (
  figure: string,
  value: number,
  needs: number,
  { rows, worth, groups }: Evidence,
): string => {
  if (groups !== undefined && groups < fewestGroups)
    return `a cut takes ${fewestGroups} groups, these rows are worth ${Math.floor(groups)}`
  const there = isNear(worth, rows) ? `there are ${rows}` : `${rows} are worth ${Math.floor(worth)}`
  return `${figure} ${value} takes ${needs} rows to show, ${there}`
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6

const round = (value: number): string => String(Math.round(value * 1000) / 1000)

/** Finds the strictest value of the scale that accepts at least the share `target` of all rows. */
const chooseByCoverage = (target: number, { scale, weights }: Sample): Cut => {
  const all = sum(weights)
  let weight = 0
  let n = 0
  let at = Number.NaN
  for (const place of sortDescending(scale)) {
    const value = scale[place] as number
    if (value !== at && weight >= target * all - 1e-9 * all) break
    at = value
    weight += weights[place] as number
    n++
  }
  return { at, n, low: weight / all }
}
