import type * as E from 'fp-ts/Either'
import type { AskOutcome } from '../contract/engine'
import type { Problem } from '../contract/problem'
import type { CheckedAsk } from '../http/read-ask'

/** A task for a worker. The body has an `ArrayBuffer` of its own. */
export type Task =
  /** Reads and checks a request document. */
  | { readonly kind: 'read'; readonly body: Uint8Array<ArrayBuffer> }
  /** Sets the model of a request document that names none. */
  | { readonly kind: 'model'; readonly body: Uint8Array<ArrayBuffer>; readonly model: string }
  /** Reads, checks and answers a request document. */
  | { readonly kind: 'ask'; readonly body: Uint8Array<ArrayBuffer> }

/**
 * The memory of a task that is transferred to the worker. On the sending thread the body is empty afterwards.
 */
export const memoryOf = ({ body }: Task): ReadonlyArray<ArrayBuffer> => [body.buffer]

/** The result of a task, with the same `kind`. */
export type Done =
  | { readonly kind: 'read'; readonly result: E.Either<Problem, CheckedAsk> }
  | { readonly kind: 'model'; readonly body: Uint8Array }
  | { readonly kind: 'ask'; readonly outcome: AskOutcome }
