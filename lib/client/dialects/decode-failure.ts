import * as E from 'fp-ts/Either'
import { encodeText } from '../../codec/json/draft'
import { itemsIn, type JsonValue, Literal, memberIn, stringIn } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import { decodeErrorMessage, prepareMessage } from '../../codec/service-errors'
import type { Redact } from '../../text/secret'
import type { ErrorResponse, FailureDetails } from './dialect'

/**
 * Decodes an error response: `{"error": {message, type, code, status, param, details}}`, or any form that `decodeErrorMessage`
 * knows.
 */
export const decodeCommonFailure = (
  { status, header, body }: ErrorResponse,
  redact: Redact,
): FailureDetails => {
  const parsed = parseJson(body)
  const document = E.isRight(parsed) ? parsed.right : undefined
  const error = memberIn(document, 'error')
  const errorDocument = isErrorDocument(document) ? { status: findStatus(error) } : undefined
  const quotaMessage = describeUsedUpQuota(error)
  // Gateways send some errors with status 200. The status is then the one in the document.
  const errorStatus = status >= 400 ? status : errorDocument?.status
  const description = quotaMessage ?? describeError(error, errorStatus)
  // A used-up quota ends retries even if the status, such as 429, allows them.
  const mustNotRetry = header('x-should-retry') === 'false' || quotaMessage !== undefined
  return {
    message:
      description === '' ? decodeErrorMessage(body, redact) : prepareMessage(description, redact),
    cause: findCause(error, quotaMessage !== undefined),
    // `undefined` leaves the decision to the status.
    mayRetry: mustNotRetry ? false : undefined,
    retryAfterMs: findRetryDelay(error),
    errorDocument,
  }
}

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
const isErrorDocument = (document: JsonValue | undefined): boolean => {
  const error = memberIn(document, 'error')
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

/**
 * Describes an error that no retry cures, because credit or a daily quota is used up; `undefined` for any other error. The
 * description begins with the cause, because messages are cut at 200 bytes.
 */
const describeUsedUpQuota = (error: JsonValue | undefined): string | undefined => {
  const message = stringIn(memberIn(error, 'message')) ?? ''
  const words = ['code', 'type'].map((name) => stringIn(memberIn(error, name)))
  const hasNoCredit = words.includes('insufficient_quota')
  if (!hasNoCredit && !hasDailyViolation(error)) return undefined
  const cause = hasNoCredit
    ? 'the account has no credit left (insufficient_quota)'
    : 'the daily quota of the account is used up'
  return message === '' ? cause : `${cause}: ${message}`
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
