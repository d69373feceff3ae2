import { type Draft, Entries } from '../json/draft'
import type { Json } from '../json/json'
import type { Distribution } from './engine'

/** Labels or levels of a question, as they go into the answer. */
export type AnswerShape =
  | { readonly type: 'noul' }
  | { readonly type: 'choice'; readonly labels: ReadonlyArray<string | Json> }
  | { readonly type: 'score'; readonly levels: ReadonlyArray<Json> }

const places = 10_000

/** Rounds to four places. */
export const rounded = (value: number): number => Math.round(value * places) / places

/**
 * Rounds probabilities to four places so that they still sum to 1: each is cut, and what is
 * missing goes to the largest remainders, the first of equal ones. The order of sizes stays. D41
 */
export const roundedShares = (probabilities: ReadonlyArray<number>): ReadonlyArray<number> => {
  const units = probabilities.map((p) => Math.floor(Math.max(0, p) * places + 1e-9))
  let missing = places - units.reduce((sum, n) => sum + n, 0)
  if (missing > 0) {
    const remainder = (index: number): number =>
      (probabilities[index] ?? 0) * places - (units[index] ?? 0)
    const order = units.map((_, index) => index)
    const remainders = order.map(remainder)
    order.sort((a, b) => (remainders[b] ?? 0) - (remainders[a] ?? 0) || a - b)
    for (const index of order) {
      if (missing-- <= 0) break
      units[index] = (units[index] ?? 0) + 1
    }
  }
  return units.map((n) => n / places)
}

/** The index of the largest value, the first of equal ones. */
const indexOfMost = (values: ReadonlyArray<number>): number =>
  values.reduce((best, value, index) => (value > (values[best] ?? 0) ? index : best), 0)

/** (K·pmax − 1)/(K − 1); 1 for a single label. D41 */
export const choiceConfidence = (probabilities: ReadonlyArray<number>): number => {
  const k = probabilities.length
  if (k === 1) return 1
  return clamp((k * Math.max(...probabilities) - 1) / (k - 1))
}

/** 1 − E|i − mode| / mean|i − (K−1)/2|, not below 0. D41 */
export const scoreConfidence = (probabilities: ReadonlyArray<number>): number => {
  const k = probabilities.length
  const mode = indexOfMost(probabilities)
  const spread = probabilities.reduce((sum, p, i) => sum + p * Math.abs(i - mode), 0)
  const flat = probabilities.reduce((sum, _, i) => sum + Math.abs(i - (k - 1) / 2), 0) / k
  return clamp(1 - spread / flat)
}

/** Σ i·pᵢ over zero-based levels. D41 */
export const expectedLevel = (probabilities: ReadonlyArray<number>): number =>
  probabilities.reduce((sum, p, i) => sum + p * i, 0)

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/**
 * The distribution as the service answers it, or `undefined` when the engine broke its word: another
 * type or number of options than asked, or values that are no distribution.
 */
export const answerOf = (shape: AnswerShape, given: Distribution): Draft | undefined => {
  if (shape.type !== given.type) return undefined
  if (given.type === 'noul') {
    return isProbability(given.yes) ? { type: 'noul', noul: rounded(clamp(given.yes)) } : undefined
  }
  const { probabilities } = given
  if (shape.type === 'choice') {
    return isDistribution(probabilities, shape.labels.length)
      ? choiceAnswer(shape.labels, probabilities)
      : undefined
  }
  return shape.type === 'score' && isDistribution(probabilities, shape.levels.length)
    ? scoreAnswer(shape.levels, probabilities)
    : undefined
}

const choiceAnswer = (
  labels: ReadonlyArray<string | Json>,
  probabilities: ReadonlyArray<number>,
): Draft => {
  const shares = roundedShares(probabilities)
  return {
    type: 'choice',
    choice: labels[indexOfMost(probabilities)] ?? '',
    confidence: rounded(choiceConfidence(probabilities)),
    probabilities: new Entries(labels.map((label, i) => [label, shares[i] ?? 0] as const)),
  }
}

const scoreAnswer = (levels: ReadonlyArray<Json>, probabilities: ReadonlyArray<number>): Draft => {
  const shares = roundedShares(probabilities)
  return {
    type: 'score',
    score: rounded(expectedLevel(probabilities)),
    confidence: rounded(scoreConfidence(probabilities)),
    legend: new Entries(levels.map((level, i) => [String(i), level] as const)),
    probabilities: new Entries(shares.map((share, i) => [String(i), share] as const)),
  }
}

const tolerance = 1e-6

const isProbability = (value: number): boolean => value >= -tolerance && value <= 1 + tolerance

const isDistribution = (values: ReadonlyArray<number>, length: number): boolean =>
  values.length === length &&
  values.every(isProbability) &&
  Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) <= tolerance
