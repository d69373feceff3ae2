import { isLoopback } from '../runtime/http/loopback'
import type { Clock } from '../runtime/runtime'
import { escapeJson } from '../text/sanitize'

/** The values of `--log-level`, from most to least verbose. */
export const logLevels = ['debug', 'info', 'warning', 'error', 'off'] as const

/** A value of `--log-level`. */
export type LogLevel = (typeof logLevels)[number]

/** The fields of a log line besides its message. Fields that are `undefined` are omitted. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

/** Writes log lines. It redacts nothing, so never pass it a key, a body or a URL with credentials. */
export interface Logger {
  readonly debug: (message: string, fields?: LogFields) => void
  readonly info: (message: string, fields?: LogFields) => void
  readonly warning: (message: string, fields?: LogFields) => void
  readonly error: (message: string, fields?: LogFields) => void
}

/** The format of log lines. */
export type LogFormat = 'logfmt' | 'json'

/** Creates a logger that passes lines of at least the severity `level` to `write`, each ending in a newline. */
export const createLogger = (
  level: LogLevel,
  clock: Pick<Clock, 'now'>,
  write: (line: string) => void,
  format: LogFormat = 'logfmt',
): Logger => {
  const formatLine = format === 'json' ? formatJsonLine : formatLogfmtLine
  const logAt = (severity: LogLevel) => {
    if (logLevels.indexOf(severity) < logLevels.indexOf(level)) return () => undefined
    return (message: string, fields: LogFields = {}) =>
      write(formatLine(clock.now(), severity, message, fields))
  }
  return {
    debug: logAt('debug'),
    info: logAt('info'),
    warning: logAt('warning'),
    error: logAt('error'),
  }
}

/**
 * Formats one logfmt line: `time=… level=… msg=…`, then the fields in order. `now` is in milliseconds since the Unix
 * epoch.
 */
export const formatLogfmtLine = (
  now: number,
  level: LogLevel,
  message: string,
  fields: LogFields,
): string => {
  const allFields = { time: new Date(now).toISOString(), level, msg: message, ...fields }
  const pairs = Object.entries(allFields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${formatValue(String(value))}`],
  )
  return `${pairs.join(' ')}\n`
}

/** Formats a log line as JSON. It has the fields of the logfmt line, in the same order. */
export const formatJsonLine: typeof formatLogfmtLine = (now, level, message, fields) => {
  const allFields = { time: new Date(now).toISOString(), level, msg: message, ...fields }
  return `${escapeJson(JSON.stringify(allFields))}\n`
}

/** Matches values that need no quotes: printable ASCII without space, `"`, `#`, `=` and `\`. */
const plainValue = /^[!$-<>-[\]-~]+$/

const formatValue = (value: string): string => {
  if (plainValue.test(value)) return value
  // `escapeJson` escapes the other invisible characters, and commands of CI systems.
  return escapeJson(`"${value.replace(/["\\\n\r\t]/g, escapeForLog)}"`)
}

const escapeForLog = (character: string): string => {
  if (character === '"' || character === '\\') return `\\${character}`
  if (character === '\n') return '\\n'
  if (character === '\r') return '\\r'
  return '\\t'
}

/** Formats milliseconds for a field of a log line: `12ms`. */
export const formatMillis = (ms: number): string => `${Math.round(ms)}ms`

/** Logs a warning if a key is sent to this address over the network without encryption. `key` says what the key is for. */
export const warnOfPlainHttp = (
  log: Logger,
  key: 'API' | 'tracing',
  { protocol, hostname }: URL,
): void => {
  if (protocol === 'http:' && !isLoopback(hostname))
    log.warning(`the ${key} key is sent without encryption`, { host: hostname })
}
