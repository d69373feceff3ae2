import { classify } from './classify'
import type { ConnectionFailure, Failure } from './failure'
import { escapeJson, sanitize } from './text/sanitize'

/**
 * Formats the message of a failure, as it follows `svc: ` on stderr. The message of a failed call begins with the provider, or
 * with `typesafe` if the failure has none.
 */
export const messageOf = (failure: Failure): string => {
  switch (failure._tag) {
    case 'Validation':
    case 'ApiError':
    case 'Connection':
    case 'InvalidResponse':
      return `${failure.provider ?? 'typesafe'}: ${plainMessageOf(failure)}`
    case 'Interrupted':
    case 'Usage':
    case 'CommandLine':
    case 'Internal':
      return plainMessageOf(failure)
  }
}

/** Formats the message without the provider. */
export const plainMessageOf = (failure: Failure): string => {
  switch (failure._tag) {
    case 'Interrupted':
      return 'interrupted'
    case 'Usage':
    case 'CommandLine':
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

/** Formats the cause and the host: `connection refused (api.example:443 through proxy gw:3128)`. */
export const describeCause = ({ cause, host, proxy }: ConnectionFailure): string =>
  `${cause} (${proxy === undefined ? host : `${host} through proxy ${proxy}`})`

/** Formats the envelope: the JSON document that a failure prints on stdout. It has no final newline. */
export const formatEnvelope = (failure: Failure, pretty: boolean): string =>
  escapeJson(JSON.stringify({ error: errorOf(failure) }, null, pretty ? 2 : undefined))

/**
 * Returns the `error` object of an envelope. For an error response, `message` is the service's own text if it sent one. JSON leaves
 * out members that are `undefined`.
 */
export const errorOf = (failure: Failure) => {
  const { kind } = classify(failure)
  if (failure._tag !== 'ApiError') return { kind, message: messageOf(failure) }
  return {
    kind,
    status: failure.status || undefined,
    request_id: failure.requestId || undefined,
    message: failure.message || messageOf(failure),
  }
}

/** Formats the lines on stderr about a failed run: its message, and a hint if the command line could not be parsed. */
export const formatStderrLines = (failure: Failure): string => {
  const hint = failure._tag === 'CommandLine' ? "Run 'svc --help' for usage.\n" : ''
  return `svc: ${sanitize(messageOf(failure))}\n${hint}`
}
