/**
 * Everything that can go wrong, as one tagged union. Failures of calls carry data, which `message.ts` puts into
 * words. `classify.ts` gives kind and exit code, and `lib/cli` prints a failure when the run ends.
 */
export type Failure =
  | Interrupted
  | UsageFailure
  | Framework
  | Validation
  | ApiError
  | ConnectionFailure
  | InvalidResponse
  | Internal

/** What the failures of calls have in common. */
interface CallFailure {
  /** The provider that was asked, which begins the message. `typesafe` begins it if no provider is named. */
  readonly provider?: string | undefined
}

/** The run was cancelled (SIGINT, SIGTERM). */
interface Interrupted {
  readonly _tag: 'Interrupted'
}

/** Bad input or a missing API key. It is printed as one line on stderr. */
export interface UsageFailure {
  readonly _tag: 'Usage'
  readonly message: string
  /** What the user is missing. It is set if a hint can say more about it than `svc help` does. */
  readonly about?: 'key' | 'key of provider' | 'request' | 'state' | 'column' | 'policy'
}

/** A command line that the flag grammar refuses. stderr gets a second line that points to `svc --help`. */
interface Framework {
  readonly _tag: 'Framework'
  readonly message: string
}

/** An invalid request, which is not sent. `path` is dotted: `questions.q.criteria`. */
interface Validation extends CallFailure {
  readonly _tag: 'Validation'
  readonly path: string
  readonly cause: string
}

/** A response with a status other than 2xx. `operation` names the API path: `POST /v1/questions`. */
export interface ApiError extends CallFailure {
  readonly _tag: 'ApiError'
  readonly operation: string
  readonly status: number
  /** The service's message, as valid text of at most 200 bytes. May be empty. */
  readonly message: string
  /** May be empty. */
  readonly requestId: string
  /** The reason, if the response gives more than its status: no credit left, or a wrong API key. */
  readonly cause?: 'no credit' | 'wrong key' | undefined
}

/** No usable response: the connection was refused, reset or cut off, or took too long. */
export interface ConnectionFailure extends CallFailure {
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

/** A 2xx body that cannot be decoded. `path` is dotted; an empty one means the whole body. */
interface InvalidResponse extends CallFailure {
  readonly _tag: 'InvalidResponse'
  readonly path: string
  readonly cause: string
}

/** An unexpected error, which is a defect of the program. */
interface Internal {
  readonly _tag: 'Internal'
  readonly message: string
}

/** The failure of a run that was cancelled. */
export const interrupted: Failure = { _tag: 'Interrupted' }

/** Creates the failure for bad input. `message` is shown on stderr. */
export const usage = (message: string, about?: UsageFailure['about']): Failure =>
  about === undefined ? { _tag: 'Usage', message } : { _tag: 'Usage', message, about }

/** Creates the failure for a refused command line. */
export const framework = (message: string): Failure => ({ _tag: 'Framework', message })

/** Creates the failure for an invalid request: the wrong place and the reason. */
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
export const connection = (fields: Omit<ConnectionFailure, '_tag'>): ConnectionFailure => ({
  _tag: 'Connection',
  ...fields,
})

/** Creates the failure for a 2xx body that cannot be decoded: the wrong place and the reason. */
export const invalidResponse = (path: string, cause: string): Failure => ({
  _tag: 'InvalidResponse',
  path,
  cause,
})

/** Names the provider in the failure of a call, unless the failure names one. Other failures stay as they are. */
export const nameProvider = (failure: Failure, provider: string | undefined): Failure => {
  switch (failure._tag) {
    case 'Validation':
    case 'ApiError':
    case 'Connection':
    case 'InvalidResponse':
      return provider === undefined ? failure : { provider, ...failure }
    case 'Interrupted':
    case 'Usage':
    case 'Framework':
    case 'Internal':
      return failure
  }
}

/** Creates the failure for a defect of the program. */
export const internal = (message: string): Failure => ({ _tag: 'Internal', message })
