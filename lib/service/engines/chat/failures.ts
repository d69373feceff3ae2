import * as E from 'fp-ts/Either'
import type { AttemptFailure } from '../../../client/call/attempt'
import { memberIn, stringIn } from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import type { ApiError } from '../../../failure/failure'
import { describeConnectionCause } from '../../../failure/report'
import type { Redact } from '../../../text/secret'
import {
  atCapacity,
  engineFailed,
  engineRefusedKey,
  engineTooSlow,
  maxTokensExceeded,
  type Problem,
} from '../../contract/problem'
import { describeLengths, isTooLongMessage } from './too-long'

/**
 * Turns a failed call to the endpoint into a problem:
 * - The message is for the caller. It names no host, and does not repeat the endpoint's text about a refused key.
 * - The cause is for the log. It repeats the type and code of the endpoint's error, but not its text, which may quote the state.
 */
export const createCallProblem = ({
  failure,
  retryAfterMs,
  errorNames = [],
}: AttemptFailure): Problem => {
  switch (failure._tag) {
    case 'Connection':
      return failure.timeout === undefined
        ? engineFailed(
            `the engine cannot be reached: ${failure.cause}`,
            describeConnectionCause(failure),
          )
        : engineTooSlow(
            `the engine did not answer within ${failure.timeout}`,
            describeConnectionCause(failure),
          )
    case 'ApiError':
      return createStatusProblem(failure, errorNames, retryAfterMs)
    case 'InvalidResponse': {
      const path = failure.path === '' ? '' : `${failure.path}: `
      return engineFailed(`the engine's response cannot be read: ${path}${failure.cause}`)
    }
    case 'Interrupted':
      return engineFailed('the call to the engine was cancelled')
    // A call does not fail in these ways.
    case 'Usage':
    case 'CommandLine':
    case 'Validation':
    case 'Engine':
    case 'Internal':
      return engineFailed('the call to the engine failed')
  }
}

/**
 * Decodes the type and code of an error, such as `invalid_request_error` and `model_not_found`. Skips a text that is not an
 * identifier, and a text that contains the API key.
 */
export const decodeErrorNames = (body: Uint8Array, redact: Redact): ReadonlyArray<string> => {
  const document = parseJson(body)
  const error = E.isRight(document) ? memberIn(document.right, 'error') : undefined
  const names = ['type', 'code'].flatMap((member) => stringIn(memberIn(error, member)) ?? [])
  return names.filter((name) => /^[\w.-]{1,100}$/.test(name) && redact(name) === name)
}

const promptTooLong = 'the state or the question is too long for the engine'

/** Turns a response with a status other than 2xx into a problem. */
const createStatusProblem = (
  { status, message }: Pick<ApiError, 'status' | 'message'>,
  errorNames: ReadonlyArray<string>,
  retryAfterMs: number | undefined,
): Problem => {
  const details = message === '' ? '' : `: ${message}`
  const names = errorNames.length === 0 ? '' : ` (${errorNames.join(', ')})`
  const cause = `the engine returned ${status}${names}`
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
      return maxTokensExceeded(`${promptTooLong}${details}`)
  }
  if (isTooLongMessage(message))
    return maxTokensExceeded(`${promptTooLong}${describeLengths(message) ?? details}`)
  return engineFailed(`the engine returned ${status}${details}`, cause)
}
