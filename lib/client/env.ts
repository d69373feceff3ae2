import type { Duration } from '../runtime/duration'
import type { Logger } from '../runtime/log'
import type { Runtime } from '../runtime/runtime'
import type { Secret } from '../runtime/secret'
import type { Span, Tracer } from '../runtime/trace'

/** The settings of calls. */
export interface ClientConfig {
  /** Without a trailing `/`. */
  readonly baseUrl: string
  readonly apiKey: Secret
  /** The model of requests that name none. */
  readonly model: string
  /** For each attempt; 0 for no limit. */
  readonly timeout: Duration
  /** Attempts after the first. */
  readonly maxRetries: number
}

/** Says when attempts may start, and hears how they ended. R6 */
export interface Pace {
  /** Resolves when an attempt may start, or when `signal` fires, which ends all of it. */
  readonly turn: (signal: AbortSignal) => Promise<void>
  /** Takes note of how the attempt went, once for every turn. */
  readonly ended: (attempt: EndedAttempt) => void
}

/** An attempt as far as the next ones depend on it. */
export interface EndedAttempt {
  /** A 2xx answer that decodes. */
  readonly answered: boolean
  readonly status: number | undefined
  /** The wait that the service asks for. */
  readonly retryAfterMs: number | undefined
}

/** Everything a call needs: the network and the clock, its settings, and where it logs and traces. */
export interface ClientEnv {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock' | 'random'>
  readonly config: ClientConfig
  readonly log: Logger
  readonly tracer: Tracer
  /** `svc/<version>`. D3 */
  readonly userAgent: string
  /** Present where many calls share a service, as in a batch. */
  readonly pace?: Pace
  /** The span under which a call's own span belongs. */
  readonly parent?: Span
  /** Is told the number, counted from 1, of an attempt that is to follow, and why the one before failed. D63 */
  readonly retrying?: (number: number, why: string) => void
  /** Cancels the call: it ends as interrupted. */
  readonly signal: AbortSignal
}
