import type { Failure } from './failure'

/** The text of a failure, as the stderr line carries it after `svc: `. spec: Error messages */
export const messageOf = (failure: Failure): string => {
  switch (failure._tag) {
    case 'Interrupted':
      return 'interrupted'
    case 'Usage':
    case 'Framework':
    case 'Internal':
      return failure.message
    case 'Validation':
      return `typesafe: invalid request: ${failure.path}: ${failure.cause}`
    case 'ApiError': {
      const message = failure.message === '' ? '' : `: ${failure.message}`
      const id = failure.requestId === '' ? '' : ` (request id ${failure.requestId})`
      return `typesafe: ${failure.operation} returned ${failure.status}${message}${id}`
    }
    case 'Connection':
      return failure.timeout === undefined
        ? `typesafe: connection error: ${failure.cause}`
        : `typesafe: request timed out after ${failure.timeout}: ${failure.cause}`
    case 'InvalidResponse':
      return `typesafe: invalid response field "${failure.path}": ${failure.cause}`
  }
}

/** Replaces every control character except tab by `\xNN`. spec: Output on failure, 2 */
export const sanitize = (text: string): string =>
  text.replace(
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g,
    (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
