import type { Failure } from '../../../failure/failure'
import { causeAndHost } from '../../../failure/message'
import { badAnswer, type EngineFailure, keyRefused, overloaded, timedOut, tooLong } from '../engine'
import { lengthsIn, saysTooLong } from './too-long'

/**
 * Turns a failed call into what the service's caller is told. The message names no host, since the engine's
 * location concerns only the operator, and repeats nothing that the engine says about a key, since some engines
 * quote parts of it. `retryAfterMs` is the wait in milliseconds that the engine asked for.
 */
export const engineFailure = (
  failure: Failure,
  retryAfterMs: number | undefined,
): EngineFailure => {
  switch (failure._tag) {
    case 'Connection':
      return failure.timeout === undefined
        ? badAnswer(`the engine cannot be reached: ${failure.cause}`, causeAndHost(failure))
        : timedOut(`the engine did not answer within ${failure.timeout}`, causeAndHost(failure))
    case 'ApiError':
      return refusal(failure.status, failure.message, retryAfterMs)
    case 'InvalidResponse': {
      const at = failure.path === '' ? '' : `${failure.path}: `
      return badAnswer(`the engine's response cannot be read: ${at}${failure.cause}`)
    }
    case 'Interrupted':
      return badAnswer('the call to the engine was cancelled')
    case 'Usage':
    case 'Framework':
    case 'Validation':
    case 'Internal':
      return badAnswer('the call to the engine failed')
  }
}

const refusal = (
  status: number,
  message: string,
  retryAfterMs: number | undefined,
): EngineFailure => {
  const said = message === '' ? '' : `: ${message}`
  // The message of a redirect names its target, which only the operator may see.
  if (status >= 300 && status <= 399)
    return badAnswer(
      `the engine returned ${status}, a redirect`,
      `the engine returned ${status}${said}`,
    )
  switch (status) {
    case 429:
    case 503:
    case 529:
      return overloaded(`the engine is overloaded or not ready${said}`, retryAfterMs)
    case 408:
    case 504:
      return timedOut(`the engine returned ${status}${said}`)
    case 401:
    case 403:
      return keyRefused(
        'the engine refused the API key of this service (SERVICE_ENGINE_API_KEY)',
        `the key of SERVICE_ENGINE_API_KEY was refused with status ${status}`,
      )
    case 413:
      return tooLong(`the state or the question is too long for the engine${said}`)
    default:
      return saysTooLong(message)
        ? tooLong(
            `the state or the question is too long for the engine${lengthsIn(message) ?? said}`,
          )
        : badAnswer(`the engine returned ${status}${said}`)
  }
}
