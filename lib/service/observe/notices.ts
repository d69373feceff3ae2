import type { ProviderName } from '../../client/providers/provider-names'
import type { Clock, Output, Runtime } from '../../runtime/runtime'
import { sanitize } from '../../text/sanitize'
import { formatJsonLine, type LogFields, type LogFormat, type LogLevel } from '../../tracing/log'
import type { Problem } from '../contract/problem'

/** A line about the service itself, which svc writes at every log level. */
export interface Notice {
  /** The line for people, after `svc: `. */
  readonly text: string
  /** The message of the JSON line, with `--log-format json`. */
  readonly message: string
  readonly level?: LogLevel
  readonly fields?: LogFields
}

/** Writes a notice to stderr. */
export type WriteNotice = (notice: Notice) => Promise<void>

/** Creates the function that writes notices: as text, or as JSON lines like those of the log. */
export const createNoticeWriter =
  (
    { stderr, clock }: { readonly stderr: Output; readonly clock: Pick<Clock, 'now'> },
    format: LogFormat,
  ): WriteNotice =>
  ({ text, message, level = 'info', fields = {} }) =>
    stderr.write(
      format === 'json' ? formatJsonLine(clock.now(), level, message, fields) : `svc: ${text}\n`,
    )

/** The notice that an engine does not answer at the start of the service. */
export const describeUnreachableEngine = ({ cause, message }: Problem): Notice => {
  const reason = sanitize(cause ?? message)
  return {
    text: `the engine does not answer yet: ${reason}; svc asks it again for each request`,
    message: 'engine does not answer yet',
    level: 'warning',
    fields: { cause: reason },
  }
}

/** The notice with the address of the service. */
export const describeStart = (url: string): Notice => ({
  text: `listening on ${url}`,
  message: 'listening',
  fields: { url },
})

/** The notice that the service is stopping. `requestCount` is the number of requests in flight, `waitMs` the maximum wait for them. */
export const describeStop = (requestCount: number, waitMs: number): Notice => {
  const noun = requestCount === 1 ? 'request' : 'requests'
  const wait = `; waiting up to ${waitMs / 1000} s for ${requestCount} ${noun}`
  return {
    text: `stopping${requestCount === 0 ? '' : wait}`,
    message: 'stopping',
    fields: { in_flight: requestCount },
  }
}

/** The notice that a recording has ended before the service. */
export const describeRecordingEnd = (reason: string): Notice => ({
  text: `recording ended: ${reason}`,
  message: 'recording ended',
  level: 'error',
  fields: { cause: reason },
})

/**
 * Returns the notice that a variable is not used: the one that redirects the calls of other commands to another address of this
 * provider. Returns `undefined` if the provider has no such variable, or if it is not set.
 */
export const describeUnusedAddress = async (
  providerName: ProviderName,
  env: Runtime['env'],
): Promise<Notice | undefined> => {
  const { providers } = await import('../../client/providers/table')
  const { addressVariable } = providers[providerName]
  if (addressVariable === undefined || !env[addressVariable]?.trim()) return undefined
  return {
    text: `${addressVariable} is not used: svc serve takes an address from --engine-url`,
    message: 'variable is not used',
    level: 'warning',
    fields: { variable: addressVariable },
  }
}
