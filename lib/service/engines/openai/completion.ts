import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
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

/** vLLM writes this log-probability for a probability of zero. Some engines write null. */
const impossible = -9999

const place = 'choices[0].logprobs.content[0]'

/** The maximum number of tokens in a list. It is far above the requested number, and bounds the work. */
const maxCandidates = 256

/**
 * Reads a chat completion: the first generated token and the alternatives that are listed with it.
 *
 * Engines differ in what they list. vLLM, SGLang and Ollama write `{token, logprob, bytes}`, where `bytes` may
 * be null; llama.cpp adds an `id` and may list one text under two of them. The generated token may be missing
 * from the list. A probability of 0 is the lowest float in llama.cpp, -9999.0 in vLLM and null in others. An
 * engine without log-probabilities leaves `logprobs` out, sets it to null, or lists nothing.
 */
export const decodeCompletion = (body: Uint8Array): E.Either<Failure, TokenCompletion> =>
  pipe(
    parseJson(body),
    E.mapLeft(({ message }) => invalidResponse('', message)),
    E.chain((document) => {
      const [choice] = itemsIn(memberIn(document, 'choices'))
      if (choice === undefined) return E.left(invalidResponse('choices', 'is missing or empty'))
      const [token] = itemsIn(memberIn(memberIn(choice, 'logprobs'), 'content'))
      const listed = itemsIn(memberIn(token, 'top_logprobs'))
      if (listed.length > maxCandidates)
        return E.left(invalidResponse(place, `lists more than ${maxCandidates} tokens`))
      const candidates = token === undefined ? [] : candidatesOf(token, listed)
      if (candidates === undefined)
        return E.left(invalidResponse(place, 'has no token and logprob'))
      const usage = memberIn(document, 'usage')
      return E.right({
        candidates,
        input: countOf(memberIn(usage, 'prompt_tokens')),
        output: countOf(memberIn(usage, 'completion_tokens')),
      })
    }),
  )

/** Decodes the ids of a model list, `{"data": [{"id": …}]}`. Fails if `data` is not an array. */
export const decodeModelIds = (body: Uint8Array): E.Either<Failure, ReadonlyArray<string>> =>
  pipe(
    parseJson(body),
    E.mapLeft(({ message }) => invalidResponse('', message)),
    E.chain((document) => {
      const data = memberIn(document, 'data')
      return Array.isArray(data)
        ? E.right(data.flatMap((entry) => stringIn(memberIn(entry, 'id')) ?? []))
        : E.left(invalidResponse('data', 'is missing or no array'))
    }),
  )

/** Returns the generated token and those listed with it, each once; `undefined` if one of them is invalid. */
const candidatesOf = (
  token: JsonValue,
  listed: ReadonlyArray<JsonValue>,
): ReadonlyArray<Candidate> | undefined => {
  const read = [token, ...listed].flatMap((entry) => candidateOf(entry) ?? [])
  if (read.length <= listed.length) return undefined
  const [generated, ...others] = read
  const isListed = others.some(({ token }) => token === generated?.token)
  return isListed || generated === undefined ? others : [generated, ...others]
}

const candidateOf = (entry: JsonValue): Candidate | undefined => {
  const token = stringIn(memberIn(entry, 'token'))
  const logprob = logprobOf(memberIn(entry, 'logprob'))
  if (token === undefined || logprob === undefined) return undefined
  const spelled = spellByBytes(memberIn(entry, 'bytes'))
  return { token, logprob, ...(spelled === undefined || spelled === token ? {} : { spelled }) }
}

const logprobOf = (json: JsonValue | undefined): number | undefined =>
  json === null ? impossible : numberIn(json)

const spellByBytes = (bytes: JsonValue | undefined): string | undefined =>
  Array.isArray(bytes)
    ? Buffer.from(bytes.map((byte) => numberIn(byte) ?? 0)).toString('utf8')
    : undefined

/** Reads a count of tokens; `null` if it is not a whole number. */
export const countOf = (json: JsonValue | undefined): number | null => {
  if (!(json instanceof Literal)) return null
  const count = numberOf(json)
  return Number.isSafeInteger(count) && count >= 0 ? count : null
}
