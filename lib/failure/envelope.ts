import { classify } from './classify'
import type { Failure } from './failure'
import { messageOf } from './message'
import { escapeJson, sanitize } from './text/harmless'

/** Formats the JSON document that a failure prints on stdout, without a final newline. */
export const formatEnvelope = (failure: Failure, pretty: boolean): string =>
  escapeJson(JSON.stringify({ error: errorOf(failure) }, null, pretty ? 2 : undefined))

/** Returns the `error` object of an envelope. */
export const errorOf = (failure: Failure) => {
  const { kind } = classify(failure)
  const api = failure._tag === 'ApiError' ? failure : undefined
  return {
    kind,
    ...(api === undefined || api.status === 0 ? {} : { status: api.status }),
    ...(api === undefined || api.requestId === '' ? {} : { request_id: api.requestId }),
    message: api === undefined || api.message === '' ? messageOf(failure) : api.message,
  }
}

/** Formats the lines on stderr about a failed run: one, or two for a refused command line. */
export const formatStderrLines = (failure: Failure): string => {
  const hint = failure._tag === 'Framework' ? "Run 'svc --help' for usage.\n" : ''
  return `svc: ${sanitize(messageOf(failure))}\n${hint}`
}
