import type { Draft } from '../../codec/json/draft'
import { computeChoiceConfidence, computeScoreConfidence } from '../../codec/probabilities'
import type { Distribution, EngineQuestion } from '../contract/engine'

/** Probabilities are rounded to units of 0.0001. A probability of 1 has this many units. */
const unitsPerOne = 10_000

/** Added to a number of units before rounding it down, because a product may be 2999.9999999999 instead of 3000. */
const roundingTolerance = 1e-9

const roundToFourPlaces = (value: number): number => Math.round(value * unitsPerOne) / unitsPerOne

/**
 * Rounds probabilities to four decimal places that sum to 1, by the largest remainder method: rounds each down, then adds 0.0001 to
 * those that lost most. Of equal losses, the first ones are raised. A larger probability is never rounded to less than a smaller one.
 */
export const roundProbabilities = (probabilities: ReadonlyArray<number>): ReadonlyArray<number> => {
  const unitCounts = probabilities.map((p) =>
    Math.floor(Math.max(0, p) * unitsPerOne + roundingTolerance),
  )
  const missingUnits = Math.max(0, unitsPerOne - unitCounts.reduce((sum, count) => sum + count, 0))
  const losses = probabilities.map((p, i) => p * unitsPerOne - (unitCounts[i] ?? 0))
  const indexesByLoss = [...losses.keys()].sort((i, j) => (losses[j] ?? 0) - (losses[i] ?? 0))
  const raisedIndexes = new Set(indexesByLoss.slice(0, missingUnits))
  return unitCounts.map((count, i) => (count + (raisedIndexes.has(i) ? 1 : 0)) / unitsPerOne)
}

/** Returns the index of the largest value. Of several equal ones it returns the first. */
const indexOfMax = (values: ReadonlyArray<number>): number => values.indexOf(Math.max(...values))

/** Computes the score: the mean of the levels 0, 1, 2, …, weighted with their probabilities. */
const computeScore = (probabilities: ReadonlyArray<number>): number =>
  probabilities.reduce((sum, p, i) => sum + p * i, 0)

const clampToProbability = (value: number): number => Math.min(1, Math.max(0, value))

/**
 * Derives the answer to a question from the engine's distribution. A `noul` is a yes/no question. Returns `undefined` if the
 * distribution does not have the question's type and number of options, or is not a probability distribution.
 */
export const deriveAnswer = (
  question: EngineQuestion,
  distribution: Distribution,
): Draft | undefined => {
  switch (question.type) {
    case 'noul':
      return distribution.type === 'noul' && isProbability(distribution.yes)
        ? { type: 'noul', noul: roundToFourPlaces(clampToProbability(distribution.yes)) }
        : undefined
    case 'choice':
      return distribution.type === 'choice' &&
        isDistribution(distribution.probabilities, question.criteria.length)
        ? deriveChoice(question, distribution.probabilities)
        : undefined
    case 'score':
      return distribution.type === 'score' &&
        isDistribution(distribution.probabilities, question.criteria.length)
        ? deriveScore(question, distribution.probabilities)
        : undefined
  }
}

type QuestionOfType<T> = Extract<EngineQuestion, { readonly type: T }>

const deriveChoice = (
  { criteria }: QuestionOfType<'choice'>,
  probabilities: ReadonlyArray<number>,
): Draft => {
  const rounded = roundProbabilities(probabilities)
  return {
    type: 'choice',
    choice: criteria[indexOfMax(probabilities)]?.[0] ?? '',
    confidence: roundToFourPlaces(
      computeChoiceConfidence(Math.max(...probabilities), probabilities.length),
    ),
    probabilities: new Map<string, Draft>(criteria.map(([label], i) => [label, rounded[i] ?? 0])),
  }
}

const deriveScore = (
  { criteria }: QuestionOfType<'score'>,
  probabilities: ReadonlyArray<number>,
): Draft => ({
  type: 'score',
  score: roundToFourPlaces(computeScore(probabilities)),
  confidence: roundToFourPlaces(computeScoreConfidence(probabilities)),
  legend: new Map<string, Draft>(criteria.map((level, i) => [String(i), level])),
  probabilities: new Map<string, Draft>(
    roundProbabilities(probabilities).map((rounded, i) => [String(i), rounded]),
  ),
})

/** The maximum rounding error of an engine's probabilities and of their sum. */
const tolerance = 1e-6

const isProbability = (value: number): boolean => value >= -tolerance && value <= 1 + tolerance

const isDistribution = (values: ReadonlyArray<number>, length: number): boolean =>
  values.length === length &&
  values.every(isProbability) &&
  Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) <= tolerance
