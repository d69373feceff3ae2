import { interruptedExitCode } from '../runtime/runtime'
import type { ApiError, Failure } from './failure'

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

/** Returns the exit code for the `error.kind` of a document; 1 for an unknown kind. */
export const exitCodeOfKind = (kind: string): number =>
  Object.hasOwn(exitCodeByKind, kind) ? exitCodeByKind[kind as Kind] : exitCodes.usage

/** The kind of each failure except error responses, whose kind depends on the response. */
const kindByTag: Readonly<Record<Exclude<Failure['_tag'], 'ApiError'>, Kind>> = {
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
  const kind = failure._tag === 'ApiError' ? kindOfApiError(failure) : kindByTag[failure._tag]
  return { kind, exitCode: exitCodeByKind[kind] }
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
