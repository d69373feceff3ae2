/**
 * Everything that can go wrong, as one tagged union. Failures are values until
 * `lib/cli` folds them into an envelope, a stderr line and an exit code.
 */
export type Failure =
  | Interrupted
  | Usage
  | Framework
  | Validation
  | ApiError
  | Connection
  | InvalidResponse
  | Internal

/** The run was cancelled (SIGINT, SIGTERM). spec: Classification, order 1 */
export interface Interrupted {
  readonly _tag: 'Interrupted'
}

/** Bad input or a missing API key; one stderr line. spec: Classification, order 2 */
export interface Usage {
  readonly _tag: 'Usage'
  readonly message: string
}

/** A command line the flag grammar refuses; also prints the help hint. D19 */
export interface Framework {
  readonly _tag: 'Framework'
  readonly message: string
}

/** A request the client refuses to send. `path` is dotted, `cause` plain text. spec: Error messages */
export interface Validation {
  readonly _tag: 'Validation'
  readonly path: string
  readonly cause: string
}

/** A non-2xx answer. `operation` is `<METHOD path>` without the base address's prefix (D47). */
export interface ApiError {
  readonly _tag: 'ApiError'
  readonly operation: string
  readonly status: number
  /** Extracted, repaired and cut as spec: HTTP API and D44 say; may be empty. */
  readonly message: string
  /** May be empty. */
  readonly requestId: string
}

/** No usable answer came: the connection was refused, reset, cut off or took too long. */
export interface Connection {
  readonly _tag: 'Connection'
  /** In plain words: `connection refused`. */
  readonly cause: string
  /** `host:port` of the service, as its URL has it. */
  readonly host: string
  /** `host:port` of the proxy, where the exchange went through one. */
  readonly proxy?: string
  /** The attempt's time limit, where it was passed, in Go's form (`10s`). */
  readonly timeout?: string
}

/** A 2xx body that does not decode. `path` is dotted and empty for the whole body. */
export interface InvalidResponse {
  readonly _tag: 'InvalidResponse'
  readonly path: string
  readonly cause: string
}

/** A defect of ours. spec: Classification, default */
export interface Internal {
  readonly _tag: 'Internal'
  readonly message: string
}

/** The run was cancelled. */
export const interrupted: Failure = { _tag: 'Interrupted' }

/** Bad input; `message` is what stderr shows. */
export const usage = (message: string): Failure => ({ _tag: 'Usage', message })

/** A command line that was refused. D19 */
export const framework = (message: string): Failure => ({ _tag: 'Framework', message })

/** A request that is not sent: what is wrong, and where. */
export const validation = (path: string, cause: string): Failure => ({
  _tag: 'Validation',
  path,
  cause,
})

/** A non-2xx answer. */
export const apiError = (fields: Omit<ApiError, '_tag'>): Failure => ({
  _tag: 'ApiError',
  ...fields,
})

/** No usable answer came. */
export const connection = (fields: Omit<Connection, '_tag'>): Connection => ({
  _tag: 'Connection',
  ...fields,
})

/** A 2xx body that does not decode: what is wrong, and where. */
export const invalidResponse = (path: string, cause: string): Failure => ({
  _tag: 'InvalidResponse',
  path,
  cause,
})

/** A defect of ours. */
export const internal = (message: string): Failure => ({ _tag: 'Internal', message })
