import type * as E from 'fp-ts/Either'
import type { Draft } from '../../codec/json/draft'
import type { Models } from '../../codec/models'
import type { AskRequest } from '../../codec/request'
import type { AskResponse } from '../../codec/response'
import type { ApiError, Failure } from '../../failure/failure'
import type { Redact } from '../../failure/text/redact'
import type { FetchResponse } from '../../runtime/runtime'

/** The names of the dialects: how questions are written on the wire. */
export const dialectNames = ['questions', 'systemone', 'decisions', 'gemini'] as const

/** The name of a dialect. */
export type DialectName = (typeof dialectNames)[number]

/** How decisions are asked for, by svc and of it: the path, and the header with the request id. */
export const decisionsRoute = { askPath: '/v1/decisions', requestIdHeader: 'x-request-id' } as const

/** The header that carries an API key: `Authorization: Bearer <key>`, or Google's own with the bare key. */
export type KeyHeader = 'Authorization' | 'x-goog-api-key'

/** A request in svc's own form, with what a dialect needs to write it and to read its answers. */
export interface ModelRequest {
  readonly request: AskRequest
  readonly model: string
  /** Who is asked, as messages name it: the provider, or the dialect if no provider is named. */
  readonly service: string
}

/** A 2xx response to ask, or one that counts as such (`Trouble.isAnswer`). */
export interface SuccessResponse {
  readonly body: Uint8Array
  /** The request id in the headers; `''` if there is none. */
  readonly requestId: string
  /** Redacts and cuts a text that svc makes from words of the service. */
  readonly prepare: (text: string) => string
}

/** A response that is no answer: one with another status than 2xx, or a 2xx one that does not decode. */
export interface ErrorResponse extends Pick<FetchResponse, 'status' | 'header'> {
  readonly body: Uint8Array
}

/** What a failed reply says. */
export interface FailureDetails {
  /** Redacted, at most 200 bytes; may be empty. */
  readonly message: string
  /** What the body says beyond the status, if it does. */
  readonly cause?: ApiError['cause']
  /** Whether the attempt may be repeated; if it is absent, the status decides. */
  readonly mayRetry?: boolean
  /** The wait in milliseconds that the body asks for. A header that asks for one takes precedence. */
  readonly retryAfterMs?: number
  /** Whether the body of a 2xx response is an error. `status` is the HTTP status that the error carries. */
  readonly envelope?: { readonly status: number | undefined }
  /** Whether the body answers the request after all: a block of the whole request, which is a refusal. */
  readonly isAnswer?: boolean
}

/** How questions are written on the wire, and how what comes back is read. */
export interface Dialect {
  readonly name: DialectName
  /** The path of the ask operation, below the base address. */
  readonly askPath: string
  /** The path of the model list, below the base address. */
  readonly modelsPath: string
  /** The header of the API key, unless a provider has its own. */
  readonly keyHeader: KeyHeader
  /** The response header with the request id, unless a provider has its own; `''` if none is known. */
  readonly requestIdHeader: string
  /** The model for requests that name none, if no provider is named. */
  readonly defaultModel: string | undefined
  /** Writes the body of a request. Fails with a validation error for what the dialect cannot say. */
  readonly encodeRequest: (asked: ModelRequest) => E.Either<Failure, Draft>
  /** Reads the answers in svc's own form. Fails as an invalid response. */
  readonly decodeResponse: (
    asked: ModelRequest,
    reply: SuccessResponse,
  ) => E.Either<Failure, AskResponse>
  /** Reads why a request failed. */
  readonly decodeFailure: (reply: ErrorResponse, redact: Redact) => FailureDetails
  /** Reads a list of models. Fails as an invalid response. */
  readonly decodeModels: (body: Uint8Array, requestId: string) => E.Either<Failure, Models>
}
