import type { Random } from '../../runtime/random'
import { wilson } from './intervals'
import { mapNumbers, type Numbers } from './numbers'

/** A tenth of [0, 1], with the rows whose probability falls into it. */
export type CurveBin = {
  readonly lower: number
  readonly upper: number
  /** The number of rows. */
  readonly count: number
  /**
   * The mean probability, and the share of rows that came true. `low` and `high` are the 95 % interval of that
   * share; null if the rows do not allow one.
   */
  readonly prob_pred: number
  readonly prob_true: number
  readonly low: number | null
  readonly high: number | null
}

const bins = 10

/**
 * The bin of a probability. Each is open below and closed above, the first also holds 0; the edges are the doubles
 * k·0.1. scikit-learn: `calibration_curve`.
 */
export const binOf = (p: number): number => {
  const bin = Math.min(Math.floor(p * bins), bins - 1)
  if (bin > 0 && p <= bin * 0.1) return bin - 1
  return bin < bins - 1 && p > (bin + 1) * 0.1 ? bin + 1 : bin
}

/**
 * Compares, for each tenth of probabilities, the prediction with how often it came true. Empty tenths are left out.
 * `hits` are 1 or 0. The effective size of a tenth is Kish's, divided by `designEffect`; without one there are no
 * intervals.
 */
export const calibrationCurve = (
  p: Numbers,
  hits: Numbers,
  weights: Numbers,
  designEffect: number | undefined,
): ReadonlyArray<CurveBin> => {
  const tallies = Array.from({ length: bins }, () => ({
    count: 0,
    weight: 0,
    squares: 0,
    said: 0,
    hit: 0,
  }))
  for (let i = 0; i < p.length; i++) {
    const tally = tallies[binOf(p[i] as number)] as (typeof tallies)[number]
    const w = weights[i] as number
    tally.count++
    tally.weight += w
    tally.squares += w * w
    tally.said += w * (p[i] as number)
    tally.hit += w * (hits[i] as number)
  }
  return tallies.flatMap(({ count, weight, squares, said, hit }, bin) => {
    if (count === 0) return []
    const share = Math.min(1, hit / weight)
    return [
      {
        lower: bin / bins,
        upper: (bin + 1) / bins,
        count,
        prob_pred: said / weight,
        prob_true: share,
        ...(designEffect === undefined
          ? { low: null, high: null }
          : wilson(share, weight ** 2 / squares / designEffect)),
      },
    ]
  })
}

/** Σ |Σ wᵢ(pᵢ − yᵢ)| over the bins, divided by Σ wᵢ. */
const gap = (p: Numbers, bin: Numbers, weights: Numbers, hit: (i: number) => number): number => {
  const gaps = new Float64Array(bins)
  let all = 0
  for (let i = 0; i < p.length; i++) {
    const weight = weights[i] as number
    const b = bin[i] as number
    gaps[b] = (gaps[b] as number) + weight * ((p[i] as number) - hit(i))
    all += weight
  }
  return gaps.reduce((total, one) => total + Math.abs(one), 0) / all
}

/**
 * The expected calibration error: the mean distance between predicted probability and share that came true,
 * over ten equal bins weighted by their rows. Naeini, Cooper and Hauskrecht (2015); Guo et al. (2017).
 */
export const ece = (p: Numbers, hits: Numbers, weights: Numbers): number =>
  gap(p, mapNumbers(p, binOf), weights, (i) => hits[i] as number)

/**
 * Simulates the `ece` that a perfectly calibrated source would show with these probabilities and this many rows: in
 * each of `draws` draws every row comes true with its predicted probability. `expected` is the mean, which chance
 * puts above 0, and `limit` is the value that 95 % of draws do not exceed.
 */
export const simulatePerfectEce = (
  p: Numbers,
  weights: Numbers,
  draws: number,
  random: Random,
): { readonly expected: number; readonly limit: number } => {
  const bin = mapNumbers(p, binOf)
  const drawn = new Float64Array(draws)
  for (let draw = 0; draw < draws; draw++)
    drawn[draw] = gap(p, bin, weights, (i) => (random.unit() < (p[i] as number) ? 1 : 0))
  const expected = drawn.reduce((total, one) => total + one, 0) / draws
  return { expected, limit: drawn.sort()[Math.ceil(0.95 * draws) - 1] as number }
}
