import * as E from 'fp-ts/Either'
import type { EngineQuestion } from '../../contract/engine'
import { type Candidate, readLetters } from './letters'
import { formatOptions, formatQuestion } from './prompt'
import { formatPercent, minLetterProbability } from './read-distribution'

/** svc asks a model this yes/no question before it uses the model. */
const trialQuestion: EngineQuestion = {
  type: 'noul',
  instructions: 'Does the material say that the sky is blue?',
}

/** The options of the trial question are yes and no. */
const optionCount = 2

/** The state of the trial question. */
export const trialState = 'The sky is blue.'

/** The end of the prompt for the trial question. */
export const trialEnd = formatQuestion(trialQuestion, formatOptions(trialQuestion))

/**
 * Checks that a model answered the trial question with the letter of an option; which one does not matter. Fails with a message for
 * the operator. The message ends with `advice` if the model would rather write something else than a letter.
 */
export const checkTrial = (
  candidates: ReadonlyArray<Candidate>,
  model: string,
  advice: string,
): E.Either<string, void> => {
  const readout = readLetters(candidates, optionCount)
  if (E.isLeft(readout))
    return E.left(`the answer of the model "${model}" cannot be used: ${readout.left}`)
  const { letterProbability } = readout.right
  return letterProbability >= minLetterProbability
    ? E.right(undefined)
    : E.left(
        `the model "${model}" puts only ${formatPercent(letterProbability)} of its probability on the option letters; ` +
          `likeliest are ${formatLikeliest(candidates)}. ${advice}`,
      )
}

const maxShownTokens = 3

const formatLikeliest = (candidates: ReadonlyArray<Candidate>): string =>
  [...candidates]
    .sort((a, b) => b.logprob - a.logprob)
    .slice(0, maxShownTokens)
    .map(({ token, logprob }) => `${JSON.stringify(token)} (${formatPercent(Math.exp(logprob))})`)
    .join(', ')
