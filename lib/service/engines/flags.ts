import type { Flags, Values } from '../../cli/flags'
import { dialectNames } from '../../client/dialects/dialect'
import { providerNames } from '../../client/providers/target'

/** The names of the engines. */
const engineNames = ['lexical', 'local', 'openai', 'upstream', 'replay'] as const

/** The flags of `svc serve` that choose the engine and set it up. D39 */
export const engineFlags = [
  {
    name: 'engine',
    type: 'string',
    value: 'name',
    defaultText: 'lexical, or replay with --fixtures',
    summary: `what answers: ${engineNames.slice(0, -1).join(', ')} or ${engineNames.at(-1)}`,
    oneOf: engineNames,
    noun: 'engine',
  },
  {
    name: 'engine-url',
    type: 'string',
    value: 'url',
    summary: 'address of the engine (openai, upstream)',
  },
  {
    name: 'engine-provider',
    type: 'string',
    value: 'name',
    summary: 'the service that answers; svc help providers lists them (upstream)',
    oneOf: providerNames,
    noun: 'provider',
  },
  {
    name: 'engine-dialect',
    type: 'string',
    value: 'name',
    summary: `how it is spoken to: ${dialectNames.join(', ')} (upstream)`,
    oneOf: dialectNames,
    noun: 'dialect',
  },
  {
    name: 'engine-model',
    type: 'string',
    value: 'name',
    summary:
      "the engine's name for its model (openai, upstream); a .gguf file or hf:user/repo:quant (local)",
  },
  {
    name: 'engine-timeout',
    type: 'duration',
    default: '30s',
    notNegative: true,
    summary: 'time for one attempt to reach the engine; 0 disables it (openai, upstream)',
  },
  {
    name: 'engine-max-retries',
    type: 'int',
    value: 'n',
    default: 2,
    notNegative: true,
    summary: 'retries after the first attempt (openai)',
  },
  {
    name: 'engine-concurrency',
    type: 'int',
    value: 'n',
    default: 8,
    least: 1,
    summary: 'calls to the engine at a time for one request (openai)',
  },
  {
    name: 'engine-permutations',
    type: 'int',
    value: 'n',
    default: 1,
    least: 1,
    most: 20,
    summary: 'orders of the options to average over (local, openai)',
  },
  {
    name: 'engine-temperature',
    type: 'float',
    value: 't',
    default: 1,
    above: 0,
    summary: 'above 1 evens probabilities out, below 1 sharpens them (local, openai)',
  },
  {
    name: 'engine-context',
    type: 'int',
    value: 'tokens',
    default: 4096,
    least: 512,
    summary: 'room for state and question (local)',
  },
  {
    name: 'engine-threads',
    type: 'int',
    value: 'n',
    default: 0,
    least: 0,
    summary: "threads that compute; 0 takes the processor's cores (local)",
  },
  {
    name: 'engine-download',
    type: 'bool',
    summary: 'fetch an hf: model that is not there yet (local)',
  },
  {
    name: 'engine-body',
    type: 'string',
    value: 'json',
    summary: 'further members of every request body, a JSON object (openai)',
  },
  {
    name: 'fixtures',
    type: 'string',
    value: 'folder',
    summary: 'answer recorded requests from a folder of scenarios (replay)',
    folder: true,
  },
] as const satisfies Flags

/** The values of these flags. */
export type EngineFlags = Values<typeof engineFlags>

/** The global flags for making calls, each with the setting of the service that may be meant. D61 */
export const flagsForCalls = [
  ['api-key', 'takes keys from SERVICE_API_KEYS or --api-keys-file'],
  ['base-url', 'listens on --host and --port'],
  ['provider', 'takes --engine-provider'],
  ['dialect', 'takes --engine-dialect'],
  ['model', 'takes --engine-model'],
  ['timeout', 'takes --answer-timeout and --engine-timeout'],
  ['max-retries', 'takes --engine-max-retries'],
  ['pretty', 'prints nothing on stdout'],
] as const
