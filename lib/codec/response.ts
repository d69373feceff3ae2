import * as E from 'fp-ts/Either'
import { type Failure, invalidResponse } from '../failure/failure'
import { ownDialectAnswerDecoder, type ReceivedAnswer } from './answer'
import {
  anyArray,
  createDecoder,
  type Decoded,
  type Decoder,
  integer,
  json,
  mapOf,
  string,
} from './combinators'
import { firstFault, formatLoc, requiredMessage } from './fault'
import type { Draft } from './json/draft'
import { type JsonObject, type JsonValue, type Literal, memberIn, stringIn } from './json/json'
import { parseJson } from './json/parse'
import { object } from './object'

/** The token counts. Null if the service sent none. */
interface Usage {
  readonly input_tokens: Literal | null
  readonly output_tokens: Literal | null
}

/** A received `usage`, in two parts. */
export interface ReceivedUsage {
  readonly usage: Usage
  /** The other members of the received `usage`, unchanged. `undefined` if it has none. */
  readonly usageDetails?: JsonObject | undefined
}

/** The response of the ask operation. */
export interface AskResponse extends ReceivedUsage {
  readonly model: string
  /** The answers by question id, in the service's order. */
  readonly answers: ReadonlyMap<string, ReceivedAnswer>
  /** Empty if the service sent none. */
  readonly requestId: string
}

/** The usage for a response without one. */
export const noUsage: ReceivedUsage = { usage: { input_tokens: null, output_tokens: null } }

/** Creates a decoder of a `usage`. `input` and `output` are the names of its token counts. */
export const createUsageDecoder = (input: string, output: string): Decoder<ReceivedUsage> => {
  const counts = object({}, { [input]: integer, [output]: integer })
  return createDecoder('usage', (value, context) => {
    const decoded = counts.validate(value, context)
    if (E.isLeft(decoded)) return decoded
    const { [input]: inputTokens = null, [output]: outputTokens = null } = decoded.right
    // `counts` accepts only objects.
    const otherMembers = [...(value as JsonObject)].filter(
      ([name]) => name !== input && name !== output,
    )
    return E.right({
      usage: { input_tokens: inputTokens, output_tokens: outputTokens },
      usageDetails: otherMembers.length === 0 ? undefined : new Map(otherMembers),
    })
  })
}

const responseBodyDecoder = object(
  { model: string, answers: mapOf(ownDialectAnswerDecoder) },
  { usage: createUsageDecoder('input_tokens', 'output_tokens'), request_id: json },
)

/** Decodes the body of a 2xx response. Fails as an invalid response. */
export const decodeResponseBody = <A>(
  decoder: Decoder<A>,
  bytes: Uint8Array,
): E.Either<Failure, A> => {
  const document = parseJson(bytes)
  // The path `''` is that of the whole document.
  if (E.isLeft(document)) return E.left(invalidResponse('', document.left.message))
  const decoded = decoder.decode(document.right)
  if (E.isRight(decoded)) return decoded
  const { loc, message } = firstFault(decoded.left)
  return E.left(invalidResponse(formatLoc(loc), message))
}

/**
 * Decodes the body of a 2xx response of the ask operation. A request id in the header overrides the one in the body. Fails as an
 * invalid response.
 */
export const decodeResponse = (
  bytes: Uint8Array,
  headerRequestId: string,
): E.Either<Failure, AskResponse> => {
  const decoded = decodeResponseBody(responseBodyDecoder, bytes)
  if (E.isLeft(decoded)) return decoded
  const { model, answers, usage: receivedUsage = noUsage, request_id } = decoded.right
  return E.right({
    model,
    answers,
    ...receivedUsage,
    requestId: requestIdOf(headerRequestId, request_id),
  })
}

/** Encodes the document that `svc ask` prints. Omits `usageDetails`, and an empty `request_id`. */
export const encodeResponse = (
  response: AskResponse,
): Readonly<Record<'model' | 'answers' | 'usage' | 'request_id', Draft | undefined>> => ({
  model: response.model,
  answers: encodeAnswers(response),
  usage: {
    input_tokens: response.usage.input_tokens,
    output_tokens: response.usage.output_tokens,
  },
  request_id: response.requestId || undefined,
})

/** Returns the original documents of the answers. */
export const encodeAnswers = ({ answers }: Pick<AskResponse, 'answers'>): JsonObject =>
  new Map(Array.from(answers, ([id, { json }]) => [id, json]))

/** Returns the request id of the header, or else the `request_id` of the body if it is a string, or else `''`. */
export const requestIdOf = (header: string, inBody: JsonValue | undefined): string =>
  header || (stringIn(inBody) ?? '')

/** Returns the request id like `requestIdOf`. The body need not be JSON. */
export const readRequestId = (header: string, body: Uint8Array): string => {
  if (header !== '') return header
  const document = parseJson(body)
  return E.isRight(document) ? requestIdOf('', memberIn(document.right, 'request_id')) : ''
}

/** The models of an account. */
export interface Models {
  /** The unchanged list. */
  readonly models: JsonValue
  /** Empty if the service sent none. */
  readonly requestId: string
}

const commonMembers = { models: anyArray, request_id: json }
const modelListDecoder = object({}, commonMembers)
const anyModelListDecoder = object({}, { ...commonMembers, data: anyArray })

/** Decodes the body of a 2xx response with `models`. Fails as an invalid response. */
export const decodeModelList = (bytes: Uint8Array, headerRequestId: string) =>
  decodeModels(modelListDecoder, bytes, headerRequestId)

/** Decodes the body of a 2xx response with `models` or, as in OpenAI's API, `data`. Fails as an invalid response. */
export const decodeAnyModelList = (bytes: Uint8Array, headerRequestId: string) =>
  decodeModels(anyModelListDecoder, bytes, headerRequestId)

const decodeModels = (
  decoder: Decoder<Decoded<typeof anyModelListDecoder>>,
  bytes: Uint8Array,
  headerRequestId: string,
): E.Either<Failure, Models> => {
  const decoded = decodeResponseBody(decoder, bytes)
  if (E.isLeft(decoded)) return decoded
  const { models, data, request_id } = decoded.right
  const list = models ?? data
  if (list === undefined) return E.left(invalidResponse('models', requiredMessage))
  return E.right({ models: list, requestId: requestIdOf(headerRequestId, request_id) })
}

/** Encodes the document of `svc models`. Omits an empty `request_id`. */
export const encodeModels = ({ models, requestId }: Models): Draft => ({
  models,
  request_id: requestId || undefined,
})
