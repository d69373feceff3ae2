import type { Failure } from './failure'

/** Applies `change` to each text of a failure that may come from a user or a service, such as to redact secrets. */
export const mapTexts = (failure: Failure, change: (text: string) => string): Failure => {
  switch (failure._tag) {
    case 'Interrupted':
      return failure
    case 'Usage':
    case 'Framework':
    case 'Internal':
      return { ...failure, message: change(failure.message) }
    case 'Validation':
    case 'InvalidResponse':
      return { ...failure, path: change(failure.path), cause: change(failure.cause) }
    case 'ApiError':
      return { ...failure, message: change(failure.message), requestId: change(failure.requestId) }
    case 'Connection':
      return {
        ...failure,
        cause: change(failure.cause),
        host: change(failure.host),
        ...(failure.proxy === undefined ? {} : { proxy: change(failure.proxy) }),
      }
  }
}
