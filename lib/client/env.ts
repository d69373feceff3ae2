import type { Logger } from '../runtime/log'
import type { Runtime } from '../runtime/runtime'
import type { Span, Tracer } from '../runtime/trace'
import type { ClientConfig } from './config'

/** Where a call happens: the outside world, the settings and who listens. */
export interface ClientEnv {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock' | 'random'>
  readonly config: ClientConfig
  readonly log: Logger
  readonly tracer: Tracer
  /** `svc/<version>`. D3 */
  readonly userAgent: string
  /** The span a call's span belongs under. */
  readonly parent?: Span
  /** Cancels the call: it ends as interrupted. */
  readonly signal: AbortSignal
}
