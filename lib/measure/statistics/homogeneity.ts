import { createRandom, type Random } from '../../runtime/random'
import { avoidZero, logGamma } from './beta'
import { type Interval, wilsonInterval } from './intervals'

/** The numbers of rows with each decision, in two independent samples. */
export interface TwoSamples {
  readonly a: ReadonlyArray<number>
  /** As long as `a`. */
  readonly b: ReadonlyArray<number>
}

/** A share that was observed in a number of rows, or in an effective number of rows. */
interface ObservedShare {
  readonly share: number
  readonly n: number
}

/**
 * Computes the 95 % interval of the difference of two shares from independent samples, b − a, from Wilson's interval of each share.
 * Newcombe, Statist. Med. 17 (1998), method 10.
 */
export const newcombeInterval = (a: ObservedShare, b: ObservedShare): Interval => {
  const intervalOfA = wilsonInterval(a.share, a.n)
  const intervalOfB = wilsonInterval(b.share, b.n)
  const difference = b.share - a.share
  return {
    low: difference - Math.hypot(b.share - intervalOfB.low, intervalOfA.high - a.share),
    high: difference + Math.hypot(intervalOfB.high - b.share, a.share - intervalOfA.low),
  }
}

/** The number of draws of the permutation test. */
const permutationDraws = 9_999

/** If a decision is expected less often than this in a sample, the chi-square distribution is not a good approximation. */
const minExpected = 5

/**
 * Computes the p-value of the chi-square test of homogeneity: the probability of samples that differ at least as much, if both come from
 * one source. If an expected number is below 5, draws 9,999 permutations of the rows instead, and p is (1 + hits)/10,000. Decisions
 * that do not occur are ignored. With fewer than two decisions, p is 1.
 */
export const computeHomogeneityPValue = ({ a, b }: TwoSamples, seed: number): number => {
  const occurring = a.map((_, k) => k).filter((k) => countBoth(a, b, k) > 0)
  const samples = {
    a: occurring.map((k) => a[k] as number),
    b: occurring.map((k) => b[k] as number),
  }
  if (occurring.length < 2) return 1
  const statistic = computeChiSquare(samples)
  return findSmallestExpected(samples) < minExpected
    ? permute(samples, statistic, createRandom(seed))
    : computeChiSquareTail(statistic, occurring.length - 1)
}

const countBoth = (a: TwoSamples['a'], b: TwoSamples['b'], k: number): number =>
  (a[k] as number) + (b[k] as number)

const sum = (counts: ReadonlyArray<number>): number =>
  counts.reduce((total, count) => total + count, 0)

const findSmallestExpected = ({ a, b }: TwoSamples): number => {
  const smallestSample = Math.min(sum(a), sum(b))
  const rarest = Math.min(...a.map((_, k) => countBoth(a, b, k)))
  return (smallestSample * rarest) / (sum(a) + sum(b))
}

/** Computes Pearson's statistic of homogeneity. Each decision occurs in at least one sample. */
const computeChiSquare = ({ a, b }: TwoSamples): number => {
  const sizeOfA = sum(a)
  const sizeOfB = sum(b)
  let statistic = 0
  for (let k = 0; k < a.length; k++) {
    const share = countBoth(a, b, k) / (sizeOfA + sizeOfB)
    // An empty sample cannot differ from the other.
    if (sizeOfA > 0) statistic += ((a[k] as number) - sizeOfA * share) ** 2 / (sizeOfA * share)
    if (sizeOfB > 0) statistic += ((b[k] as number) - sizeOfB * share) ** 2 / (sizeOfB * share)
  }
  return statistic
}

/** Rounding errors must not keep a permutation from reaching the statistic of the same samples. */
const tolerance = 1e-9

