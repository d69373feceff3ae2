import * as E from 'fp-ts/Either'
import { memberIn } from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import { decodeErrorMessage } from '../../../codec/service-errors'
import { maxTokensExceeded, type Problem } from '../../contract/problem'
import type { TokenCompletion } from '../readout/answers'
import { countOf } from './completion'

/** Matches the ways in which engines say that a prompt is too long; the tests have the sentences of each. */
const phrases =
  /context[ _](?:length|size|window)|maximum model length|tokens exceed|prompt is too long|input is too long|maximum allowed length|max_new_tokens` must be|maximum number of tokens|exceeds max length/i

/** Reads the message of an error body, and the lengths that older versions of llama.cpp write into members beside it. */
export const errorMessageWithLengths: typeof decodeErrorMessage = (body, redact) => {
  const message = decodeErrorMessage(body, redact)
  const document = parseJson(body)
  const error = E.isRight(document) ? memberIn(document.right, 'error') : undefined
  const tokens = countOf(memberIn(error, 'n_prompt_tokens'))
  const most = countOf(memberIn(error, 'n_ctx'))
  return tokens === null || most === null || lengthsIn(message) !== undefined
    ? message
    : `${message} (${tokens} tokens, at most ${most})`
}

/** True if a message of an engine means that the prompt is longer than its context. */
export const saysTooLong = (message: string): boolean => phrases.test(message)

/**
 * Finds the two lengths in a message, as text: `: 9000 tokens, at most 8192`. In every engine's message they are the
 * first two different numbers besides the 1 of the token that svc asks for, in either order, and the prompt's is the
 * larger. `undefined` if there are not two numbers, or if they may count characters, as in vLLM for very long
 * prompts.
 */
export const lengthsIn = (message: string): string | undefined => {
  if (message.includes(' characters')) return undefined
  const numbers = [...message.matchAll(length)].map(([text]) => Number(text.replaceAll(',', '')))
  const [one, other] = new Set(numbers.filter((number) => number !== 1))
  if (one === undefined || other === undefined) return undefined
  return `: ${Math.max(one, other)} tokens, at most ${Math.min(one, other)}`
}

/** Matches a whole number that is not part of a word, with or without commas between thousands. */
const length = /(?<![\w.,-])(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?![\w.,-]*\w)/g

/**
 * Computes the minimum number of tokens in a prompt's beginning for any model: no token spans two words. Words are
 * separated by blanks and have an ASCII letter. Other scripts are left out, because one token can contain several of
 * their words.
 */
export const countMinTokens = (prefix: string): number => {
  let words = 0
  let isCounted = false
  for (let at = 0; at < prefix.length; at += 1) {
    const code = prefix.charCodeAt(at)
    if (code === blank || code === lineFeed) isCounted = false
    else if (!isCounted && isLetter(code)) {
      words += 1
      isCounted = true
    }
  }
  return words
}

const [blank, lineFeed] = [0x20, 0x0a]
const isLetter = (code: number): boolean =>
  (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

/**
 * Checks that a model has read its whole prompt. Some servers cut a prompt to their context without a word, as Ollama does
 * to `num_ctx`; an answer would then be about half a document.
 */
export const checkRead = (
  completion: TokenCompletion,
  minTokens: number,
): E.Either<Problem, TokenCompletion> =>
  completion.input === null || completion.input >= minTokens
    ? E.right(completion)
    : E.left(
        maxTokensExceeded(
          'the state or the question is too long for the engine: ' +
            `it read ${completion.input} tokens of at least ${minTokens}`,
        ),
      )
