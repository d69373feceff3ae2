import type * as E from 'fp-ts/Either'
import type { Dialect } from '../../client/dialects/dialect'
import type { Draft } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import type { AskRequest } from '../../codec/request'
import type { DetailEntry } from '../../codec/request-faults'

/** A failure of `svc serve`, before a dialect encodes it. API keys are redacted in its texts. */
export interface ServedFailure {
  readonly status: number
  /** The `error_type` of the failure in the `questions` dialect. */
  readonly type: string
  readonly message: string
  /** The faults of the request document, if the status is 422. */
  readonly faults?: ReadonlyArray<DetailEntry>
  /** Set if the request names a model that the service does not have. */
  readonly isUnknownModel?: true
}

/** A response of `svc serve`, before a dialect encodes it. Its answers have the form of the `questions` dialect. */
export interface ServedAnswers {
  readonly model: string
  readonly answers: ReadonlyArray<readonly [id: string, answer: Draft]>
  readonly usage: Readonly<Record<'input_tokens' | 'output_tokens', JsonValue | number | null>>
}

/** A decoded request document. */
export interface DecodedRequest {
  readonly request: AskRequest
  /** Encodes the response. Fails with the reason if the dialect cannot express the answers. */
  readonly encodeResponse: (response: ServedAnswers) => E.Either<string, Draft>
}

/** A wire format as `svc serve` uses it: it decodes requests and encodes responses. `Dialect` does the opposite. */
export interface ServedDialect extends Pick<Dialect, 'askPath' | 'requestIdHeader'> {
  /** The names of the client dialects that have the same documents. */
  readonly clientDialects: ReadonlyArray<Dialect['name']>
  /**
   * The field with the state, the JSON that the questions are about. The limit on the number of values in a request ignores it.
   * `undefined` if there is no such field.
   */
  readonly stateMember: string | undefined
  /** `true` if a body may be `multipart/form-data`: the request document, and its images in parts of their own. */
  readonly takesParts: boolean
  /** The maximum number of questions in a request. */
  readonly maxQuestions: number
  /** Returns `true` if a document has the fields of this dialect. */
  readonly matches: (document: JsonValue) => boolean
  /** Decodes a request document. Fails with the faults of an invalid one. */
  readonly decodeRequest: (
    document: JsonValue,
  ) => E.Either<ReadonlyArray<DetailEntry>, DecodedRequest>
  /** Encodes a failure. The returned status may differ from that of the failure. */
  readonly encodeFailure: (failure: ServedFailure) => {
    readonly status: number
    readonly body: Draft
  }
}
