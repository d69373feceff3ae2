import * as E from 'fp-ts/Either'
import { memberIn } from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import { decodeErrorMessage } from '../../../codec/service-errors'
import { maxTokensExceeded, type Problem } from '../../contract/problem'
import type { TokenCompletion } from '../readout/answers'
import { readCount } from './completion'

/** Matches messages of engines about a prompt that is too long. The tests have a message of each engine. */
const tooLongMessage =
  /context[ _](?:length|size|window)|maximum model length|tokens exceed|prompt is too long|input is too long|maximum allowed length|max_new_tokens` must be|maximum number of tokens|exceeds max length/i

/** Reads the message of an error body. Appends the lengths that older versions of llama.cpp write into other members. */
export const readErrorMessageWithLengths: typeof decodeErrorMessage = (body, redact) => {
  const message = decodeErrorMessage(body, redact)
  const document = parseJson(body)
  const error = E.isRight(document) ? memberIn(document.right, 'error') : undefined
  const tokens = readCount(memberIn(error, 'n_prompt_tokens'))
  const maxTokens = readCount(memberIn(error, 'n_ctx'))
  return tokens === null || maxTokens === null || describeLengths(message) !== undefined
    ? message
    : `${message} (${tokens} tokens, at most ${maxTokens})`
}

/** `true` if a message of an engine means that the prompt is longer than its context. */
export const isTooLongMessage = (message: string): boolean => tooLongMessage.test(message)

/**
 * Finds the two lengths in a message, as text: `: 9000 tokens, at most 8192`. In every engine's message they are the
 * first two different numbers besides the 1 of the token that svc asks for, in either order, and the prompt's is the
 * larger. `undefined` if there are not two numbers, or if they may count characters, as in vLLM for very long
 * prompts.
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

/** Matches a whole number that is not part of a word, with or without commas between thousands. */
const wholeNumber = /(?<![\w.,-])(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?![\w.,-]*\w)/g

/**
 * Counts the words of a prompt's beginning, which have at least one token each with any model. Words are separated by blanks
 * and have an ASCII letter. Words in other scripts are not counted, because one token can contain several of them.
 */
export const countMinTokens = (prefix: string): number => {
  let words = 0
  let isCounted = false
  for (let i = 0; i < prefix.length; i += 1) {
    const code = prefix.charCodeAt(i)
    if (code === blank || code === lineFeed) isCounted = false
    else if (!isCounted && isAsciiLetter(code)) {
      words += 1
      isCounted = true
    }
  }
  return words
}

const blank = 0x20
const lineFeed = 0x0a
const isAsciiLetter = (code: number): boolean =>
  (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

/**
 * Checks that a model has read its whole prompt. Some servers silently cut a prompt to their context, as Ollama does to
 * `num_ctx`; the answer would then be about a part of the document.
 */
export const checkWholeRead = (
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
