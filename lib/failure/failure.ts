/**
 * Everything that can go wrong, as one tagged union. Failures of calls carry data, which `message.ts` puts into
 * words. `classify.ts` gives kind and exit code, and `lib/cli` prints a failure when the run ends.
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
interface Interrupted {
  readonly _tag: 'Interrupted'
}

/** Bad input or a missing API key. It is printed as one line on stderr. spec: Classification, order 2 */
export interface Usage {
  readonly _tag: 'Usage'
  readonly message: string
  /** What the user is missing, where a hint can say more than `svc help`: a key, a request, a column or a policy. D79 */
  readonly about?: 'key' | 'key of provider' | 'request' | 'state' | 'column' | 'policy'
}

/** A command line that the flag grammar refuses. stderr gets a second line that says where to find help. D19 */
interface Framework {
  readonly _tag: 'Framework'
  readonly message: string
}

/** An invalid request, which is not sent. `path` is dotted: `questions.q.criteria`. spec: Error messages */
interface Validation {
  readonly _tag: 'Validation'
  readonly path: string
  readonly cause: string
}

/** A response with a status other than 2xx. `operation` names the API path: `POST /v1/questions` (D47). */
export interface ApiError {
  readonly _tag: 'ApiError'
  readonly operation: string
  readonly status: number
  /** The service's message, as valid text of at most 200 bytes; may be empty. spec: HTTP API, D44 */
  readonly message: string
  /** May be empty. */
  readonly requestId: string
  /** What the response says beyond its status: the account has no credit left, or the API key is wrong. */
  readonly cause?: 'no credit' | 'wrong key' | undefined
}

/** No usable response: the connection was refused, reset or cut off, or took too long. */
export interface Connection {
  readonly _tag: 'Connection'
  /** The cause in plain words, such as `connection refused`. */
  readonly cause: string
  /** The `host:port` of the service, as in its URL. */
  readonly host: string
  /** The `host:port` of the proxy, if one was used. */
  readonly proxy?: string
  /** The time limit of the attempt in Go's form (`10s`), if it was exceeded. */
  readonly timeout?: string
}

/** A 2xx body that cannot be decoded. `path` is dotted; empty where the whole body is meant. */
interface InvalidResponse {
  readonly _tag: 'InvalidResponse'
  readonly path: string
  readonly cause: string
}

/** Anything unforeseen, which is a defect of the program. spec: Classification, default */
interface Internal {
  readonly _tag: 'Internal'
  readonly message: string
}

/** The failure of a run that was cancelled. */
export const interrupted: Failure = { _tag: 'Interrupted' }

/** Creates the failure for bad input. `message` is shown on stderr. */
export const usage = (message: string, about?: Usage['about']): Failure =>
  about === undefined ? { _tag: 'Usage', message } : { _tag: 'Usage', message, about }

/** Creates the failure for a refused command line. D19 */
export const framework = (message: string): Failure => ({ _tag: 'Framework', message })

/** Creates the failure for an invalid request: where it is wrong, and what is. */
export const validation = (path: string, cause: string): Failure => ({
  _tag: 'Validation',
  path,
  cause,
})

/** Creates the failure for a response with a status other than 2xx. */
export const apiError = (fields: Omit<ApiError, '_tag'>): Failure => ({
  _tag: 'ApiError',
  ...fields,
})

/** Creates the failure for a missing or broken response. */
export const connection = (fields: Omit<Connection, '_tag'>): Connection => ({
  _tag: 'Connection',
  ...fields,
})

/** Creates the failure for a 2xx body that cannot be decoded: where it is wrong, and what is. */
export const invalidResponse = (path: string, cause: string): Failure => ({
  _tag: 'InvalidResponse',
  path,
  cause,
})

/** Creates the failure for a defect of the program. */
export const internal = (message: string): Failure => ({ _tag: 'Internal', message })
