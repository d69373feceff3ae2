import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Failure, invalidResponse } from '../failure/failure'
import { anyArray, type Decoder, json } from './combinators'
import { requiredMessage } from './fault'
import type { Draft } from './json/draft'
import type { JsonValue } from './json/json'
import { object } from './object'
import { decodeResponseBody, requestIdOf } from './response'

/** The models of an account. */
export interface Models {
  /** The list as it was received. */
  readonly models: JsonValue
  /** Empty if the service sent none. */
  readonly requestId: string
}

const decodeList =
  (
    document: Decoder<{
      readonly [Name in 'models' | 'data' | 'request_id']?: JsonValue | undefined
    }>,
  ) =>
  (bytes: Uint8Array, headerRequestId: string): E.Either<Failure, Models> =>
    pipe(
      decodeResponseBody(document)(bytes),
      E.chain(({ models, data, request_id }) => {
        const list = models ?? data
        return list === undefined
          ? E.left(invalidResponse('models', requiredMessage))
          : E.right({ models: list, requestId: requestIdOf(headerRequestId, request_id) })
      }),
    )

const members = { models: anyArray, request_id: json }

/** Decodes the body of a 2xx response with the model list. Fails as an invalid response. */
export const decodeModelList = decodeList(object({}, members))

/** Decodes a model list in either form in use: `{"models": [{name}]}` or `{"data": [{id}]}`. */
export const decodeAnyModelList = decodeList(object({}, { ...members, data: anyArray }))

/** Writes the document that `svc models` prints. An empty `request_id` is left out. */
export const encodeModels = ({ models, requestId }: Models): Draft => ({
  models,
  request_id: requestId || undefined,
})
