import type { BuildInfo } from '../cli/build'
import { resolveVersion } from '../cli/build'
import type { Context } from '../cli/declaration'
import { createLogger, type LogLevel } from '../runtime/log'
import type { ClientConfig } from './config'
import type { ClientEnv } from './env'

/** The `User-Agent` of this build. D3 */
export const userAgentOf = (build: BuildInfo, nodeVersion: string): string =>
  `svc/${resolveVersion(build, nodeVersion).version}`

/** The client of a running command, with its logs on stderr (D22). */
export const clientEnv = (
  context: Pick<Context<readonly []>, 'runtime' | 'tracer' | 'build'>,
  config: ClientConfig,
  level: LogLevel,
): ClientEnv => {
  const { runtime, tracer, build } = context
  return {
    runtime,
    config,
    tracer,
    log: createLogger(level, runtime.clock, (line) => {
      // Where stderr is gone there is nobody left to tell.
      runtime.stderr.write(line).catch(() => undefined)
    }),
    userAgent: userAgentOf(build, runtime.nodeVersion),
    signal: runtime.signal,
  }
}
