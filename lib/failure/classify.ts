import type { Failure } from './failure'

/** The values of `error.kind` in the envelope. spec: Error envelope */
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

/** Exit codes by name. spec: Exit codes */
export const exitCode = {
  ok: 0,
  usage: 1,
  validation: 2,
  auth: 3,
  request: 4,
  rateLimit: 5,
  server: 6,
  connection: 7,
  flagged: 8,
  interrupted: 130,
} as const

/** The exit code of a kind that a document names; 1 for one that this program does not know. */
export const exitOfKind = (kind: string): number => {
  const known = exits.find(([name]) => name === kind)
  return known === undefined ? exitCode.usage : known[1]
}

const exits: ReadonlyArray<readonly [kind: Kind, exit: number]> = [
  ['interrupted', exitCode.interrupted],
  ['usage', exitCode.usage],
  ['validation', exitCode.validation],
  ['auth', exitCode.auth],
  ['request', exitCode.request],
  ['rate_limit', exitCode.rateLimit],
  ['server', exitCode.server],
  ['invalid_response', exitCode.server],
  ['connection', exitCode.connection],
  ['internal', exitCode.usage],
]

/** The kind and exit code of a failure. spec: Classification */
export const classify = (failure: Failure): { readonly kind: Kind; readonly exit: number } => {
  switch (failure._tag) {
    case 'Interrupted':
      return { kind: 'interrupted', exit: exitCode.interrupted }
    case 'Usage':
    case 'Framework':
      return { kind: 'usage', exit: exitCode.usage }
    case 'Validation':
      return { kind: 'validation', exit: exitCode.validation }
    case 'ApiError':
      return classifyStatus(failure.status)
    case 'Connection':
      return { kind: 'connection', exit: exitCode.connection }
    case 'InvalidResponse':
      return { kind: 'invalid_response', exit: exitCode.server }
    case 'Internal':
      return { kind: 'internal', exit: exitCode.usage }
  }
}

const classifyStatus = (status: number): { readonly kind: Kind; readonly exit: number } => {
  if (status === 429) return { kind: 'rate_limit', exit: exitCode.rateLimit }
  if (status === 401 || status === 403) return { kind: 'auth', exit: exitCode.auth }
  if (status >= 500) return { kind: 'server', exit: exitCode.server }
  return { kind: 'request', exit: exitCode.request }
}
