import * as E from 'fp-ts/Either'
import type { AttemptFailure } from '../../../client/call/attempt'
import { memberIn, stringIn } from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import { describeCause } from '../../../failure/format-failure'
import type { Redact } from '../../../failure/text/secret'
import {
  atCapacity,
  engineFailed,
  engineRefusedKey,
  engineTooSlow,
  maxTokensExceeded,
  type Problem,
} from '../../contract/problem'
import { describeLengths, isTooLongMessage } from './too-long'

/** A failed call to the endpoint. */
export interface EngineCallFailure extends AttemptFailure {
  /** Type and code of the error, as `decodeErrorName` returns them. */
  readonly errorName: string
}

/**
 * Turns a failed call into a problem. Its message, for the caller, names no host, and repeats no text about a refused key. Its
 * cause, for the log, repeats no text of the endpoint, because that may quote the state.
 */
export const describeCallFailure = ({
  failure,
  retryAfterMs,
  errorName,
}: EngineCallFailure): Problem => {
  switch (failure._tag) {
    case 'Connection':
      return failure.timeout === undefined
        ? engineFailed(`the engine cannot be reached: ${failure.cause}`, describeCause(failure))
        : engineTooSlow(
            `the engine did not answer within ${failure.timeout}`,
            describeCause(failure),
          )
    case 'ApiError':
      return describeStatus(failure.status, failure.message, errorName, retryAfterMs)
    case 'InvalidResponse': {
      const at = failure.path === '' ? '' : `${failure.path}: `
      return engineFailed(`the engine's response cannot be read: ${at}${failure.cause}`)
    }
    case 'Interrupted':
      return engineFailed('the call to the engine was cancelled')
    case 'Usage':
    case 'CommandLine':
    case 'Validation':
    case 'Internal':
      return engineFailed('the call to the engine failed')
  }
}

/** Decodes type and code of an error: `' (invalid_request_error, model_not_found)'`. Skips a text that is not an identifier or has the key. */
export const decodeErrorName = (body: Uint8Array, redact: Redact): string => {
  const document = parseJson(body)
  const error = E.isRight(document) ? memberIn(document.right, 'error') : undefined
  const names = ['type', 'code'].flatMap((name) => stringIn(memberIn(error, name)) ?? [])
  const identifiers = names.filter((name) => /^[\w.-]{1,100}$/.test(name) && redact(name) === name)
  return identifiers.length === 0 ? '' : ` (${identifiers.join(', ')})`
}

/** Turns a response with a status other than 2xx into a problem. */
const describeStatus = (
  status: number,
  message: string,
  errorName: string,
  retryAfterMs: number | undefined,
): Problem => {
  const details = message === '' ? '' : `: ${message}`
  const cause = `the engine returned ${status}${errorName}`
  // The message of a redirect has its target address, which callers must not see.
  if (status >= 300 && status <= 399)
    return engineFailed(`the engine returned ${status}, a redirect`)
  switch (status) {
    case 429:
    case 503:
    case 529:
      return atCapacity(`the engine is overloaded or not ready${details}`, retryAfterMs)
    case 408:
    case 504:
      return engineTooSlow(`the engine returned ${status}${details}`, cause)
    case 401:
    case 403:
      return engineRefusedKey(
        'the engine refused the API key of this service (SERVICE_ENGINE_API_KEY)',
        `the key of SERVICE_ENGINE_API_KEY was refused with status ${status}`,
      )
    case 413:
      return maxTokensExceeded(`the state or the question is too long for the engine${details}`)
    default:
      return isTooLongMessage(message)
        ? maxTokensExceeded(
            `the state or the question is too long for the engine${describeLengths(message) ?? details}`,
          )
        : engineFailed(`the engine returned ${status}${details}`, cause)
  }
}
