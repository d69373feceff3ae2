import type { Random } from '../../runtime/random'
import { wilsonInterval } from './intervals'
import { mapNumbers, type Numbers } from './numbers'

/**
 * One of ten equal bins of [0, 1], with the rows whose probability is in it. Members have the names of the document of `svc eval`.
 * `prob_pred` and `prob_true` are also scikit-learn's names.
 */
export type CurveBin = {
  /** The edges of the bin, as k/10. They can differ by a rounding error from k·0.1, with which `findBin` compares. */
  readonly lower: number
  readonly upper: number
  readonly count: number
  /** The mean probability of the rows. */
  readonly prob_pred: number
  /** The share of rows that came true. */
  readonly prob_true: number
  /** The ends of the 95 % interval of `prob_true`; null if there is no interval. */
  readonly low: number | null
  readonly high: number | null
}

const binCount = 10

/**
 * Returns the bin of a probability, 0 to 9. A bin includes its upper edge but not its lower one, except that bin 0
 * includes 0. The edges are the doubles k·0.1, as in scikit-learn's `calibration_curve`.
 */
export const findBin = (p: number): number => {
  // `floor` puts the upper edge 0.3 of bin 2 into bin 3, and rounding errors can shift an edge by one bin. The lines below correct
  // both.
  const bin = Math.min(Math.floor(p * binCount), binCount - 1)
  if (bin > 0 && p <= bin * 0.1) return bin - 1
  return bin < binCount - 1 && p > (bin + 1) * 0.1 ? bin + 1 : bin
}

/** The sums over the rows of a bin. */
interface BinSums {
  count: number
  /** Σ w, with the weight w of a row. */
  weight: number
  /** Σ w² */
  squaredWeight: number
  /** Σ w·p, with the probability p of a row. */
  weightedP: number
  /** Σ w of the rows that came true. */
  weightedHits: number
}

/**
 * Compares in each bin the mean probability with the share of rows that came true. Empty bins are left out. `hits` has 1
 * for each row that came true, else 0. `designEffect` is the number of rows in groups that give as much evidence as one independent
 * row. For the intervals, Kish's effective size is divided by the design effect. Without a design effect, bins have no intervals.
 */
export const calibrationCurve = (
  p: Numbers,
  hits: Numbers,
  weights: Numbers,
  designEffect: number | undefined,
): ReadonlyArray<CurveBin> => {
  const sumsByBin = Array.from(
    { length: binCount },
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
    if (sums.count > 0) curve.push(createBin(sums, bin, designEffect))
  })
  return curve
}

const createBin = (sums: BinSums, bin: number, designEffect: number | undefined): CurveBin => {
  const { count, weight, squaredWeight, weightedP, weightedHits } = sums
  // Rounding errors of the sums can lift the share above 1.
  const share = Math.min(1, weightedHits / weight)
  const interval =
    designEffect === undefined
      ? { low: null, high: null }
      : wilsonInterval(share, weight ** 2 / squaredWeight / designEffect)
  return {
    lower: bin / binCount,
    upper: (bin + 1) / binCount,
    count,
    prob_pred: weightedP / weight,
    prob_true: share,
    ...interval,
  }
}

/**
 * Computes the sum over bins of |Σ weight·(p − hit)|, divided by the total weight. `getHit` returns the hit of a row: 1 if it came
 * true, else 0.
 */
const computeBinnedError = (
  p: Numbers,
  binOfRow: Numbers,
  weights: Numbers,
  getHit: (row: number) => number,
): number => {
  const gapOfBin = new Float64Array(binCount)
  let totalWeight = 0
  for (let row = 0; row < p.length; row++) {
    const weight = weights[row] as number
    const bin = binOfRow[row] as number
    gapOfBin[bin] = (gapOfBin[bin] as number) + weight * ((p[row] as number) - getHit(row))
    totalWeight += weight
  }
  return gapOfBin.reduce((total, gap) => total + Math.abs(gap), 0) / totalWeight
}

/**
 * Computes the expected calibration error: the mean distance between the mean probability of a bin and the share of its
 * rows that came true, weighted by the rows of each bin. Naeini, Cooper and Hauskrecht (2015); Guo et al. (2017).
 */
export const computeEce = (p: Numbers, hits: Numbers, weights: Numbers): number =>
  computeBinnedError(p, mapNumbers(p, findBin), weights, (row) => hits[row] as number)

/**
 * Simulates the expected calibration error of perfectly calibrated probabilities. In each of `drawCount` draws, every row comes
 * true with its predicted probability. `mean` is the mean error of the draws. It is above 0 by chance, even though the
 * probabilities are calibrated. `quantile95` is the 95 % quantile: at most 5 % of the draws have a larger error.
 */
export const simulatePerfectEce = (
  p: Numbers,
  weights: Numbers,
  drawCount: number,
  random: Random,
): { readonly mean: number; readonly quantile95: number } => {
  const binOfRow = mapNumbers(p, findBin)
  const simulated = new Float64Array(drawCount)
  for (let draw = 0; draw < drawCount; draw++)
    simulated[draw] = computeBinnedError(p, binOfRow, weights, (row) =>
      random.nextFloat() < (p[row] as number) ? 1 : 0,
    )
  const mean = simulated.reduce((total, value) => total + value, 0) / drawCount
  // The smallest of the simulated errors that at least 95 % of them do not exceed.
  return { mean, quantile95: simulated.sort()[Math.ceil(0.95 * drawCount) - 1] as number }
}
