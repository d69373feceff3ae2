/** The report of a failure: its kind, its exit code and its texts. */
import { interruptedExitCode } from '../runtime/runtime'
import { escapeJson, sanitize } from '../text/sanitize'
import type { ApiError, ConnectionFailure, Failure } from './failure'

/** The values of `error.kind` in the document that a failure prints. */
export type Kind =
  | 'interrupted'
  | 'usage'
  | 'validation'
  | 'rate_limit'
  | 'auth'
  | 'server'
  | 'request'
  | 'connection'
  | 'invalid_response'
  | 'internal'

/** The exit codes of svc. */
export const exitCodes = {
  ok: 0,
  /** Bad input, a missing API key, or a defect of svc. */
  usage: 1,
  validation: 2,
  auth: 3,
  request: 4,
  rateLimit: 5,
  server: 6,
  connection: 7,
  /** The command worked, but a result fails a check, such as a limit, a policy or a review. */
  flagged: 8,
  interrupted: interruptedExitCode,
} as const

const exitCodeByKind: Readonly<Record<Kind, number>> = {
  interrupted: exitCodes.interrupted,
  usage: exitCodes.usage,
  validation: exitCodes.validation,
  auth: exitCodes.auth,
  request: exitCodes.request,
  rate_limit: exitCodes.rateLimit,
  server: exitCodes.server,
  invalid_response: exitCodes.server,
  connection: exitCodes.connection,
  internal: exitCodes.usage,
}

/** Returns the exit code for the `error.kind` of a document, or 1 for an unknown kind. */
export const exitCodeOfKind = (kind: string): number =>
  Object.hasOwn(exitCodeByKind, kind) ? exitCodeByKind[kind as Kind] : exitCodes.usage

/** The kinds of all failures except `ApiError`, whose kind depends on the response, and `Engine`, which has its kind. */
const kindByTag: Readonly<Record<Exclude<Failure['_tag'], 'ApiError' | 'Engine'>, Kind>> = {
  Interrupted: 'interrupted',
  Usage: 'usage',
  CommandLine: 'usage',
  Validation: 'validation',
  Connection: 'connection',
  InvalidResponse: 'invalid_response',
  Internal: 'internal',
}

/** Determines the kind and exit code of a failure. */
export const classify = (failure: Failure): { readonly kind: Kind; readonly exitCode: number } => {
  const kind = kindOf(failure)
  return { kind, exitCode: exitCodeByKind[kind] }
}

const kindOf = (failure: Failure): Kind => {
  if (failure._tag === 'ApiError') return kindOfApiError(failure)
  return failure._tag === 'Engine' ? failure.kind : kindByTag[failure._tag]
}

/** Returns `true` if the account has no credit left (402 is `Payment Required`). Waiting and retrying do not help. */
export const isOutOfCredit = (failure: Failure): boolean =>
  failure._tag === 'ApiError' && (failure.cause === 'no credit' || failure.status === 402)

const kindOfApiError = ({ status, cause }: ApiError): Kind =>
  cause === 'wrong key' ? 'auth' : kindOfStatus(status)

const kindOfStatus = (status: number): Kind => {
  if (status === 429) return 'rate_limit'
  if (status === 401 || status === 403) return 'auth'
  return status >= 500 ? 'server' : 'request'
}

/** The name that begins the message of a failed call if no provider is chosen. */
const defaultProviderName = 'typesafe'

/** Formats the message of a failure. The message of a failed call begins with the name of the provider. */
export const messageOf = (failure: Failure): string => {
  switch (failure._tag) {
    case 'Validation':
    case 'ApiError':
    case 'Connection':
    case 'InvalidResponse':
    case 'Engine':
      return `${failure.provider ?? defaultProviderName}: ${messageWithoutProvider(failure)}`
    case 'Interrupted':
    case 'Usage':
    case 'CommandLine':
    case 'Internal':
      return messageWithoutProvider(failure)
  }
}

/** Formats the message like `messageOf`, but without the provider. */
export const messageWithoutProvider = (failure: Failure): string => {
  switch (failure._tag) {
    case 'Interrupted':
      return 'interrupted'
    case 'Usage':
    case 'CommandLine':
    case 'Engine':
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
        ? `connection error: ${describeConnectionCause(failure)}`
        : `request timed out after ${failure.timeout}: ${describeConnectionCause(failure)}`
    case 'InvalidResponse':
      return `invalid response field "${failure.path}": ${failure.cause}`
  }
}

/** Formats the cause and the host: `connection refused (api.example:443 through proxy gw:3128)`. */
export const describeConnectionCause = ({ cause, host, proxy }: ConnectionFailure): string =>
  `${cause} (${proxy === undefined ? host : `${host} through proxy ${proxy}`})`

/** Formats the JSON document that a failure prints on stdout, without a final newline. */
export const formatEnvelope = (failure: Failure, pretty: boolean): string =>
  escapeJson(JSON.stringify({ error: errorOf(failure) }, null, pretty ? 2 : undefined))

/**
 * Returns the `error` object of the document that a failure prints. For an error response, its `message` is the service's own text if
 * it sent one. Omits a `status` of 0 and an empty `request_id`: JSON has no members that are `undefined`.
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

/** Formats what a failure prints on stderr: its message, and a second line if the command line could not be parsed. */
export const formatStderrLines = (failure: Failure): string => {
  const hint = failure._tag === 'CommandLine' ? "Run 'svc --help' for usage.\n" : ''
  return `svc: ${sanitize(messageOf(failure))}\n${hint}`
}
