import * as E from 'fp-ts/Either'
import { encodeText } from '../../codec/json/draft'
import { itemsIn, type JsonValue, Literal, memberIn, stringIn } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import { decodeErrorMessage, prepareMessage } from '../../codec/service-errors'
import type { Redact } from '../../failure/text/redact'
import type { ErrorResponse, FailureDetails } from './dialect'

/**
 * Reads a failure in the forms that services use: `{"error": {message, type, code, status, param, details}}`,
 * and otherwise the forms that `decodeErrorMessage` reads.
 */
export const decodeFailure = (
  { status, header, body }: ErrorResponse,
  redact: Redact,
): FailureDetails => {
  const document = parseJson(body)
  const whole = E.isRight(document) ? document.right : undefined
  const error = memberIn(whole, 'error')
  const inBody = isEnvelope(whole, error) ? findStatus(error) : undefined
  const described = describeError(error, status >= 400 ? status : inBody)
  const usedUp = describeUsedUp(error)
  const isKeyWrong = detailsOf(error, 'ErrorInfo').some(
    (info) => stringIn(memberIn(info, 'reason')) === 'API_KEY_INVALID',
  )
  const retryAfterMs = findRetryDelay(error)
  return {
    message:
      usedUp === undefined && described === ''
        ? decodeErrorMessage(body, redact)
        : prepareMessage(usedUp ?? described, redact),
    ...(header('x-should-retry') === 'false' || usedUp !== undefined ? { mayRetry: false } : {}),
    ...(usedUp === undefined ? {} : { cause: 'no credit' as const }),
    ...(isKeyWrong ? { cause: 'wrong key' as const } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(isEnvelope(whole, error) ? { envelope: { status: inBody } } : {}),
  }
}

/** The message of an `error` object, with those of its other fields in brackets that say more. */
const describeError = (error: JsonValue | undefined, status: number | undefined): string => {
  const message = stringIn(memberIn(error, 'message')) ?? ''
  const more = ['type', 'code', 'status', 'param']
    .map((name) => wordOf(memberIn(error, name)))
    .filter((word) => word !== '' && word !== String(status) && !message.includes(word))
  const words = [...new Set(more)].join(', ')
  return message === '' || words === '' ? message || words : `${message} (${words})`
}

/** The text of a string or number; `''` for any other value. */
const wordOf = (value: JsonValue | undefined): string =>
  value instanceof Literal ? encodeText(value) : (stringIn(value) ?? '')

/** Whether a body is an error and nothing else. */
const isEnvelope = (whole: JsonValue | undefined, error: JsonValue | undefined): boolean =>
  memberIn(whole, 'answers') === undefined &&
  error !== undefined &&
  (error instanceof Map || typeof error === 'string')

/** The HTTP status that an error carries as its code, from 400 to 599. */
const findStatus = (error: JsonValue | undefined): number | undefined =>
  ['code', 'status']
    .map((name) => wordOf(memberIn(error, name)))
    .filter((word) => /^[45]\d\d$/.test(word))
    .map(Number)[0]

/** The members of `error.details` of one of Google's types. */
const detailsOf = (error: JsonValue | undefined, type: string): ReadonlyArray<JsonValue> =>
  itemsIn(memberIn(error, 'details')).filter((detail) =>
    stringIn(memberIn(detail, '@type'))?.endsWith(`/google.rpc.${type}`),
  )

/**
 * The message of an error which says that credit or a daily quota is used up, so that no retry helps; `undefined` for any
 * other error. It begins with the problem, because messages are cut at 200 bytes.
 */
const describeUsedUp = (error: JsonValue | undefined): string | undefined => {
  const message = stringIn(memberIn(error, 'message')) ?? ''
  const words = ['code', 'type'].map((name) => stringIn(memberIn(error, name)))
  const problem = words.includes('insufficient_quota')
    ? 'the account has no credit left (insufficient_quota)'
    : hasDailyViolation(error)
      ? 'the daily quota of the account is used up'
      : undefined
  return problem === undefined || message === '' ? problem : `${problem}: ${message}`
}

const hasDailyViolation = (error: JsonValue | undefined): boolean =>
  detailsOf(error, 'QuotaFailure')
    .flatMap((failure) => itemsIn(memberIn(failure, 'violations')))
    .some((violation) => stringIn(memberIn(violation, 'quotaId'))?.includes('PerDay'))

/** The delay in milliseconds of Google's `RetryInfo`, such as `"34.5s"`. */
const findRetryDelay = (error: JsonValue | undefined): number | undefined => {
  const delay = detailsOf(error, 'RetryInfo')
    .map((info) => stringIn(memberIn(info, 'retryDelay')) ?? '')
    .find((text) => /^\d{1,12}(?:\.\d{1,9})?s$/.test(text))
  return delay === undefined ? undefined : Number.parseFloat(delay) * 1000
}
