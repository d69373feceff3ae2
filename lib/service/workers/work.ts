import type * as E from 'fp-ts/Either'
import type { AnsweringEngine, AskOutcome, EngineFailure } from '../engines/engine'
import type { CheckedAsk } from '../http/read-ask'
import type { Problem } from '../problem'

/** The engine of a worker: its name, and the plain values that it is made from. `none` only reads requests. */
export type WorkerEngine = { readonly name: 'lexical' | 'none' }

/** What a worker does. */
export type Task =
  /** Makes the engine ready, which the first piece of work does otherwise, and tells its models. */
  | { readonly kind: 'open' }
  /** Reads and checks a request document. */
  | { readonly kind: 'read'; readonly body: Uint8Array }
  /** Reads, checks and answers a request document. */
  | { readonly kind: 'ask'; readonly body: Uint8Array }

/** What comes back, by the same names. */
export type Done =
  | {
      readonly kind: 'open'
      readonly result: E.Either<EngineFailure, AnsweringEngine['models']>
    }
  | { readonly kind: 'read'; readonly result: E.Either<Problem, CheckedAsk> }
  | { readonly kind: 'ask'; readonly outcome: AskOutcome }
