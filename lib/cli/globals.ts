import { dialectNames } from '../client/dialects/dialect'
import { explainUnknownProvider, providerNames } from '../client/providers/provider-names'
import { logLevels } from '../tracing/log'
import type { Flags, Values } from './flags'

/** Declares the global flags, which every command accepts. */
export const globalFlags = [
  {
    name: 'api-key',
    type: 'string',
    placeholder: 'key',
    summary: 'API key',
    env: 'SERVICE_API_KEY',
  },
  {
    name: 'base-url',
    type: 'string',
    placeholder: 'url',
    summary: 'API base address',
    // Only help shows it: the default depends on the provider, so the parser cannot apply it.
    shownDefault: 'http://127.0.0.1:8787',
    env: 'SERVICE_BASE_URL',
  },
  // `provider` and `dialect` have no `env`: the parser would report an invalid variable under the name of the flag. Their variables
  // are read by `selectDestinationSettings`, and messages name them.
  {
    name: 'provider',
    type: 'string',
    placeholder: 'name',
    summary: 'service to ask, else SERVICE_PROVIDER (svc help providers)',
    oneOf: providerNames,
    describeUnknownWord: explainUnknownProvider,
  },
  {
    name: 'dialect',
    type: 'string',
    placeholder: 'name',
    summary: 'the API dialect of the service, else SERVICE_DIALECT',
    oneOf: dialectNames,
  },
  {
    name: 'model',
    type: 'string',
    placeholder: 'name',
    summary: 'model name',
    shownDefault: 'svc-latest',
    env: 'SERVICE_DEFAULT_MODEL',
  },
  {
    name: 'timeout',
    type: 'duration',
    summary:
      'per-attempt HTTP timeout; 0 disables it; for ollama, llama.cpp and vllm 2m0s if not set',
    shownDefault: '10s',
    isNonNegative: true,
  },
  {
    name: 'max-retries',
    type: 'int',
    placeholder: 'n',
    summary: 'retries after the first attempt',
    default: 2,
    isNonNegative: true,
  },
  {
    name: 'log-level',
    type: 'string',
    placeholder: 'level',
    summary: 'log to stderr: debug, info, warning, error or off',
    default: 'off',
    env: 'SERVICE_LOG_LEVEL',
    oneOf: logLevels,
    noun: 'log level',
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

export type GlobalFlags = typeof globalFlags

/** The values of the global flags. */
export type Globals = Values<GlobalFlags>

/** Declares the flags of the bare `svc`, beside the global flags. */
export const rootFlags = [
  { name: 'version', short: 'v', type: 'bool', summary: 'print the version' },
] as const satisfies Flags
