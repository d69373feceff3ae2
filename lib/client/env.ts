import type { Runtime } from '../runtime/runtime'
import type { Logger } from '../telemetry/log'
import type { Span, Tracer } from '../telemetry/trace'
import type { Duration } from '../text/duration'
import type { Secret } from '../text/secret'

/** The settings of the client. */
export interface ClientConfig {
  /** Without a trailing `/`. */
  readonly baseUrl: string
  readonly apiKey: Secret
  /** The model for requests that name none. */
  readonly model: string
  /** The time limit of each attempt; 0 for none. */
  readonly timeout: Duration
  /** The most attempts after a failed first one. */
  readonly maxRetries: number
}

/** Decides when attempts may start, based on how earlier ones ended. R6 */
export interface Pace {
  /** Resolves when an attempt may start, or when `signal` fires. */
  readonly turn: (signal: AbortSignal) => Promise<void>
  /** Reports how an attempt ended, once for every `turn`. */
  readonly ended: (attempt: EndedAttempt) => void
}

/** The outcome of an attempt, as far as it affects the pace. */
export interface EndedAttempt {
  /** Whether a 2xx response came and could be decoded. */
  readonly answered: boolean
  readonly status: number | undefined
  /** The wait in milliseconds that the service asked for. */
  readonly retryAfterMs: number | undefined
}

/** Everything a call uses: network and clock, settings, log and tracer. */
export interface ClientEnv {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock' | 'random'>
  readonly config: ClientConfig
  readonly log: Logger
  readonly tracer: Tracer
  /** `svc/<version>`. D3 */
  readonly userAgent: string
  /** Present where many calls share one pace, as in a batch. */
  readonly pace?: Pace
  /** The parent of the call's span. */
  readonly parent?: Span
  /**
   * Called before each retry, with the number of the coming attempt (the first is 1) and why the last one
   * failed. D63
   */
  readonly retrying?: (number: number, why: string) => void
  /** Cancels the call: it ends as interrupted. */
  readonly signal: AbortSignal
}

/** Returns a client whose calls share connections: they are left open between calls. R5 */
export const keepConnections = ({ runtime, ...client }: ClientEnv): ClientEnv => {
  const { fetch, clock, random } = runtime
  return {
    ...client,
    runtime: {
      ...{ clock, random },
      fetch: (url, init) => fetch(url, { ...init, keepAlive: true }),
    },
  }
}
