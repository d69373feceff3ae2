import type { Duration } from '../../failure/text/duration'
import type { Redact } from '../../failure/text/redact'
import type { Runtime } from '../../runtime/runtime'
import type { Span, Tracer } from '../../runtime/tracer'
import type { Logger } from '../../tracing/log'
import type { Destination } from '../providers/destination'
import type { Headers } from './headers'

/** Decides when attempts may start, based on how earlier ones ended. */
export interface Pace {
  /** Resolves when an attempt may start, or when `signal` fires. */
  readonly awaitTurn: (signal?: AbortSignal) => Promise<void>
  /** Reports how an attempt ended, once for every `awaitTurn`. */
  readonly reportEnd: (attempt: EndedAttempt) => void
}

/** The outcome of an attempt, as far as it affects the pace. */
export interface EndedAttempt {
  /** Whether a 2xx response came and could be decoded. */
  readonly answered: boolean
  readonly status: number | undefined
  /** The wait in milliseconds that the service asked for. */
  readonly retryAfterMs: number | undefined
}

/** Everything a call uses: network and clock, settings, and where they are wanted a log and a tracer. */
export interface CallContext {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock' | 'random'>
  /** Redacts the API key in texts from the service. */
  readonly redact: Redact
  /** The time limit of each attempt; 0 for none. */
  readonly timeout: Duration
  /** The most attempts after a failed first one. */
  readonly maxRetries: number
  /** Whether an attempt that timed out is not repeated, because the service is still loading its model. */
  readonly isTimeoutFinal?: boolean
  readonly log?: Logger
  readonly tracer?: Tracer
  /** Present where many calls share one pace, as in a batch. */
  readonly pace?: Pace
  /** The parent of the call's span. */
  readonly parent?: Span
  /**
   * Called before each retry, with the number of the coming attempt (the first is 1) and why the last one failed.
   */
  readonly reportRetry?: (number: number, why: string) => void
  /** Cancels the call: it ends as interrupted. Listening to one takes as long as a tenth of an exchange. */
  readonly signal?: AbortSignal | undefined
}

/** What asking uses: everything that a call does, and where it goes. */
export interface ServiceClient extends CallContext {
  readonly destination: Destination
  /** The headers of its requests, with the API key. */
  readonly headers: Headers
}

/** The client of a command, which logs and traces its calls. */
export interface ObservedClient extends ServiceClient {
  readonly log: Logger
  readonly tracer: Tracer
  readonly signal: AbortSignal
}

/** Returns a client whose calls share connections: they are left open between calls. */
export const keepConnections = <C extends ServiceClient>(client: C): C => {
  const { fetch, clock, random } = client.runtime
  return {
    ...client,
    runtime: {
      ...{ clock, random },
      fetch: (url, init) => fetch(url, { ...init, keepAlive: true }),
    },
  }
}
