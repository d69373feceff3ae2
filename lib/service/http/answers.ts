import { quoted } from '../../json/draft'
import { type Json, textOf } from '../../json/json'
import type { Distribution } from '../engines/engine'

/** Labels or levels of a question, as they go into the answer. */
export type AnswerShape =
  | { readonly type: 'noul' }
  | { readonly type: 'choice'; readonly labels: ReadonlyArray<string> }
  | { readonly type: 'score'; readonly levels: ReadonlyArray<Json> }

const places = 10_000

/** Rounds to four places. */
const rounded = (value: number): number => Math.round(value * places) / places

/**
 * Rounds probabilities to four places so that they still sum to 1: each is cut, and what is
 * missing goes to the largest remainders, the first of equal ones. The order of sizes stays. D41
 */
export const roundedShares = (probabilities: ReadonlyArray<number>): ReadonlyArray<number> => {
  const units = probabilities.map((p) => Math.floor(Math.max(0, p) * places + 1e-9))
  let missing = places
  for (const unit of units) missing -= unit
  const remainders = missing > 0 ? probabilities.map((p, i) => p * places - (units[i] ?? 0)) : []
  for (let given = 0; given < missing && given < units.length; given++) {
    const next = indexOfMost(remainders)
    units[next] = (units[next] ?? 0) + 1
    remainders[next] = Number.NEGATIVE_INFINITY
  }
  return units.map((n) => n / places)
}

/** The index of the largest value, the first of equal ones. */
const indexOfMost = (values: ReadonlyArray<number>): number => {
  let best = 0
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) > (values[best] ?? 0)) best = i
  return best
}

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
const expectedLevel = (probabilities: ReadonlyArray<number>): number =>
  probabilities.reduce((sum, p, i) => sum + p * i, 0)

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/**
 * Writes a distribution as the service answers it; `undefined` when the engine broke its word: another
 * type or number of options than asked, or values that are no distribution.
 */
export type AnswerWriter = (given: Distribution) => string | undefined

/** The writer of answers to one question; labels and legend are written only once. */
export const answerWriter = (shape: AnswerShape): AnswerWriter => {
  switch (shape.type) {
    case 'noul':
      return (given) =>
        given.type === 'noul' && isProbability(given.yes)
          ? `{"type":"noul","noul":${rounded(clamp(given.yes))}}`
          : undefined
    case 'choice': {
      const write = choiceWriter(shape.labels)
      return (given) =>
        given.type === 'choice' && isDistribution(given.probabilities, shape.labels.length)
          ? write(given.probabilities)
          : undefined
    }
    case 'score': {
      const write = scoreWriter(shape.levels)
      return (given) =>
        given.type === 'score' && isDistribution(given.probabilities, shape.levels.length)
          ? write(given.probabilities)
          : undefined
    }
  }
}

type Write = (probabilities: ReadonlyArray<number>) => string

const choiceWriter = (labels: ReadonlyArray<string>): Write => {
  const names = labels.map(quoted)
  return (probabilities) => {
    const choice = names[indexOfMost(probabilities)] ?? '""'
    const confidence = rounded(choiceConfidence(probabilities))
    const shares = sharesText(names, probabilities)
    return `{"type":"choice","choice":${choice},"confidence":${confidence},"probabilities":${shares}}`
  }
}

const scoreWriter = (levels: ReadonlyArray<Json>): Write => {
  const names = levels.map((_, i) => `"${i}"`)
  const legend = `{${levels.map((level, i) => `${names[i]}:${textOf(level)}`).join(',')}}`
  return (probabilities) => {
    const score = rounded(expectedLevel(probabilities))
    const confidence = rounded(scoreConfidence(probabilities))
    const shares = sharesText(names, probabilities)
    return `{"type":"score","score":${score},"confidence":${confidence},"legend":${legend},"probabilities":${shares}}`
  }
}

const sharesText = (names: ReadonlyArray<string>, probabilities: ReadonlyArray<number>): string => {
  const shares = roundedShares(probabilities)
  let text = '{'
  for (let i = 0; i < names.length; i++) {
    text += `${i === 0 ? '' : ','}${names[i]}:${shares[i] ?? 0}`
  }
  return `${text}}`
}

const tolerance = 1e-6

const isProbability = (value: number): boolean => value >= -tolerance && value <= 1 + tolerance

const isDistribution = (values: ReadonlyArray<number>, length: number): boolean =>
  values.length === length &&
  values.every(isProbability) &&
  Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) <= tolerance
