import type { Draft } from '../../codec/json/draft'
import { choiceConfidence, scoreConfidence } from '../../codec/probabilities'
import type { Distribution, EngineQuestion } from '../contract/engine'

const places = 10_000

/** Rounds to four places. */
const roundToPlaces = (value: number): number => Math.round(value * places) / places

/**
 * Rounds probabilities to four places so that they still sum to 1: rounds each down, then gives the missing units of
 * 0.0001 to the values that lost most, the first of equal ones. A larger probability never ends up below a smaller
 * one.
 */
export const roundShares = (probabilities: ReadonlyArray<number>): ReadonlyArray<number> => {
  const units = probabilities.map((p) => Math.floor(Math.max(0, p) * places + 1e-9))
  const missing = Math.max(0, places - units.reduce((sum, unit) => sum + unit, 0))
  const lost = probabilities.map((p, i) => p * places - (units[i] ?? 0))
  const mostFirst = [...lost.keys()].sort((i, j) => (lost[j] ?? 0) - (lost[i] ?? 0))
  const raised = new Set(mostFirst.slice(0, missing))
  return units.map((unit, i) => (unit + (raised.has(i) ? 1 : 0)) / places)
}

/** The index of the largest value, the first of equal ones. */
const indexOfMost = (values: ReadonlyArray<number>): number => values.indexOf(Math.max(...values))

/** The score: Σ i·pᵢ over zero-based levels i. */
const expectedLevel = (probabilities: ReadonlyArray<number>): number =>
  probabilities.reduce((sum, p, i) => sum + p * i, 0)

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/**
 * Derives the answer to a question from the engine's distribution. `undefined` when the engine broke its
 * contract: another question type or number of options than asked for, or values that do not form a probability
 * distribution.
 */
export const deriveAnswer = (question: EngineQuestion, given: Distribution): Draft | undefined => {
  switch (question.type) {
    case 'noul':
      return given.type === 'noul' && isProbability(given.yes)
        ? { type: 'noul', noul: roundToPlaces(clamp(given.yes)) }
        : undefined
    case 'choice':
      return given.type === 'choice' &&
        isDistribution(given.probabilities, question.criteria.length)
        ? choiceAnswer(question, given.probabilities)
        : undefined
    case 'score':
      return given.type === 'score' && isDistribution(given.probabilities, question.criteria.length)
        ? scoreAnswer(question, given.probabilities)
        : undefined
  }
}

type Asked<T> = Extract<EngineQuestion, { readonly type: T }>

const choiceAnswer = (
  { criteria }: Asked<'choice'>,
  probabilities: ReadonlyArray<number>,
): Draft => {
  const shares = roundShares(probabilities)
  return {
    type: 'choice',
    choice: criteria[indexOfMost(probabilities)]?.[0] ?? '',
    confidence: roundToPlaces(choiceConfidence(Math.max(...probabilities), probabilities.length)),
    probabilities: new Map<string, Draft>(criteria.map(([label], i) => [label, shares[i] ?? 0])),
  }
}

const scoreAnswer = (
  { criteria }: Asked<'score'>,
  probabilities: ReadonlyArray<number>,
): Draft => ({
  type: 'score',
  score: roundToPlaces(expectedLevel(probabilities)),
  confidence: roundToPlaces(scoreConfidence(probabilities)),
  legend: new Map<string, Draft>(criteria.map((level, i) => [String(i), level])),
  probabilities: new Map<string, Draft>(
    roundShares(probabilities).map((share, i) => [String(i), share]),
  ),
})

const tolerance = 1e-6

const isProbability = (value: number): boolean => value >= -tolerance && value <= 1 + tolerance

const isDistribution = (values: ReadonlyArray<number>, length: number): boolean =>
  values.length === length &&
  values.every(isProbability) &&
  Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) <= tolerance
