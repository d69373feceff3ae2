import type * as E from 'fp-ts/Either'
import type { AnsweringEngine, AskOutcome, EngineFailure } from '../engines/engine'
import type { CheckedAsk } from '../http/read-ask'
import type { Problem } from '../problem'

/**
 * Which engine a worker opens: its name, and the plain values that it is made from. `none` is for workers that
 * only read requests.
 */
export type WorkerEngine = { readonly name: 'lexical' | 'none' }

/** A task for a worker. */
export type Task =
  /** Opens the engine, which otherwise the first `ask` does, and returns its models. */
  | { readonly kind: 'open' }
  /** Reads and checks a request document. */
  | { readonly kind: 'read'; readonly body: Uint8Array }
  /** Reads, checks and answers a request document. */
  | { readonly kind: 'ask'; readonly body: Uint8Array }

/** The result of a task, with the same `kind`. */
export type Done =
  | {
      readonly kind: 'open'
      readonly result: E.Either<EngineFailure, AnsweringEngine['models']>
    }
  | { readonly kind: 'read'; readonly result: E.Either<Problem, CheckedAsk> }
  | { readonly kind: 'ask'; readonly outcome: AskOutcome }
