import type * as E from 'fp-ts/Either'
import type { Draft } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import type { AskRequest } from '../../codec/request'
import type { DetailEntry } from '../../codec/request-faults'
import type { Dialect } from './dialect'

/** What a service says of a failure, before a dialect writes it down. It holds no key. */
export interface ServedFailure {
  readonly status: number
  /** The word for the failure in the service's own dialect, in which it is `error_type`. */
  readonly type: string
  readonly message: string
  /** The faults of the request document, for a failure with status 422. */
  readonly faults?: ReadonlyArray<DetailEntry>
  /** Whether the request names a model that the service does not have. */
  readonly isUnknownModel?: true
}

/** What a service answers. The answers have svc's own form, by question id. */
export interface ServedAnswers {
  readonly model: string
  readonly answers: ReadonlyArray<readonly [id: string, answer: Draft]>
  readonly usage: Readonly<Record<'input_tokens' | 'output_tokens', JsonValue | number | null>>
}

/** A request document that a service has read. */
export interface DecodedRequest {
  readonly request: AskRequest
  /** Writes the response. Fails with the reason if the dialect cannot say the answers. */
  readonly encodeResponse: (answered: ServedAnswers) => E.Either<string, Draft>
}

/** How a service is asked in a dialect: the counterpart of `Dialect`. */
export interface ServedDialect extends Pick<Dialect, 'askPath' | 'requestIdHeader'> {
  /** The dialects whose documents are the same as those of this one. */
  readonly sameDocuments: ReadonlyArray<Dialect['name']>
  /**
   * The member of a request with what the questions are about, which may hold any number of values; `undefined`
   * if they are read one by one.
   */
  readonly stateMember: string | undefined
  readonly maxQuestions: number
  /** Whether a document is written in this dialect, by the names of its members. */
  readonly matches: (document: JsonValue) => boolean
  /** Reads a request document. Fails with its faults. */
  readonly decodeRequest: (
    document: JsonValue,
  ) => E.Either<ReadonlyArray<DetailEntry>, DecodedRequest>
  /** Why a response document that is to be passed on cannot be; `undefined` if it can. */
  readonly findUnsupported: (document: JsonValue) => string | undefined
  /** Writes a failure. The dialect may have a status of its own for it. */
  readonly encodeFailure: (explanation: ServedFailure) => {
    readonly status: number
    readonly body: Draft
  }
}
