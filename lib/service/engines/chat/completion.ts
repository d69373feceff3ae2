import * as E from 'fp-ts/Either'
import {
  itemsIn,
  type JsonValue,
  Literal,
  memberIn,
  numberIn,
  numberOf,
  stringIn,
} from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import { type Failure, invalidResponse } from '../../../failure/failure'
import type { TokenCompletion } from '../readout/answers'
import type { Candidate } from '../readout/letters'

/** vLLM writes this log-probability for a probability of zero. svc also uses it for the null of other servers. */
const zeroProbabilityLogprob = -9999

/** The path of the first generated token, for messages. */
const tokenPath = 'choices[0].logprobs.content[0]'

/** The maximum number of listed tokens. It limits the time for decoding, and is far above the 20 that svc requests. */
const maxCandidates = 256

/**
 * Decodes a chat completion. The candidates are the first generated token and the likely tokens in its list. Fails if the body is not
 * JSON, if there is no choice, if more than `maxCandidates` tokens are listed, or if a token is invalid. Servers differ:
 * - vLLM, SGLang and Ollama write `{token, logprob, bytes}`, and `bytes` may be null.
 * - llama.cpp adds an `id`, and may list the same text with two ids.
 * - The generated token may be missing in the list.
 * - The logarithm of the probability 0 is the lowest float in llama.cpp, -9999.0 in vLLM, and null in other servers.
 * - A server without log-probabilities omits `logprobs`, sets it to null, or writes an empty list.
 */
export const decodeCompletion = (body: Uint8Array): E.Either<Failure, TokenCompletion> => {
  const document = parseResponse(body)
  if (E.isLeft(document)) return document
  const [choice] = itemsIn(memberIn(document.right, 'choices'))
  if (choice === undefined) return E.left(invalidResponse('choices', 'is missing or empty'))
  const [generatedToken] = itemsIn(memberIn(memberIn(choice, 'logprobs'), 'content'))
  const listedTokens = itemsIn(memberIn(generatedToken, 'top_logprobs'))
  if (listedTokens.length > maxCandidates)
    return E.left(invalidResponse(tokenPath, `lists more than ${maxCandidates} tokens`))
  const candidates =
    generatedToken === undefined ? [] : decodeCandidates(generatedToken, listedTokens)
  if (candidates === undefined)
    return E.left(invalidResponse(tokenPath, 'has no token and logprob'))
  const usage = memberIn(document.right, 'usage')
  return E.right({
    candidates,
    inputTokens: decodeCount(memberIn(usage, 'prompt_tokens')),
    outputTokens: decodeCount(memberIn(usage, 'completion_tokens')),
    isThinking: isThinking(memberIn(choice, 'message'), candidates),
  })
}

/** The members of a message in which servers write the thoughts of a model. */
const thoughtMembers = ['reasoning_content', 'reasoning', 'thinking']

/** Matches the tokens with which models begin their thoughts, such as `<think>`, `[THINK]` and `<|channel|>`. */
const thoughtToken = /^\s*(?:<\|?(?:think|thought|reason|channel|analysis)|\[think)/i

const isThinking = (
  message: JsonValue | undefined,
  candidates: ReadonlyArray<Candidate>,
): boolean =>
  thoughtMembers.some((name) => stringIn(memberIn(message, name))) ||
  candidates.some(({ token, logprob }) => thoughtToken.test(token) && logprob > Math.log(0.5))

/**
 * Decodes the ids of a model list, `{"data": [{"id": …}]}`. Skips entries without an id. Fails if the body is not JSON, or if `data` is
 * not an array.
 */
export const decodeModelIds = (body: Uint8Array): E.Either<Failure, ReadonlyArray<string>> => {
  const document = parseResponse(body)
  if (E.isLeft(document)) return document
  const data = memberIn(document.right, 'data')
  return Array.isArray(data)
    ? E.right(data.flatMap((entry) => stringIn(memberIn(entry, 'id')) ?? []))
    : E.left(invalidResponse('data', 'is missing or no array'))
}

const parseResponse = (body: Uint8Array): E.Either<Failure, JsonValue> => {
  const document = parseJson(body)
  return E.isLeft(document) ? E.left(invalidResponse('', document.left.message)) : document
}

/** Decodes the listed tokens, with the generated token if it is not among them. Returns `undefined` if a token is invalid. */
const decodeCandidates = (
  generatedToken: JsonValue,
  listedTokens: ReadonlyArray<JsonValue>,
): ReadonlyArray<Candidate> | undefined => {
  const generated = decodeCandidate(generatedToken)
  if (generated === undefined) return undefined
  const listed: Array<Candidate> = []
  for (const listedToken of listedTokens) {
    const candidate = decodeCandidate(listedToken)
    if (candidate === undefined) return undefined
    listed.push(candidate)
  }
  const isListed = listed.some(({ token }) => token === generated.token)
  return isListed ? listed : [generated, ...listed]
}

const decodeCandidate = (entry: JsonValue): Candidate | undefined => {
  const token = stringIn(memberIn(entry, 'token'))
  const logprob = decodeLogprob(memberIn(entry, 'logprob'))
  if (token === undefined || logprob === undefined) return undefined
  const decodedText = decodeText(memberIn(entry, 'bytes'))
  return decodedText === undefined || decodedText === token
    ? { token, logprob }
    : { token, logprob, decodedText }
}

const decodeLogprob = (json: JsonValue | undefined): number | undefined =>
  json === null ? zeroProbabilityLogprob : numberIn(json)

/** Decodes the bytes of a token as UTF-8. An entry that is not a number counts as 0. Returns `undefined` if `bytes` is not an array. */
const decodeText = (bytes: JsonValue | undefined): string | undefined =>
  Array.isArray(bytes)
    ? Buffer.from(bytes.map((byte) => numberIn(byte) ?? 0)).toString('utf8')
    : undefined

/** Decodes a number of tokens. Returns `null` if it is not a whole number from 0 on. */
export const decodeCount = (json: JsonValue | undefined): number | null => {
  if (!(json instanceof Literal)) return null
  const count = numberOf(json)
  return Number.isSafeInteger(count) && count >= 0 ? count : null
}
