import { createLogger, type LogLevel } from '../runtime/log'
import type { Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/trace'
import type { ClientConfig } from './config'
import type { ClientEnv } from './env'

/** The `User-Agent` of this build. D3 */
export const userAgentOf = ({ version }: Build): string => `svc/${version}`

/** What this build calls itself. */
interface Build {
  readonly version: string
}

/** What a client needs of a running command. */
interface ClientContext {
  readonly runtime: Runtime
  readonly tracer: Tracer
  readonly build: Build
}

/** The client of a running command, with its logs on stderr (D22). */
export const clientEnv = (
  { runtime, tracer, build }: ClientContext,
  config: ClientConfig,
  level: LogLevel,
): ClientEnv => ({
  runtime,
  config,
  tracer,
  log: createLogger(level, runtime.clock, (line) => {
    // Where stderr is gone there is nobody left to tell.
    runtime.stderr.write(line).catch(() => undefined)
  }),
  userAgent: userAgentOf(build),
  signal: runtime.signal,
})
