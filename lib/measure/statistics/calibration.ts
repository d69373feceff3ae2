import type { Random } from '../../runtime/random'
import { wilsonInterval } from './intervals'
import { mapNumbers, type Numbers } from './numbers'

/** One of ten equal bins of [0, 1], with the rows whose probability is in it. The names are scikit-learn's. */
export type CurveBin = {
  readonly lower: number
  readonly upper: number
  /** The number of rows. */
  readonly count: number
  /** The mean probability. */
  readonly prob_pred: number
  /** The share of rows that came true. */
  readonly prob_true: number
  /** The lower end of the 95 % interval of `prob_true`; null if there is no interval. */
  readonly low: number | null
  readonly high: number | null
}

const bins = 10

/**
 * Returns the bin of a probability, 0 to 9. A bin includes its upper edge but not its lower one, except that bin 0
 * includes 0. The edges are the doubles k·0.1, as in scikit-learn's `calibration_curve`.
 */
export const findBin = (p: number): number => {
  const bin = Math.min(Math.floor(p * bins), bins - 1)
  if (bin > 0 && p <= bin * 0.1) return bin - 1
  return bin < bins - 1 && p > (bin + 1) * 0.1 ? bin + 1 : bin
}

/** The sums over the rows of a bin. */
interface BinSums {
  count: number
  weight: number
  squaredWeight: number
  weightedP: number
  weightedHits: number
}

/**
 * Compares in each bin the mean probability with the share of rows that came true. Empty bins are left out. `hits` are 1
 * for rows that came true, else 0. Intervals use Kish's effective size divided by `designEffect`. If it is `undefined`,
 * bins have no intervals.
 */
export const calibrationCurve = (
  p: Numbers,
  hits: Numbers,
  weights: Numbers,
  designEffect: number | undefined,
): ReadonlyArray<CurveBin> => {
  const sumsByBin = Array.from(
    { length: bins },
    (): BinSums => ({ count: 0, weight: 0, squaredWeight: 0, weightedP: 0, weightedHits: 0 }),
  )
  for (let i = 0; i < p.length; i++) {
    const sums = sumsByBin[findBin(p[i] as number)] as BinSums
    const weight = weights[i] as number
    sums.count++
    sums.weight += weight
    sums.squaredWeight += weight * weight
    sums.weightedP += weight * (p[i] as number)
    sums.weightedHits += weight * (hits[i] as number)
  }
  const curve: CurveBin[] = []
  sumsByBin.forEach((sums, bin) => {
    if (sums.count > 0) curve.push(describeBin(sums, bin, designEffect))
  })
  return curve
}

const describeBin = (sums: BinSums, bin: number, designEffect: number | undefined): CurveBin => {
  const { count, weight, squaredWeight, weightedP, weightedHits } = sums
  const share = Math.min(1, weightedHits / weight)
  const interval =
    designEffect === undefined
      ? { low: null, high: null }
      : wilsonInterval(share, weight ** 2 / squaredWeight / designEffect)
  return {
    lower: bin / bins,
    upper: (bin + 1) / bins,
    count,
    prob_pred: weightedP / weight,
    prob_true: share,
    ...interval,
  }
}

/** Computes Σ |Σ wᵢ(pᵢ − yᵢ)| / Σ wᵢ: the outer sum is over bins, the inner one over the rows of a bin, and `hitOf(i)` is yᵢ. */
const measureGap = (
  p: Numbers,
  binOfRow: Numbers,
  weights: Numbers,
  hitOf: (row: number) => number,
): number => {
  const gaps = new Float64Array(bins)
  let totalWeight = 0
  for (let i = 0; i < p.length; i++) {
    const weight = weights[i] as number
    const bin = binOfRow[i] as number
    gaps[bin] = (gaps[bin] as number) + weight * ((p[i] as number) - hitOf(i))
    totalWeight += weight
  }
  return gaps.reduce((total, gap) => total + Math.abs(gap), 0) / totalWeight
}

/**
 * Computes the expected calibration error: the mean distance between the mean probability of a bin and the share of its
 * rows that came true, weighted by the rows of each bin. Naeini, Cooper and Hauskrecht (2015); Guo et al. (2017).
 */
export const computeEce = (p: Numbers, hits: Numbers, weights: Numbers): number =>
  measureGap(p, mapNumbers(p, findBin), weights, (i) => hits[i] as number)

/**
 * Simulates the `ece` of perfectly calibrated probabilities. In each of `draws` draws, every row comes true with its
 * predicted probability. `expected` is the mean over the draws, which is above 0 by chance. 95 % of draws are at most
 * `limit`.
 */
export const simulatePerfectEce = (
  p: Numbers,
  weights: Numbers,
  draws: number,
  random: Random,
): { readonly expected: number; readonly limit: number } => {
  const binOfRow = mapNumbers(p, findBin)
  const simulated = new Float64Array(draws)
  for (let draw = 0; draw < draws; draw++)
    simulated[draw] = measureGap(p, binOfRow, weights, (i) =>
      random.nextFloat() < (p[i] as number) ? 1 : 0,
    )
  const expected = simulated.reduce((total, value) => total + value, 0) / draws
  return { expected, limit: simulated.sort()[Math.ceil(0.95 * draws) - 1] as number }
}
