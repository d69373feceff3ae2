import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { Failure } from '../failure/failure'
import type { Draft } from '../json/draft'
import type { Json } from '../json/json'
import { shownText } from '../json/shown'
import { anyArray, json } from './combinators'
import { object } from './object'
import { requestIdOf } from './request-id'
import { decodeBody } from './response'

/** The models of an account. spec: Model list response, D2 */
export interface Models {
  /** The list as the service wrote it. */
  readonly models: Json
  /** Empty where the service gave none. */
  readonly requestId: string
}

const body = object({ models: anyArray }, { request_id: json })

/** Reads the body of a 2xx answer to the model list. D2, D4 */
export const decodeModels = (
  bytes: Uint8Array,
  headerRequestId: string,
): E.Either<Failure, Models> =>
  pipe(
    decodeBody(body)(bytes),
    E.map(({ models, request_id }) => ({
      models,
      requestId: requestIdOf(headerRequestId, request_id),
    })),
  )

/** The document that `svc models` prints; an empty `request_id` is left out. D2, D59 */
export const encodeModels = ({ models, requestId }: Models): Draft => ({
  models,
  request_id: requestId === '' ? undefined : shownText(requestId),
})
