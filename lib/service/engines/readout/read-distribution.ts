import * as E from 'fp-ts/Either'
import { engineFailed, type Problem } from '../../contract/problem'
import { type Candidate, readLetters } from './letters'

/** The minimum total probability of the letters. Below it, the model's likeliest answer is not a letter. */
export const minLetterProbability = 0.5

/** The message for an answer without log-probabilities. */
export const noLogprobs = 'the engine returned no log-probabilities'

/**
 * Reads the distribution over `optionCount` options from the likeliest tokens. Fails if there are no usable log-probabilities, or if
 * the probability of all letters together is below `minLetterProbability`.
 */
export const readDistribution = (
  candidates: ReadonlyArray<Candidate>,
  optionCount: number,
  temperature: number,
): E.Either<Problem, ReadonlyArray<number>> => {
  if (candidates.length === 0) return E.left(engineFailed(noLogprobs))
  const readout = readLetters(candidates, optionCount)
  if (E.isLeft(readout))
    return E.left(engineFailed(`the engine's answer cannot be used: ${readout.left}`))
  const { letterProbability, logprobs } = readout.right
  return letterProbability < minLetterProbability
    ? E.left(
        engineFailed(
          `the option letters hold only ${formatPercent(letterProbability)} of the probability`,
        ),
      )
    : E.right(softmax(logprobs, temperature))
}

/** Formats a share from 0 to 1 as a percentage. It has one decimal below 10 %. */
export const formatPercent = (share: number): string =>
  `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`

/**
 * Computes probabilities that are proportional to e^(score / temperature). A temperature above 1 flattens the distribution, one
 * below 1 sharpens it. Equal scores get exactly equal probabilities.
 */
export const softmax = (
  scores: ReadonlyArray<number>,
  temperature: number,
): ReadonlyArray<number> => {
  const max = Math.max(...scores)
  const weights = scores.map((score) => Math.exp((score - max) / temperature))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}
