import * as E from 'fp-ts/Either'
import { memberIn } from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import { decodeErrorMessage } from '../../../codec/service-errors'
import { maxTokensExceeded, type Problem } from '../../contract/problem'
import type { TokenCompletion } from '../readout/answers'
import { decodeCount } from './completion'

/** Regular expressions for the messages of servers about a prompt that is too long. The tests have a message of each server. */
const tooLongPhrases = [
  'context[ _](?:length|size|window)',
  'maximum model length',
  'tokens exceed',
  'prompt is too long',
  'input is too long',
  'maximum allowed length',
  'max_new_tokens` must be',
  'maximum number of tokens',
  'exceeds max length',
]
const tooLongPattern = new RegExp(tooLongPhrases.join('|'), 'i')

/**
 * Decodes the message of an error. Older versions of llama.cpp write the prompt's length in tokens and its maximum into other members.
 * Both numbers are appended to a message that does not have them.
 */
export const decodeMessageAndTokenCounts: typeof decodeErrorMessage = (body, redact) => {
  const message = decodeErrorMessage(body, redact)
  const document = parseJson(body)
  const error = E.isRight(document) ? memberIn(document.right, 'error') : undefined
  const tokens = decodeCount(memberIn(error, 'n_prompt_tokens'))
  const maxTokens = decodeCount(memberIn(error, 'n_ctx'))
  return tokens === null || maxTokens === null || describeLengths(message) !== undefined
    ? message
    : `${message} (${tokens} tokens, at most ${maxTokens})`
}

/** Matches a whole number that is not part of a word, such as `9000` or `9,000`, but not `0.12` or `gpt-4`. */
const wholeNumber = /(?<![\w.,-])(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?![\w.,-]*\w)/g

/** Returns true if an error message means that the prompt is too long. */
export const isTooLongMessage = (message: string): boolean => tooLongPattern.test(message)

/**
 * Finds the length of the prompt and the maximum in a message, and returns `: 9000 tokens, at most 8192`. In the messages of all
 * known servers these are the first two different numbers. The number 1 is skipped, because it is the number of requested tokens. The
 * larger number is the prompt's length. Returns `undefined` if the message has fewer than two such numbers. Also returns `undefined` if
 * the message counts characters, as vLLM sometimes does.
 */
export const describeLengths = (message: string): string | undefined => {
  if (message.includes(' characters')) return undefined
  const numbers = [...message.matchAll(wholeNumber)].map(([text]) =>
    Number(text.replaceAll(',', '')),
  )
  const [first, second] = new Set(numbers.filter((number) => number !== 1))
  if (first === undefined || second === undefined) return undefined
  return `: ${Math.max(first, second)} tokens, at most ${Math.min(first, second)}`
}

const space = 0x20
const lineFeed = 0x0a
const isAsciiLetter = (code: number): boolean =>
  (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

/**
 * Computes a lower bound for the number of tokens of a text: the number of its words with an ASCII letter. In any model such a
 * word has at least one token. Other words are not counted, because in other scripts a token may contain several words.
 */
export const countMinTokens = (text: string): number => {
  let words = 0
  let isWordCounted = false
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === space || code === lineFeed) isWordCounted = false
    else if (!isWordCounted && isAsciiLetter(code)) {
      words += 1
      isWordCounted = true
    }
  }
  return words
}

/**
 * Checks that the model has read at least `minTokens`, if the server reports the number. Some servers silently cut a prompt to the
 * size of their context: Ollama cuts it to `num_ctx`.
 */
export const checkPromptIsComplete = (
  completion: TokenCompletion,
  minTokens: number,
): E.Either<Problem, TokenCompletion> =>
  completion.inputTokens === null || completion.inputTokens >= minTokens
    ? E.right(completion)
    : E.left(
        maxTokensExceeded(
          'the state or the question is too long for the engine: ' +
            `it read ${completion.inputTokens} tokens of at least ${minTokens}`,
        ),
      )
