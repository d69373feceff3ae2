import { clopperPearsonLower } from './intervals'
import { descending, effectiveSize, type Numbers, sum } from './numbers'
import { type Accepted, acceptedAt } from './thresholds'

/** What a cut is to reach. R21 */
export interface Target {
  readonly figure: 'precision' | 'recall' | 'accuracy' | 'coverage'
  /** Between 0 and 1. */
  readonly value: number
}

/** A threshold and what speaks for it; `at` is null where nothing does, and `why` says so. */
export interface Cut {
  readonly at: number | null
  /** Rows at or above the cut; 0 without one. */
  readonly n: number
  /** The one-sided lower bound of the target's figure at the cut; of coverage, the coverage itself. Null without a cut. */
  readonly low: number | null
  /** The fewest rows that could show the target. Absent for coverage. */
  readonly needs?: number
  readonly why?: string
}

/** Candidates are this many, fixed before the labels are looked at. */
const candidates = 10

/** ⌈ln(1 − confidence) / ln(target)⌉: with fewer rows even a faultless sample cannot show the target. R21 */
export const rowsNeeded = (target: number, confidence: number): number =>
  Math.ceil(Math.log(1 - confidence) / Math.log(target) - 1e-9)

/**
 * Chooses a cut on a scale by a fixed sequence of tests: ten candidates in an order that does not
 * depend on the labels, each tested by a one-sided Clopper–Pearson bound; the first failure ends the
 * sequence, the last success is the cut. Testing in a fixed order needs no correction for many tests
 * (Maurer, Hothorn and Lehmacher 1995), so that the cut misses its target in at most 1 − confidence of samples.
 * `right` is 1 or 0: true for a yes/no question, rightly decided for the others. Weighted rows count with
 * Kish's effective size. R21
 */
export const chooseCut = (
  target: Target,
  confidence: number,
  scale: Numbers,
  right: Numbers,
  weights: Numbers,
): Cut => {
  switch (target.figure) {
    case 'precision':
    case 'accuracy':
      return bySequence(
        target,
        confidence,
        acceptedAt(candidates, scale, right, weights),
        ({ weight, right: rightly, squares }) => ({
          share: rightly / weight,
          n: weight ** 2 / squares,
        }),
      )
    case 'recall': {
      const positives = Float64Array.from(weights, (weight, i) => weight * (right[i] as number))
      const all = sum(positives)
      const n = effectiveSize(positives)
      return bySequence(
        target,
        confidence,
        acceptedAt(candidates, scale, right, weights).toReversed(),
        ({ right: rightly }) => ({ share: all === 0 ? 0 : rightly / all, n }),
      )
    }
    case 'coverage':
      return byCoverage(target.value, scale, weights)
  }
}

const bySequence = (
  { figure, value }: Target,
  confidence: number,
  sequence: ReadonlyArray<Accepted>,
  tested: (accepted: Accepted) => { readonly share: number; readonly n: number },
): Cut => {
  const needs = rowsNeeded(value, confidence)
  let cut: Cut | undefined
  let most = 0
  for (const accepted of sequence) {
    const { share, n } = tested(accepted)
    most = Math.max(most, n)
    if (n < needs - 1e-9) continue
    const low = clopperPearsonLower(Math.min(1, share) * n, n, confidence)
    if (low < value) {
      const rows = figure === 'recall' ? 'rows that are a yes' : 'accepted rows'
      const shown = `${round(share)} in ${round(n)} ${rows} speaks for ${figure} ${round(low)} at least`
      return cut ?? { at: null, n: 0, low: null, needs, why: shown }
    }
    cut = { at: accepted.at, n: accepted.rows, low, needs }
  }
  const why = `${figure} ${value} takes ${needs} rows to show, there are ${round(most)}`
  return cut ?? { at: null, n: 0, low: null, needs, why }
}

const round = (value: number): string => String(Math.round(value * 1000) / 1000)

/** The strictest value of the scale that accepts at least the share `target` of all rows. */
const byCoverage = (target: number, scale: Numbers, weights: Numbers): Cut => {
  const all = sum(weights)
  const places = descending(scale)
  let weight = 0
  let n = 0
  let at = Number.NaN
  for (const place of places) {
    const value = scale[place] as number
    if (value !== at && weight >= target * all - 1e-9 * all) break
    at = value
    weight += weights[place] as number
    n++
  }
  return { at, n, low: weight / all }
}
