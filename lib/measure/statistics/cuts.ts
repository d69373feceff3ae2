import { incompleteBeta } from './beta'
import { clopperPearsonLower } from './intervals'
import { type Numbers, placesWhere, sortDescending, sum } from './numbers'
import { type Accepted, listAccepted } from './thresholds'
import { designEffectOf, measureSpread, type Units } from './units'

/** The figures that a target can name. */
export const targetFigures = ['precision', 'recall', 'accuracy', 'coverage'] as const

/** The target of a cut. */
export interface CutTarget {
  readonly figure: (typeof targetFigures)[number]
  /** The value to reach, between 0 and 1. */
  readonly value: number
}

/** A threshold and the evidence for it. If there is none, `at` is null and `why` gives the reason. */
export interface Cut {
  readonly at: number | null
  /** The number of labelled rows at or above the cut, and their share of the whole weight; 0 without a cut. */
  readonly n: number
  readonly share: number
  /**
   * The one-sided lower bound of the target's figure at the cut; for coverage the coverage itself. Null without
   * a cut.
   */
  readonly low: number | null
  /** The minimum number of rows that can prove the target. Absent for coverage. */
  readonly needs?: number
  readonly why?: string
  /** The labels that are missing for a cut. Absent if there is a cut, or if more labels would not help. */
  readonly missing?: Missing
}

/**
 * The number of further groups or labelled rows that a cut needs: a lower bound, or an estimate from the labelled
 * rows.
 */
interface Missing {
  readonly what: 'groups' | 'rows' | 'estimate'
  readonly count: number
}

/** The labelled rows that a cut is chosen from. */
export interface Sample {
  /** The value of each row that the cut is on. */
  readonly scale: Numbers
  /** 1 or 0: whether the label is yes for precision and recall, whether the decision is right for accuracy. */
  readonly right: Numbers
  readonly weights: Numbers
  readonly units: Units
  /** The number of rows in groups that give as much evidence as one independent row. Used for recall. */
  readonly designEffect: number
}

/** The number of candidates, which are fixed before the labels are looked at. */
export const candidates = 10

/** A cut needs at least this many groups, by their effective number. */
const minGroups = 30

/**
 * Computes the minimum number of rows that can prove a target, ⌈ln(1 − confidence) / ln(target)⌉. With fewer, even a
 * sample without errors cannot.
 */
export const rowsNeeded = (target: number, confidence: number): number =>
  Math.ceil(Math.log(1 - confidence) / Math.log(target) - 1e-9)

/**
 * Computes the minimum number of rows of a tested candidate. `all` is the effective number of all rows. Candidates
 * with few rows prove little, and the first one that fails would end the sequence.
 */
export const minTested = (needs: number, all: number): number =>
  Math.max(needs, Math.min(4 * needs, all / 4))

/** True if the lower bound of `successes` in `n` rows reaches the target. */
export const isShown = (
  successes: number,
  n: number,
  target: number,
  confidence: number,
): boolean =>
  successes > 0 && incompleteBeta(target, successes, n - successes + 1) <= 1 - confidence

/**
 * Chooses a cut on a scale by a fixed sequence of tests. Ten candidates are taken in an order that does not
 * depend on the labels, and each is tested by a one-sided lower bound. The first failure ends the
 * sequence, and the last success is the cut. Tests in a fixed order need no correction for multiple testing
 * (Maurer, Hothorn and Lehmacher 1995), so the cut misses its target in at most 1 − confidence of samples.
 */
