import type { Runtime } from '../../runtime/runtime'
import type { Span, Tracer } from '../../runtime/tracer'
import type { Duration } from '../../text/duration'
import type { Redact } from '../../text/secret'
import type { Logger } from '../../tracing/log'

/** Limits the rate of attempts, and adapts it to how earlier attempts ended. */
export interface Pace {
  /** Resolves when an attempt may start, or when `signal` is aborted. */
  readonly awaitTurn: (signal?: AbortSignal) => Promise<void>
  /** Reports the end of an attempt. Call it once for each `awaitTurn`. */
  readonly reportEnd: (attempt: EndedAttempt) => void
}

/** The end of an attempt, as the pace needs it. */
export interface EndedAttempt {
  /** `true` if the attempt succeeded. */
  readonly isAnswered: boolean
  /** `undefined` if no response was received. */
  readonly status: number | undefined
  /** The wait in milliseconds that the service asked for. */
  readonly retryAfterMs: number | undefined
}

/** The environment of a call: network and clock, limits, and optionally a log, a tracer and a pace. */
export interface CallContext {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock' | 'random'>
  /** Redacts the API key in texts of the service. */
  readonly redact: Redact
  /** The time limit of each attempt, in nanoseconds; 0 for none. */
  readonly timeout: Duration
  /** The maximum number of attempts after the first one. */
  readonly maxRetries: number
  /** `true` if timeouts are not retried, because the service may still be loading its model. */
  readonly isTimeoutFinal?: boolean
  readonly log?: Logger
  readonly tracer?: Tracer
  /** Shared by the calls of a batch. */
  readonly pace?: Pace
  /** The parent of the call's span. */
  readonly parent?: Span
  /** Called before each retry with the number of the next attempt, which is at least 2, and the reason for the retry. */
  readonly reportRetry?: (number: number, reason: string) => void
  /**
   * Cancels the call, which then fails as interrupted. Leave it out if you can: listening to it adds a tenth to the time of an
   * exchange.
   */
  readonly signal?: AbortSignal | undefined
}
