import { formatDuration } from '../runtime/duration'
import { isLogLevel, unknownLevel } from '../runtime/log'
import type { Flags, Values } from './declaration'

/** Flags that every command takes. spec: Global flags */
export const globalFlags = [
  {
    name: 'api-key',
    type: 'string',
    value: 'key',
    summary: 'API key',
    env: 'SERVICE_API_KEY',
  },
  {
    name: 'base-url',
    type: 'string',
    value: 'url',
    summary: 'API base address',
    defaultText: 'http://127.0.0.1:8787',
    env: 'SERVICE_BASE_URL',
  },
  {
    name: 'model',
    type: 'string',
    value: 'name',
    summary: 'model name',
    defaultText: 'svc-latest',
    env: 'SERVICE_DEFAULT_MODEL',
  },
  {
    name: 'timeout',
    type: 'duration',
    summary: 'per-attempt HTTP timeout; 0 disables it',
    defaultText: '10s',
  },
  {
    name: 'max-retries',
    type: 'int',
    value: 'n',
    summary: 'retries after the first attempt',
    defaultText: '2',
  },
  {
    name: 'log-level',
    type: 'string',
    value: 'level',
    summary: 'log to stderr: debug, info, warning, error or off',
    defaultText: 'off',
    env: 'SERVICE_LOG_LEVEL',
    oneOf: ['debug', 'info', 'warning', 'error', 'off'],
  },
  { name: 'trace', type: 'bool', summary: 'force tracing on' },
  {
    name: 'no-trace',
    type: 'bool',
    summary: 'disable tracing even when tracing environment variables are set',
  },
  { name: 'pretty', type: 'bool', summary: 'indent JSON output' },
  { name: 'help', short: 'h', type: 'bool', summary: 'print help' },
] as const satisfies Flags

/** The declarations of `globalFlags`, which type their values. */
export type GlobalFlags = typeof globalFlags

/** What no command takes, told in the words of a usage error. spec: Global flags 4, D53 */
export const refusedGlobal = (
  globals: Pick<Values<GlobalFlags>, 'timeout' | 'max-retries' | 'log-level'>,
): string | undefined => {
  const { timeout = 0n, 'max-retries': maxRetries = 0 } = globals
  // An empty one counts as not given.
  const level = globals['log-level'] || 'off'
  if (timeout < 0n) return `--timeout must not be negative, got ${formatDuration(timeout)}`
  if (maxRetries < 0) return `--max-retries must not be negative, got ${maxRetries}`
  return isLogLevel(level) ? undefined : unknownLevel(level)
}

/** Flags of the bare `svc`. spec: Command-line client, root flag */
export const rootFlags = [
  { name: 'version', short: 'v', type: 'bool', summary: 'print the version' },
] as const satisfies Flags
