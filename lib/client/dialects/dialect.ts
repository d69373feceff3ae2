import type * as E from 'fp-ts/Either'
import type { Draft } from '../../codec/json/draft'
import type { AskRequest } from '../../codec/request'
import type { AskResponse, Models } from '../../codec/response'
import type { ApiError, Failure } from '../../failure/failure'
import type { FetchResponse } from '../../runtime/runtime'
import type { Redact } from '../../text/secret'
import type { ServiceForm } from './service-form'

/** The names of the dialects. A dialect is the wire format in which a service expects questions and sends answers. */
export const dialectNames = ['questions', 'systemone', 'decisions', 'gemini'] as const

export type DialectName = (typeof dialectNames)[number]

/** The path and the request id header of the `decisions` dialect, which `svc` both calls and serves. */
export const decisionsRoute = { askPath: '/v1/decisions', requestIdHeader: 'x-request-id' } as const

/** The header of an API key: `Authorization` with `Bearer <key>`, or another with the key only. */
export type KeyHeader = 'Authorization' | KeyOnlyHeader

/** The headers that have the API key only: those of Google, of Azure, and of Parallel. */
export const keyOnlyHeaders = ['x-goog-api-key', 'api-key', 'x-api-key'] as const

type KeyOnlyHeader = (typeof keyOnlyHeaders)[number]

/** A request for a model of a service. */
export interface ModelRequest {
  readonly request: AskRequest
  readonly model: string
  /** The name of the service in messages: the provider, or the dialect if no provider is chosen. */
  readonly service: string
  readonly form: ServiceForm
  /** `true` if the response may lack answers. Otherwise a dialect decides itself if a missing answer is a fault. */
  readonly mayLackAnswers?: boolean
}

/** A response with answers: its status is 2xx, or `FailureDetails.isRefusal` is set. */
export interface SuccessResponse {
  readonly body: Uint8Array
  /** The request id of the headers, or `''`. */
  readonly requestId: string
  /** Redacts and cuts a text of the service. */
  readonly redactText: (text: string) => string
}

/** A response without answers: its status is not 2xx, or its body is invalid. */
export interface ErrorResponse extends Pick<FetchResponse, 'status' | 'header'> {
  readonly body: Uint8Array
}

/** The contents of an error response. */
export interface FailureDetails {
  /** Redacted, at most 200 bytes, possibly empty. */
  readonly message: string
  /** The cause of the failure, if the body is more precise than the status. */
  readonly cause?: ApiError['cause']
  /** The error's type and code, for the log of `svc serve`. Only its `openai` engine sets them. */
  readonly errorNames?: ReadonlyArray<string>
  /** `true` or `false` if the service says whether to retry; if it is absent, the status decides. */
  readonly mayRetry?: boolean | undefined
  /** The wait in milliseconds that the body asks for. A header with a wait overrides it. */
  readonly retryAfterMs?: number | undefined
  /** Set if the body is a document with an error and no answers. `status` is the HTTP status that the document names. */
  readonly errorDocument?: { readonly status: number | undefined } | undefined
  /** `true` if the service refused the whole request. The response then has an answer to every question: a refusal. */
  readonly isRefusal?: boolean
}

/** A dialect: how svc encodes requests in it, and decodes responses. */
export interface Dialect {
  readonly name: DialectName
  /** The path for asking, below the base address, unless the provider defines another. */
  readonly askPath: string
  /** The path of the model list, below the base address, unless the provider defines another. */
  readonly modelsPath: string
  /** The header of the API key, unless the provider defines another. */
  readonly keyHeader: KeyHeader
  /** The response header with the request id, unless the provider defines another; `''` if there is none. */
  readonly requestIdHeader: string
  /** The model of requests without one, if no provider is chosen. */
  readonly defaultModel: string | undefined
  /** The maximum number of questions in a request, unless the provider defines another; `undefined` if there is no known limit. */
  readonly maxQuestions?: number
  /** Encodes the body of a request. Fails with a validation error if the dialect does not support the request. */
  readonly encodeRequest: (modelRequest: ModelRequest) => E.Either<Failure, Draft>
  /** Decodes the answers into the form of the `questions` dialect. Fails as an invalid response. */
  readonly decodeResponse: (
    modelRequest: ModelRequest,
    response: SuccessResponse,
  ) => E.Either<Failure, AskResponse>
  /** Decodes an error response. */
  readonly decodeFailure: (response: ErrorResponse, redact: Redact) => FailureDetails
  /** Decodes a list of models. Fails as an invalid response. */
  readonly decodeModels: (body: Uint8Array, requestId: string) => E.Either<Failure, Models>
}
