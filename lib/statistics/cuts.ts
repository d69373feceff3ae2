import { clopperPearsonLower } from './intervals'
import { descending, effectiveSize, type Numbers, sum } from './numbers'
import { type Accepted, acceptedAt } from './thresholds'

/** What a cut has to reach. R21 */
export interface Target {
  readonly figure: 'precision' | 'recall' | 'accuracy' | 'coverage'
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

/** The number of candidates, which are fixed before the labels are looked at. */
const candidates = 10

/**
 * The fewest rows that can prove a target, ⌈ln(1 − confidence) / ln(target)⌉: with fewer, even a sample without
 * errors cannot. R21
 */
export const rowsNeeded = (target: number, confidence: number): number =>
  Math.ceil(Math.log(1 - confidence) / Math.log(target) - 1e-9)

/**
 * Chooses a cut on a scale by a fixed sequence of tests. Ten candidates are taken in an order that does not
 * depend on the labels, and each is tested by a one-sided Clopper–Pearson bound. The first failure ends the
 * sequence, and the last success is the cut. Tests in a fixed order need no correction for multiple testing
 * (Maurer, Hothorn and Lehmacher 1995), so the cut misses its target in at most 1 − confidence of samples.
 * `right` is 1 or 0: whether the label is yes for a noul question, whether the decision is right for others.
 * Weighted rows count with Kish's effective size. R21
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

/** Finds the strictest value of the scale that accepts at least the share `target` of all rows. */
const byCoverage = (target: number, scale: Numbers, weights: Numbers): Cut => {
  const all = sum(weights)
  let weight = 0
  let n = 0
  let at = Number.NaN
  for (const place of descending(scale)) {
    const value = scale[place] as number
    if (value !== at && weight >= target * all - 1e-9 * all) break
    at = value
    weight += weights[place] as number
    n++
  }
  return { at, n, low: weight / all }
}
