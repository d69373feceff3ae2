import { providers } from '../client/providers/table'
import { describePathFault } from './scenario-paths'

/** The variables whose value is the path of a file or a folder. */
const pathVariables = [
  'GITHUB_STEP_SUMMARY',
  'NODE_EXTRA_CA_CERTS',
  'OTEL_CONFIG_FILE',
  'SERVICE_API_KEY_FILE',
  'XDG_CACHE_HOME',
]

/** The other variables that svc reads, without those of the providers. */
const plainVariables = [
  'ALL_PROXY',
  'BAGGAGE',
  'CI',
  'COLUMNS',
  'FORCE_COLOR',
  'GITHUB_ACTIONS',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NODE_DISABLE_COMPILE_CACHE',
  'NO_COLOR',
  'NO_PROXY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SERVICE_NAME',
  'SERVICE_API_KEY',
  'SERVICE_API_KEYS',
  'SERVICE_BASE_URL',
  'SERVICE_DEFAULT_MODEL',
  'SERVICE_DIALECT',
  'SERVICE_ENGINE_API_KEY',
  'SERVICE_LOG_LEVEL',
  'SERVICE_PROVIDER',
  'TERM',
  'TRACEPARENT',
  'TRACESTATE',
  'TRACING_API_KEY',
  'all_proxy',
  'http_proxy',
  'https_proxy',
  'no_proxy',
]

/**
 * The environment variables that a scenario may set: those that svc reads. Any other could change how Node or the system run a program,
 * as `NODE_OPTIONS`, `LD_PRELOAD` and `PATH` do.
 */
export const scenarioVariables: ReadonlySet<string> = new Set([
  ...pathVariables,
  ...plainVariables,
  ...Object.values(providers).flatMap(({ addressVariable, accountVariable, keyVariables }) =>
    [addressVariable ?? [], accountVariable ?? [], keyVariables].flat(),
  ),
])

/** Lists the variables of a scenario that it may not set, and those whose path leads out of the working folder, each with the reason. */
export const listVariableFaults = (
  env: Readonly<Record<string, string | null>>,
): ReadonlyArray<string> =>
  Object.entries(env).flatMap(([name, value]) => {
    if (!scenarioVariables.has(name))
      return [`env: svc does not read ${JSON.stringify(name)}, so a scenario must not set it`]
    if (value === null || value === '' || !pathVariables.includes(name)) return []
    const fault = describePathFault(stripWorkingFolder(value))
    return fault === undefined ? [] : [`env: ${name} ${fault}: ${JSON.stringify(value)}`]
  })

/** Removes `{cwd}/`, which stands for the working folder, from the beginning of a path. */
export const stripWorkingFolder = (path: string): string => path.replace(/^\{cwd\}(?:\/+|$)/, './')
