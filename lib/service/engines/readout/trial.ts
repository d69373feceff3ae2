import * as E from 'fp-ts/Either'
import type { EngineQuestion } from '../../contract/engine'
import { type Candidate, readLetters } from './letters'
import { formatOptions, formatQuestion } from './prompt'
import { formatPercent, minMass } from './read-distribution'

const instructions = 'Does the material say that the sky is blue?'
const question: EngineQuestion = { type: 'noul', instructions }

/** The state of the trial question. svc asks a model this question before it uses the model. */
export const trialState = 'The sky is blue.'

/** The end of the prompt for the trial question. */
export const trialQuestion = formatQuestion(question, formatOptions(question))

/**
 * Checks that a model answered the trial question with a letter. Fails with a message for the operator. `advice` is added if the
 * model would write something else.
 */
export const checkTrial = (
  candidates: ReadonlyArray<Candidate>,
  model: string,
  advice: string,
): E.Either<string, void> => {
  const readout = readLetters(candidates, 2)
  if (E.isLeft(readout))
    return E.left(`the answer of the model "${model}" cannot be used: ${readout.left}`)
  const { mass } = readout.right
  return mass >= minMass
    ? E.right(undefined)
    : E.left(
        `the model "${model}" puts only ${formatPercent(mass)} of its probability on the option letters; ` +
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
