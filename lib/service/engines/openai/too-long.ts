import * as E from 'fp-ts/Either'
import { errorMessage } from '../../../codec/service-errors'
import { memberIn } from '../../../json/json'
import { parseJson } from '../../../json/parse'
import { countOf } from './completion'

/**
 * Matches the ways in which engines say that a prompt is too long:
 * - OpenAI: `This model's maximum context length is 8192 tokens. However, your messages resulted in 9000
 *   tokens.`
 * - vLLM: the same with `you requested 9000 tokens` or `your request has 9000 input tokens`, and `The decoder
 *   prompt (length 9000) is longer than the maximum model length of 8192.`
 * - SGLang: `The input (9000 tokens) is longer than the model's context length (8192 tokens).`
 * - llama.cpp: `request (9000 tokens) exceeds the available context size (8192 tokens)`; older versions put the
 *   numbers into members of their own, some with status 500
 * - LM Studio: `Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded
 *   with context length of only 8192 tokens`, or `(n_keep: 9000>= n_ctx: 8192)`
 * - Ollama: `the input length exceeds the context length`
 * - OpenAI's newer models: `Input tokens exceed the configured limit of 8192 tokens. Your messages resulted in
 *   9000`
 */
const phrases =
  /context[ _](?:length|size|window)|maximum model length|tokens exceed|prompt is too long|input is too long|maximum allowed length/i

/**
 * Reads the message of an error body. Adds the two lengths that older versions of llama.cpp report in members
 * of their own.
 */
export const errorMessageWithLengths: typeof errorMessage = (body, redact) => {
  const message = errorMessage(body, redact)
  const document = parseJson(body)
  const error = E.isRight(document) ? memberIn(document.right, 'error') : undefined
  const [tokens, most] = [
    countOf(memberIn(error, 'n_prompt_tokens')),
    countOf(memberIn(error, 'n_ctx')),
  ]
  return tokens === null || most === null || lengthsIn(message) !== undefined
    ? message
    : `${message} (${tokens} tokens, at most ${most})`
}

/** Whether a message of an engine means that the prompt is longer than its context. D77 */
export const saysTooLong = (message: string): boolean => phrases.test(message)

/**
 * The two lengths in a message, as text: `: 9000 tokens, at most 8192`. In every engine's message they are the
 * first two numbers, in either order, and the prompt's is the larger. `undefined` where there are not two
 * numbers.
 */
export const lengthsIn = (message: string): string | undefined => {
  const [one, other] = [...message.matchAll(/(?<![\w.-])\d{1,12}(?![\w.-]*\w)/g)].map(Number)
  if (one === undefined || other === undefined) return undefined
  return `: ${Math.max(one, other)} tokens, at most ${Math.min(one, other)}`
}
