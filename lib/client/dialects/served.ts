import type * as E from 'fp-ts/Either'
import type { Draft } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import type { AskRequest } from '../../codec/request'
import type { DetailEntry } from '../../codec/request-faults'
import type { Dialect } from './dialect'

/** A failure of `svc serve`, before a dialect encodes it. Its texts have no API key. */
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

/** The answers of a service, in the form of the `questions` dialect and by question id. */
export interface ServedAnswers {
  readonly model: string
  readonly answers: ReadonlyArray<readonly [id: string, answer: Draft]>
  readonly usage: Readonly<Record<'input_tokens' | 'output_tokens', JsonValue | number | null>>
}

/** A decoded request document. */
export interface DecodedRequest {
  readonly request: AskRequest
  /** Encodes the response. Fails with the reason if the dialect does not support the answers. */
  readonly encodeResponse: (response: ServedAnswers) => E.Either<string, Draft>
}

/** A wire format from the side of the service: the counterpart of `Dialect`. */
export interface ServedDialect extends Pick<Dialect, 'askPath' | 'requestIdHeader'> {
  /** The dialects of clients that use these documents. */
  readonly sameDocuments: ReadonlyArray<Dialect['name']>
  /**
   * The field with the state, whose values do not count towards the maximum number of values of a request; `undefined` if all
   * fields count.
   */
  readonly stateMember: string | undefined
  readonly maxQuestions: number
  /** Returns `true` if the names of its fields show that a document is in this dialect. */
  readonly matches: (document: JsonValue) => boolean
  /** Decodes a request document. Fails with its faults. */
  readonly decodeRequest: (
    document: JsonValue,
  ) => E.Either<ReadonlyArray<DetailEntry>, DecodedRequest>
  /** Returns the reason if the dialect does not support a response document of another service. */
  readonly findUnsupported: (document: JsonValue) => string | undefined
  /** Encodes a failure. The dialect may replace its status. */
  readonly encodeFailure: (failure: ServedFailure) => {
    readonly status: number
    readonly body: Draft
  }
}
