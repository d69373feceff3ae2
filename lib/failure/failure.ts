/**
 * Everything that can go wrong, as one tagged union. The failures of calls carry data, which `message.ts`
 * words; `classify.ts` gives kind and exit code, and `lib/cli` prints a failure when the run has ended.
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

/** A command line that the flag grammar refuses. Only here stderr also says where help is. D19 */
export interface Framework {
  readonly _tag: 'Framework'
  readonly message: string
}

/** A request that is not valid and is not sent. `path` is dotted: `questions.q.criteria`. spec: Error messages */
export interface Validation {
  readonly _tag: 'Validation'
  readonly path: string
  readonly cause: string
}

/** An answer with a status other than 2xx. `operation` names the API path: `POST /v1/questions` (D47). */
export interface ApiError {
  readonly _tag: 'ApiError'
  readonly operation: string
  readonly status: number
  /** What the service said, as valid text of at most 200 bytes; may be empty. spec: HTTP API, D44 */
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

/** A 2xx body that does not decode. `path` is dotted; empty where the whole body is meant. */
export interface InvalidResponse {
  readonly _tag: 'InvalidResponse'
  readonly path: string
  readonly cause: string
}

/** Anything unforeseen: a defect of the program. spec: Classification, default */
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

/** An answer with a status other than 2xx. */
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

/** A defect of the program. */
export const internal = (message: string): Failure => ({ _tag: 'Internal', message })
