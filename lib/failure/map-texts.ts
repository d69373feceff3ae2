import type { Failure } from './failure'

/** The failure with every text that came from outside changed: what it is, and where, stays. */
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
      return {
        ...failure,
        message: change(failure.message),
        requestId: change(failure.requestId),
      }
    case 'Connection':
      return {
        ...failure,
        cause: change(failure.cause),
        host: change(failure.host),
        ...(failure.proxy === undefined ? {} : { proxy: change(failure.proxy) }),
      }
  }
}
