import * as E from 'fp-ts/Either'
import { type Failure, invalidResponse } from '../failure/failure'
import { anyArray, type Decoded, type Decoder, json } from './combinators'
import { requiredMessage } from './fault'
import type { Draft } from './json/draft'
import type { JsonValue } from './json/json'
import { object } from './object'
import { decodeResponseBody, requestIdOf } from './response'

/** The models of an account. */
export interface Models {
  /** The unchanged list. */
  readonly models: JsonValue
  /** Empty if the service sent none. */
  readonly requestId: string
}

const commonMembers = { models: anyArray, request_id: json }
const ModelList = object({}, commonMembers)
const AnyModelList = object({}, { ...commonMembers, data: anyArray })

/** Creates a function that decodes a list of models. */
const decodeList =
  (decoder: Decoder<Decoded<typeof AnyModelList>>) =>
  (bytes: Uint8Array, headerRequestId: string): E.Either<Failure, Models> => {
    const decoded = decodeResponseBody(decoder)(bytes)
    if (E.isLeft(decoded)) return decoded
    const { models, data, request_id } = decoded.right
    const list = models ?? data
    if (list === undefined) return E.left(invalidResponse('models', requiredMessage))
    return E.right({ models: list, requestId: requestIdOf(headerRequestId, request_id) })
  }

/** Decodes the body of a 2xx response with `models`. Fails as an invalid response. */
export const decodeModelList = decodeList(ModelList)

/** Decodes the body of a 2xx response with `models` or, as in OpenAI's API, `data`. Fails as an invalid response. */
export const decodeAnyModelList = decodeList(AnyModelList)

/** Encodes the document of `svc models`. Omits an empty `request_id`. */
export const encodeModels = ({ models, requestId }: Models): Draft => ({
  models,
  request_id: requestId || undefined,
})
