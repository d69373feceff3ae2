import type { Failure } from './failure'

/**
 * Applies `change` to every text in a failure that may come from outside. Kind, status and other data stay the same.
 */
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
