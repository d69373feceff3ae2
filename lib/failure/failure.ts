/** The failures that can end a command or a call. `report.ts` has their kinds, exit codes and messages, and `lib/cli` prints them. */
export type Failure =
  | InterruptedFailure
  | UsageFailure
  | CommandLineFailure
  | ValidationFailure
  | ApiError
  | ConnectionFailure
  | InvalidResponseFailure
  | EngineFailure
  | InternalFailure

/** The members that all failures of calls have. */
interface ProviderFailure {
  /** The name of the provider, for the message. */
  readonly provider?: string | undefined
}

/** The run was cancelled (SIGINT, SIGTERM). */
interface InterruptedFailure {
  readonly _tag: 'Interrupted'
}

/** Bad input or a missing API key. */
export interface UsageFailure {
  readonly _tag: 'Usage'
  readonly message: string
  /** The input that is missing or wrong, if svc can add a hint on how to correct it. */
  readonly about?: 'key' | 'key of provider' | 'request' | 'state' | 'column' | 'policy'
}

/** A command line that could not be parsed. */
interface CommandLineFailure {
  readonly _tag: 'CommandLine'
  readonly message: string
}

/** An invalid request, which is not sent. `path` is dotted: `questions.q.criteria`. */
interface ValidationFailure extends ProviderFailure {
  readonly _tag: 'Validation'
  readonly path: string
  readonly cause: string
}

/** A response with a status other than 2xx. */
export interface ApiError extends ProviderFailure {
  readonly _tag: 'ApiError'
  /** The method and the path of the request: `POST /v1/questions`. */
  readonly operation: string
  readonly status: number
  /** The service's message, as valid text of at most 200 bytes. May be empty. */
  readonly message: string
  /** The id that the service gave the request. Empty if the response has none. */
  readonly requestId: string
  /** The cause, if the body of the response names one that its status does not. */
  readonly cause?: 'no credit' | 'wrong key' | undefined
  /** The title of the page and its server, if the body is HTML. For hints, because the message has the beginning of the HTML. */
  readonly page?: string | undefined
}

/** No usable response: the connection was refused, reset or cut off, or took too long. */
export interface ConnectionFailure extends ProviderFailure {
  readonly _tag: 'Connection'
  /** The cause in plain words, such as `connection refused`. */
  readonly cause: string
  /** The `host:port` of the service, as in its URL. */
  readonly host: string
  /** The `host:port` of the proxy, if one was used. */
  readonly proxy?: string
  /** The time limit of the attempt, in Go's form (`10s`). Present if it was exceeded. */
  readonly timeout?: string
}

/** A 2xx body that cannot be decoded. `path` is dotted, and empty for the body as a whole. */
interface InvalidResponseFailure extends ProviderFailure {
  readonly _tag: 'InvalidResponse'
  readonly path: string
  readonly cause: string
}

/** An engine in this process that cannot be used, although its settings are valid. */
export interface EngineFailure extends ProviderFailure {
  readonly _tag: 'Engine'
  /** `request` if the engine does not have the model that was asked for, `server` for any other fault of the engine. */
  readonly kind: 'request' | 'server'
  readonly message: string
}

/** An unexpected error, which is a defect of the program. */
interface InternalFailure {
  readonly _tag: 'Internal'
  readonly message: string
}

/** The failure of a run that was cancelled. */
export const interrupted: Failure = { _tag: 'Interrupted' }

/** Creates the failure for bad input. */
export const usage = (message: string, about?: UsageFailure['about']): Failure =>
  about === undefined ? { _tag: 'Usage', message } : { _tag: 'Usage', message, about }

/** Creates the failure for a command line that could not be parsed. */
export const commandLineFailure = (message: string): Failure => ({ _tag: 'CommandLine', message })

/** Creates the failure for an invalid request. `path` leads to the fault in the request. */
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

/** Returns `true` if the service does not know the path of the request, or knows it only for another method. */
export const isRouteMissing = ({
  status,
  message,
}: Pick<ApiError, 'status' | 'message'>): boolean =>
  status === 405 || (status === 404 && !/model/i.test(message))

/** Creates the failure for a call without a usable response. Returns the exact type, which `describeConnectionCause` takes. */
export const connection = (fields: Omit<ConnectionFailure, '_tag'>): ConnectionFailure => ({
  _tag: 'Connection',
  ...fields,
})

/** Creates the failure for a 2xx body that cannot be decoded. `path` leads to the fault in the body. */
export const invalidResponse = (path: string, cause: string): Failure => ({
  _tag: 'InvalidResponse',
  path,
  cause,
})

/** Creates the failure of an engine in this process. */
export const engineFault = (kind: EngineFailure['kind'], message: string): Failure => ({
  _tag: 'Engine',
  kind,
  message,
})

/** Creates the failure for a defect of svc. */
export const internal = (message: string): Failure => ({ _tag: 'Internal', message })

/** Adds the provider to the failure of a call, unless the failure has one already. Returns other failures unchanged. */
export const nameProvider = (failure: Failure, provider: string | undefined): Failure => {
  switch (failure._tag) {
    case 'Validation':
    case 'ApiError':
    case 'Connection':
    case 'InvalidResponse':
    case 'Engine':
      return provider === undefined ? failure : { provider, ...failure }
    case 'Interrupted':
    case 'Usage':
    case 'CommandLine':
    case 'Internal':
      return failure
  }
}

/** Changes all texts of a failure that may come from a user or a service, for example to redact secrets. */
export const mapFailureTexts = (failure: Failure, change: (text: string) => string): Failure => {
  switch (failure._tag) {
    case 'Interrupted':
      return failure
    case 'Usage':
    case 'CommandLine':
    case 'Engine':
    case 'Internal':
      return { ...failure, message: change(failure.message) }
    case 'Validation':
    case 'InvalidResponse':
      return { ...failure, path: change(failure.path), cause: change(failure.cause) }
    case 'ApiError': {
      const { message, requestId, page } = failure
      const changed = { ...failure, message: change(message), requestId: change(requestId) }
      return page === undefined ? changed : { ...changed, page: change(page) }
    }
    case 'Connection': {
      const changed = { ...failure, cause: change(failure.cause), host: change(failure.host) }
      return failure.proxy === undefined ? changed : { ...changed, proxy: change(failure.proxy) }
    }
  }
}