const permute = ({ a, b }: TwoSamples, statistic: number, random: Random): number => {
  const totals = a.map((_, k) => countBoth(a, b, k))
  const drawnA = new Array<number>(a.length).fill(0)
  const logFactorials = listLogFactorials(sum(totals))
  let hits = 0
  for (let draw = 0; draw < permutationDraws; draw++) {
    let left = sum(totals)
    let leftOfA = sum(a)
    for (let k = 0; k < totals.length; k++) {
      const total = totals[k] as number
      drawnA[k] = drawHypergeometric(
        { total: left, marked: total, drawn: leftOfA, logFactorials },
        random,
      )
      left -= total
      leftOfA -= drawnA[k] as number
    }
    const drawnB = totals.map((total, k) => total - (drawnA[k] as number))
    if (computeChiSquare({ a: drawnA, b: drawnB }) >= statistic * (1 - tolerance)) hits++
  }
  return (1 + hits) / (permutationDraws + 1)
}

/** An urn with `total` balls, of which `marked` are marked, and from which `drawn` are drawn without replacement. */
interface Urn {
  readonly total: number
  readonly marked: number
  readonly drawn: number
  /** ln n! at index n, up to `total`. */
  readonly logFactorials: Float64Array
}

const listLogFactorials = (max: number): Float64Array => {
  const logs = new Float64Array(max + 1)
  for (let n = 2; n <= max; n++) logs[n] = (logs[n - 1] as number) + Math.log(n)
  return logs
}

/**
 * Draws the number of marked balls. Searches from the likeliest number in both directions, so the time grows with the standard
 * deviation of that number.
 */
const drawHypergeometric = (urn: Urn, random: Random): number => {
  const { total, marked, drawn, logFactorials } = urn
  const min = Math.max(0, drawn + marked - total)
  const max = Math.min(drawn, marked)
  if (min === max) return min
  const mode = Math.min(max, Math.floor(((drawn + 1) * (marked + 1)) / (total + 2)))
  const logChoose = (n: number, k: number): number =>
    (logFactorials[n] as number) - (logFactorials[k] as number) - (logFactorials[n - k] as number)
  const probabilityOfMode = Math.exp(
    logChoose(marked, mode) + logChoose(total - marked, drawn - mode) - logChoose(total, drawn),
  )
  let rest = random.nextFloat() - probabilityOfMode
  let below = mode
  let above = mode
  let probabilityBelow = probabilityOfMode
  let probabilityAbove = probabilityOfMode
  while (rest >= 0 && (below > min || above < max)) {
    if (above < max) {
      // The ratio of the probabilities of neighbouring numbers.
      probabilityAbove *=
        ((marked - above) * (drawn - above)) / ((above + 1) * (total - marked - drawn + above + 1))
      above++
      rest -= probabilityAbove
      if (rest < 0) return above
    }
    if (below > min) {
      probabilityBelow *=
        (below * (total - marked - drawn + below)) / ((marked - below + 1) * (drawn - below + 1))
      below--
      rest -= probabilityBelow
      if (rest < 0) return below
    }
  }
  return mode
}

/** Computes P(X ≥ statistic) for the chi-square distribution: Q(degrees/2, statistic/2). */
const computeChiSquareTail = (statistic: number, degrees: number): number =>
  computeUpperGamma(degrees / 2, statistic / 2)

/** Prevents an endless loop. For the numbers of labels that svc allows, a few hundred steps are enough. */
const maxSteps = 100_000

/** Computes the regularised upper incomplete gamma function Q(s, x) for s ≥ 1/2 (Press et al., Numerical Recipes, 6.2). */
const computeUpperGamma = (s: number, x: number): number => {
  if (x <= 0) return 1
  const prefactor = Math.exp(s * Math.log(x) - x - logGamma(s))
  if (x < s + 1) {
    let term = 1 / s
    let series = term
    for (let i = 1; i < maxSteps && term > series * 1e-16; i++) {
      term *= x / (s + i)
      series += term
    }
    return 1 - prefactor * series
  }
  // Lentz's method for the continued fraction.
  let b = x + 1 - s
  let c = 1e300
  let d = 1 / avoidZero(b)
  let fraction = d
  for (let i = 1; i < maxSteps; i++) {
    const term = -i * (i - s)
    b += 2
    d = 1 / avoidZero(term * d + b)
    c = avoidZero(b + term / c)
    fraction *= c * d
    if (Math.abs(c * d - 1) < 1e-15) break
  }
  return prefactor * fraction
}
