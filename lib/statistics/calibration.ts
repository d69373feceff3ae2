import { type Interval, wilson } from './intervals'
import { effectiveSize, type Numbers } from './numbers'
import type { Random } from './random'

/** A tenth of [0, 1], with the rows whose probability falls into it. */
export type CurveBin = Interval & {
  readonly lower: number
  readonly upper: number
  /** The number of rows. */
  readonly count: number
  /**
   * The mean probability, and the share of rows that came true. `low` and `high` are the 95 % interval of that
   * share.
   */
  readonly prob_pred: number
  readonly prob_true: number
}

const bins = 10

/** The bin of a probability. Bins are equal and include their lower end; the last also includes 1. R19 */
export const binOf = (p: number): number => Math.min(Math.floor(p * bins), bins - 1)

/**
 * For each tenth of probabilities, how often what was predicted came true. Empty tenths are left out. `hits`
 * are 1 or 0.
 */
export const calibrationCurve = (
  p: Numbers,
  hits: Numbers,
  weights: Numbers,
): ReadonlyArray<CurveBin> => {
  const inBin: number[][] = Array.from({ length: bins }, () => [])
  for (let i = 0; i < p.length; i++) inBin[binOf(p[i] as number)]?.push(i)
  return inBin.flatMap((rows, bin) => {
    if (rows.length === 0) return []
    let weight = 0
    let said = 0
    let hitWeight = 0
    for (const i of rows) {
      const w = weights[i] as number
      weight += w
      said += w * (p[i] as number)
      hitWeight += w * (hits[i] as number)
    }
    const n = effectiveSize(rows.map((i) => weights[i] as number))
    const share = Math.min(1, hitWeight / weight)
    return [
      {
        lower: bin / bins,
        upper: (bin + 1) / bins,
        count: rows.length,
        prob_pred: said / weight,
        prob_true: share,
        ...wilson(share, n),
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
  gap(p, Uint8Array.from(p, binOf), weights, (i) => hits[i] as number)

/**
 * The mean `ece` that a perfectly calibrated source would show with these probabilities and this many rows: it
 * is simulated `draws` times that each row comes true with its predicted probability. It is above 0 by chance
 * alone. R19
 */
export const expectedEce = (
  p: Numbers,
  weights: Numbers,
  draws: number,
  random: Random,
): number => {
  const bin = Uint8Array.from(p, binOf)
  let total = 0
  for (let draw = 0; draw < draws; draw++)
    total += gap(p, bin, weights, (i) => (random.unit() < (p[i] as number) ? 1 : 0))
  return total / draws
}