export const chooseCut = (target: CutTarget, confidence: number, sample: Sample): Cut => {
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

/** A candidate, and the rows that its figure is tested with. */
interface Tested {
  readonly candidate: Accepted
  /** The figure in these rows. */
  readonly figure: number
  readonly evidence: Evidence
}

/** The number of rows of a figure, and of independent rows of equal weight that give as much evidence. */
interface Evidence {
  readonly rows: number
  readonly worth: number
  /** The effective number of groups, (Σm)²/Σm²; `undefined` without groups. */
  readonly groups: number | undefined
}

const chooseByAccepted = (target: CutTarget, confidence: number, sample: Sample): Cut => {
  const { scale, right, weights, units } = sample
  const whole = units.isGrouped ? measureSpread(right, units, undefined).correlation : undefined
  const tests = listAccepted(candidates, scale, right, weights).map((candidate): Tested => {
    const { weight, squares, right: rightly, places } = candidate
    const evidence = weighPlaces(weight ** 2 / squares, right, units, places, whole)
    return { candidate, figure: rightly / weight, evidence }
  })
  const needs = rowsNeeded(target.value, confidence)
  const min = minTested(needs, tests.at(-1)?.evidence.worth ?? 0)
  const tested = tests.filter(({ evidence }) => evidence.worth >= min - 1e-9)
  const used = tested.length === 0 ? tests.slice(-1) : tested
  return testInOrder(target, confidence, used, sum(weights), 'accepted rows are right')
}

const chooseByPositives = (target: CutTarget, confidence: number, sample: Sample): Cut => {
  const { scale, right, weights, units, designEffect } = sample
  const places = placesWhere(right, (one) => one === 1)
  let all = 0
  let squares = 0
  for (const place of places) {
    all += weights[place] as number
    squares += (weights[place] as number) ** 2
  }
  const kish = squares === 0 ? 0 : all ** 2 / squares
  const evidence = weighPlaces(kish, right, units, places, undefined, designEffect)
  const tests = listAccepted(candidates, scale, right, weights)
    .toReversed()
    .map((candidate): Tested => {
      const figure = all === 0 ? 0 : candidate.right / all
      return { candidate, figure, evidence }
    })
  return testInOrder(target, confidence, tests, sum(weights), 'rows that are a yes are found')
}

/**
 * Computes the effective number of the rows at `places`: Kish's number over the design effect, at most the number of
 * rows. `correlation` is that of the whole run, for rows that are all right. Korn and Graubard, Survey Methodology 24
 * (1998).
 */
const weighPlaces = (
  kish: number,
  right: Numbers,
  units: Units,
  places: Numbers,
  correlation: number | undefined,
  designEffect?: number,
): Evidence => {
  if (!units.isGrouped) return { rows: places.length, worth: kish, groups: undefined }
  const spread = measureSpread(right, units, places)
  const { rows, squares } = spread
  const worth = kish / (designEffect ?? designEffectOf(spread, correlation))
  return { rows, worth: Math.min(worth, rows), groups: rows === 0 ? 0 : rows ** 2 / squares }
}

/** Tests candidates in their order. Those with too little evidence are passed over. */
const testInOrder = (
  { figure, value }: CutTarget,
  confidence: number,
  tests: ReadonlyArray<Tested>,
  all: number,
  what: string,
): Cut => {
  const needs = rowsNeeded(value, confidence)
  let passed: Tested | undefined
  let failed: Tested | undefined
  let best: Evidence = { rows: 0, worth: 0, groups: undefined }
  for (const test of tests) {
    const { evidence } = test
    if (evidence.worth >= best.worth) best = evidence
    if (evidence.worth < needs - 1e-9 || (evidence.groups ?? minGroups) < minGroups) continue
    if (lowerBound(test, confidence) < value) {
      failed = test
      break
    }
    passed = test
  }
  if (passed !== undefined) {
    const { at, rows, weight } = passed.candidate
    return { at, n: rows, share: weight / all, low: lowerBound(passed, confidence), needs }
  }
  const none = { at: null, n: 0, share: 0, low: null, needs }
  if (failed === undefined) {
    const why = explainTooFew(figure, value, needs, best)
    return { ...none, why, missing: countMissing(needs, best) }
  }
  const why = explainFailure(failed, figure, lowerBound(failed, confidence), what)
  const missing = estimateMissing(failed, value, confidence, tests)
  return missing === undefined ? { ...none, why } : { ...none, why, missing }
}

/** Counts the groups or rows that any cut takes. */
const countMissing = (needs: number, { rows, worth, groups }: Evidence): Missing => {
  if (groups !== undefined && groups < minGroups)
    return { what: 'groups', count: Math.ceil(minGroups - groups) }
  const each = worth > 0 ? Math.max(1, rows / worth) : 1
  return { what: 'rows', count: Math.ceil((needs - worth) * each - 1e-9) }
}

/** Estimates above this are not reported. */
const maxEstimate = 100_000

/**
 * Estimates the labelled rows that a cut needs if the rows of a failed test stay as right. `undefined` if no number
 * suffices.
 */
const estimateMissing = (
  { figure, evidence }: Tested,
  value: number,
  confidence: number,
  tests: ReadonlyArray<Tested>,
): Missing | undefined => {
  if (figure <= value) return undefined
  const all = Math.max(...tests.map(({ candidate }) => candidate.rows))
  const maxFactor = maxEstimate / all
  let low = 1
  let high = 2
  const holds = (factor: number): boolean =>
    isShown(figure * evidence.worth * factor, evidence.worth * factor, value, confidence)
  while (!holds(high)) {
    if (high > maxFactor) return undefined
    low = high
    high *= 2
  }
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2
    if (holds(middle)) high = middle
    else low = middle
  }
  return { what: 'estimate', count: Math.ceil((high - 1) * all) }
}

const lowerBound = ({ figure, evidence: { worth } }: Tested, confidence: number): number =>
  clopperPearsonLower(Math.min(1, figure) * worth, worth, confidence)

const explainFailure = (
  { figure: observed, evidence: { rows, worth } }: Tested,
  figure: string,
  low: number,
  what: string,
): string => {
  const worthOf = isNear(worth, rows) ? '' : ` (worth ${Math.floor(worth)})`
  return `${round(observed)} of ${rows}${worthOf} ${what}, which shows ${figure} ${round(low)} at least`
}

const explainTooFew = (
  figure: string,
  value: number,
  needs: number,
  { rows, worth, groups }: Evidence,
): string => {
  if (groups !== undefined && groups < minGroups)
    return `a cut takes ${minGroups} groups, these rows are worth ${Math.floor(groups)}`
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
  return { at, n, share: weight / all, low: weight / all }
}
