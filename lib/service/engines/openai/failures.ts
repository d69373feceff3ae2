import type { Miss } from '../../../client/attempt'
import { describeCause } from '../../../failure/message'
import {
  atCapacity,
  engineFailed,
  engineRefusedKey,
  engineTooSlow,
  maxTokensExceeded,
  type Problem,
} from '../../contract/problem'
import { lengthsIn, saysTooLong } from './too-long'

/**
 * Turns a failed call into what the service's caller is told. The message names no host, since the engine's
 * location concerns only the operator, and repeats nothing that the engine says about a key, since some engines
 * quote parts of it.
 */
export const describeMiss = ({ failure, retryAfterMs }: Miss): Problem => {
  switch (failure._tag) {
    case 'Connection':
      return failure.timeout === undefined
        ? engineFailed(`the engine cannot be reached: ${failure.cause}`, describeCause(failure))
        : engineTooSlow(
            `the engine did not answer within ${failure.timeout}`,
            describeCause(failure),
          )
    case 'ApiError':
      return describeStatus(failure.status, failure.message, retryAfterMs)
    case 'InvalidResponse': {
      const at = failure.path === '' ? '' : `${failure.path}: `
      return engineFailed(`the engine's response cannot be read: ${at}${failure.cause}`)
    }
    case 'Interrupted':
      return engineFailed('the call to the engine was cancelled')
    case 'Usage':
    case 'Framework':
    case 'Validation':
    case 'Internal':
      return engineFailed('the call to the engine failed')
  }
}

/** Turns a response with any status but 2xx into what the service's caller is told. */
const describeStatus = (
  status: number,
  message: string,
  retryAfterMs: number | undefined,
): Problem => {
  const said = message === '' ? '' : `: ${message}`
  // The message of a redirect names its target, which only the operator may see.
  if (status >= 300 && status <= 399)
    return engineFailed(
      `the engine returned ${status}, a redirect`,
      `the engine returned ${status}, a redirect`,
    )
  switch (status) {
    case 429:
    case 503:
    case 529:
      return atCapacity(`the engine is overloaded or not ready${said}`, retryAfterMs)
    case 408:
    case 504:
      return engineTooSlow(`the engine returned ${status}${said}`, `the engine returned ${status}`)
    case 401:
    case 403:
      return engineRefusedKey(
        'the engine refused the API key of this service (SERVICE_ENGINE_API_KEY)',
        `the key of SERVICE_ENGINE_API_KEY was refused with status ${status}`,
      )
    case 413:
      return maxTokensExceeded(`the state or the question is too long for the engine${said}`)
    default:
      return saysTooLong(message)
        ? maxTokensExceeded(
            `the state or the question is too long for the engine${lengthsIn(message) ?? said}`,
          )
        : engineFailed(`the engine returned ${status}${said}`, `the engine returned ${status}`)
  }
}
