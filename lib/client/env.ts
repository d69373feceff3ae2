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

/** Everything a call needs: the network and the clock, its settings, and where it logs and traces. */
export interface ClientEnv {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock' | 'random'>
  readonly config: ClientConfig
  readonly log: Logger
  readonly tracer: Tracer
  /** `svc/<version>`. D3 */
  readonly userAgent: string
  /** The span under which a call's own span belongs. */
  readonly parent?: Span
  /** Cancels the call: it ends as interrupted. */
  readonly signal: AbortSignal
}
