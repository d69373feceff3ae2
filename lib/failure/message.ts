import type { ConnectionFailure, Failure } from './failure'

/** Returns the message that stderr shows after `svc: `. Failures of calls begin with `typesafe: `. */
export const messageOf = (failure: Failure): string =>
  ofCalls.includes(failure._tag) ? `typesafe: ${plainMessageOf(failure)}` : plainMessageOf(failure)

const ofCalls: ReadonlyArray<string> = ['Validation', 'ApiError', 'Connection', 'InvalidResponse']

/** The message without `typesafe: `, which the specification puts before the failures of calls. */
export const plainMessageOf = (failure: Failure): string => {
  switch (failure._tag) {
    case 'Interrupted':
      return 'interrupted'
    case 'Usage':
    case 'Framework':
    case 'Internal':
      return failure.message
    case 'Validation':
      return `invalid request: ${failure.path}: ${failure.cause}`
    case 'ApiError': {
      const message = failure.message === '' ? '' : `: ${failure.message}`
      const id = failure.requestId === '' ? '' : ` (request id ${failure.requestId})`
      return `${failure.operation} returned ${failure.status}${message}${id}`
    }
    case 'Connection':
      return failure.timeout === undefined
        ? `connection error: ${describeCause(failure)}`
        : `request timed out after ${failure.timeout}: ${describeCause(failure)}`
    case 'InvalidResponse':
      return `invalid response field "${failure.path}": ${failure.cause}`
  }
}

/** The cause and the host: `connection refused (api.example:443 through proxy gw:3128)`. */
export const describeCause = ({ cause, host, proxy }: ConnectionFailure): string =>
  `${cause} (${proxy === undefined ? host : `${host} through proxy ${proxy}`})`
