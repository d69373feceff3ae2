import * as E from 'fp-ts/Either'
import { encodeText } from '../../codec/json/draft'
import { itemsIn, type JsonValue, Literal, memberIn, stringIn } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import { decodeErrorMessage, prepareMessage } from '../../codec/service-errors'
import type { Redact } from '../../text/secret'
import type { ErrorResponse, FailureDetails } from './dialect'

/**
 * Decodes an error response: `{"error": {message, type, code, status, param, details}}`, Cloudflare's
 * `{"success": false, "errors": [{code, message}]}`, or any form that `decodeErrorMessage` knows.
 */
export const decodeCommonFailure = (
  { status, header, body }: ErrorResponse,
  redact: Redact,
): FailureDetails => {
  const parsed = parseJson(body)
  const document = E.isRight(parsed) ? parsed.right : undefined
  const error = findError(document)
  const errorDocument = isErrorDocument(document, error) ? { status: findStatus(error) } : undefined
  // Gateways send some errors with status 200. The status is then the one in the document.
  const errorStatus = status >= 400 ? status : errorDocument?.status
  const quota = findUsedUpQuota(document, error, errorStatus)
  // A used-up quota ends retries even if the status, such as 429, allows them.
  const mustNotRetry =
    header('x-should-retry') === 'false' || quota !== undefined || saysNotRetryable(document, error)
  // The cause of a used-up quota says more than the words that `describeError` adds.
  const description =
    quota === undefined ? describeError(error, errorStatus) : stringIn(memberIn(error, 'message'))
  const message = description || decodeErrorMessage(body, redact)
  return {
    // Messages are cut at 200 bytes, so they begin with the cause.
    message: prepareMessage([quota, message].filter(Boolean).join(': '), redact),
    cause: findCause(error, quota !== undefined),
    // `undefined` leaves the decision to the status.
    mayRetry: mustNotRetry ? false : undefined,
    retryAfterMs: findRetryDelay(error),
    errorDocument,
  }
}

/** Finds the error of a document: its `error`, or the first of Cloudflare's `errors`. */
const findError = (document: JsonValue | undefined): JsonValue | undefined => {
  const error = memberIn(document, 'error')
  if (error !== undefined || !isCloudflareFailure(document)) return error
  return itemsIn(memberIn(document, 'errors'))[0]
}

/** Returns `true` for a document of Cloudflare's that reports a failure. Cloudflare sends some of them with status 200. */
const isCloudflareFailure = (document: JsonValue | undefined): boolean =>
  memberIn(document, 'success') === false

/** Returns `true` if an error, its details or its document says `"retryable": false`. */
const saysNotRetryable = (document: JsonValue | undefined, error: JsonValue | undefined): boolean =>
  [document, error, memberIn(document, 'detail')].some(
    (place) => memberIn(place, 'retryable') === false,
  )

/** Finds a cause that the HTTP status does not show. Google reports a wrong key with status 400. */
const findCause = (
  error: JsonValue | undefined,
  isQuotaUsedUp: boolean,
): FailureDetails['cause'] => {
  const reasons = listDetails(error, 'ErrorInfo').map((info) => stringIn(memberIn(info, 'reason')))
  if (reasons.includes('API_KEY_INVALID')) return 'wrong key'
  // A used-up daily quota counts as missing credit, because further requests are in vain too.
  return isQuotaUsedUp ? 'no credit' : undefined
}

/**
 * Formats the message of an `error` object, followed by its type, code, status and param: `Not found (invalid_request, id)`. Leaves
 * out words that the message has, and the HTTP status, which svc shows anyway. `''` if the object has none of these.
 */
const describeError = (error: JsonValue | undefined, status: number | undefined): string => {
  const message = stringIn(memberIn(error, 'message')) ?? ''
  const words = ['type', 'code', 'status', 'param']
    .map((name) => formatWord(memberIn(error, name)))
    .filter((word) => word !== '' && word !== String(status) && !message.includes(word))
  const wordList = [...new Set(words)].join(', ')
  if (message === '') return wordList
  return wordList === '' ? message : `${message} (${wordList})`
}

/** Formats a string or number; `''` for any other value. */
const formatWord = (value: JsonValue | undefined): string =>
  value instanceof Literal ? encodeText(value) : (stringIn(value) ?? '')

/** Returns `true` if a document has an error and no answers. */
const isErrorDocument = (
  document: JsonValue | undefined,
  error: JsonValue | undefined,
): boolean => {
  const hasAnswers = memberIn(document, 'answers') !== undefined
  return !hasAnswers && (error instanceof Map || typeof error === 'string')
}

/** Finds the HTTP status, from 400 to 599, in the code of an error, or else in its status. `undefined` if neither is such a number. */
const findStatus = (error: JsonValue | undefined): number | undefined =>
  ['code', 'status']
    .map((name) => formatWord(memberIn(error, name)))
    .filter((word) => /^[45]\d\d$/.test(word))
    .map(Number)[0]

/** Lists the elements of `error.details` that have the Google type `google.rpc.<type>`. */
const listDetails = (error: JsonValue | undefined, type: string): ReadonlyArray<JsonValue> =>
  itemsIn(memberIn(error, 'details')).filter((detail) =>
    stringIn(memberIn(detail, '@type'))?.endsWith(`/google.rpc.${type}`),
  )

/** The status `Payment Required`. */
const paymentRequired = 402

/** The code with which Cloudflare reports that the daily quota is used up. */
const cloudflareQuotaCode = '4006'

/**
 * Describes the cause of an error that no retry cures: credit or a daily quota is used up. `undefined` for any other error. `status` is
 * that of the response, or of the error in it.
 */
const findUsedUpQuota = (
  document: JsonValue | undefined,
  error: JsonValue | undefined,
  status: number | undefined,
): string | undefined => {
  const words = ['code', 'type'].map((name) => formatWord(memberIn(error, name)))
  if (words.includes('insufficient_quota'))
    return 'the account has no credit left (insufficient_quota)'
  const isDailyQuota =
    hasDailyViolation(error) ||
    (isCloudflareFailure(document) && words.includes(cloudflareQuotaCode))
  if (isDailyQuota) return 'the daily quota of the account is used up'
  return status === paymentRequired ? 'the account has no credit left' : undefined
}

/** Returns `true` if Google's `QuotaFailure` names a quota per day. */
const hasDailyViolation = (error: JsonValue | undefined): boolean =>
  listDetails(error, 'QuotaFailure')
    .flatMap((failure) => itemsIn(memberIn(failure, 'violations')))
    .some((violation) => stringIn(memberIn(violation, 'quotaId'))?.includes('PerDay'))

/** Finds the delay of Google's `RetryInfo`, such as `"34.5s"`, in milliseconds. `undefined` if the error has none. */
const findRetryDelay = (error: JsonValue | undefined): number | undefined => {
  const delay = listDetails(error, 'RetryInfo')
    .map((info) => stringIn(memberIn(info, 'retryDelay')) ?? '')
    // A duration of Protocol Buffers has at most 12 digits of seconds, and 9 of their fraction.
    .find((text) => /^\d{1,12}(?:\.\d{1,9})?s$/.test(text))
  return delay === undefined ? undefined : Number.parseFloat(delay) * 1000
}
