import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { dialectNames } from '../lib/client/dialects/dialect'
import { providerNames } from '../lib/client/providers/target'

/** The names of the engines. */
const engineNames = ['lexical', 'local', 'openai', 'upstream', 'replay'] as const

/** The flags that choose the engine and set it up. */
const engineFlags = [
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
    min: 1,
    summary: 'calls to the engine at a time for one request (openai)',
  },
  {
    name: 'engine-permutations',
    type: 'int',
    value: 'n',
    default: 1,
    min: 1,
    max: 20,
    summary: 'orders of the options to average over (local, openai)',
  },
  {
    name: 'engine-temperature',
    type: 'float',
    value: 't',
    default: 1,
    exclusiveMin: 0,
    summary: 'above 1 evens probabilities out, below 1 sharpens them (local, openai)',
  },
  {
    name: 'engine-context',
    type: 'int',
    value: 'tokens',
    default: 4096,
    min: 512,
    summary: 'room for state and question (local)',
  },
  {
    name: 'engine-threads',
    type: 'int',
    value: 'n',
    default: 0,
    min: 0,
    summary: "threads that compute; 0 takes the processor's cores (local)",
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
  {
    name: 'strict',
    type: 'bool',
    summary:
      'show the first difference of a request that is not recorded; list unused ones (replay)',
  },
] as const satisfies Flags

const flags = [
  {
    name: 'record',
    type: 'string',
    value: 'folder',
    summary: 'write each exchange as a scenario below this folder',
    folder: true,
  },
  {
    name: 'host',
    type: 'string',
    default: '127.0.0.1',
    notEmpty: true,
    summary: 'address to listen on',
  },
  {
    name: 'port',
    type: 'int',
    default: 8787,
    min: 0,
    max: 65_535,
    summary: 'port to listen on; 0 picks one',
  },
  ...engineFlags,
  {
    name: 'api-keys-file',
    type: 'string',
    value: 'path',
    summary: 'file of accepted API keys, one per line; SERVICE_API_KEYS lists more',
    file: true,
  },
  {
    name: 'trusted-proxy',
    type: 'strings',
    value: 'address',
    summary: 'IP address of a proxy whose X-Forwarded-For names the caller in the log; repeatable',
  },
  {
    name: 'log-format',
    type: 'string',
    value: 'name',
    default: 'logfmt',
    summary: 'how log lines are written: logfmt or json',
    oneOf: ['logfmt', 'json'],
    noun: 'log format',
  },
  {
    name: 'rate-limit',
    type: 'int',
    value: 'n',
    default: 0,
    min: 0,
    summary: 'requests per minute and key; 0 for no limit',
  },
  {
    name: 'max-concurrent',
    type: 'int',
    value: 'n',
    default: 64,
    min: 1,
    summary: 'requests the engine works on at a time; lexical always takes one',
  },
  {
    name: 'max-waiting',
    type: 'int',
    value: 'n',
    default: 100,
    min: 1,
    summary: 'requests that may wait or be in work; a key may have half of them',
  },
  {
    name: 'max-body',
    type: 'int',
    value: 'bytes',
    default: 2 << 20,
    min: 64 << 10,
    max: 32 << 20,
    summary: 'the largest request; more is a 413. Images need more than the default',
  },
  {
    name: 'read-timeout',
    type: 'duration',
    limit: true,
    default: '30s',
    summary: 'time for the headers of a request, and again for its body',
  },
  {
    name: 'answer-timeout',
    type: 'duration',
    limit: true,
    default: '1m0s',
    summary: 'time for an answer, waiting in line included',
  },
  {
    name: 'idle-timeout',
    type: 'duration',
    limit: true,
    default: '1m15s',
    summary: 'how long a quiet connection is kept open',
  },
] as const satisfies Flags

register(
  {
    name: 'serve',
    summary: 'Run the service that answers typed questions',
    description: `Listens for requests and answers them until it is stopped. SIGTERM or SIGINT lets requests in flight \
finish, for at most 10 seconds, and ends with exit code 0; nothing is printed on stdout.

GET /openapi.json describes the routes. It, /healthz (the process lives), /readyz (requests should \
be sent here) and /metrics need no key.

Accepted API keys come from SERVICE_API_KEYS (comma-separated) and --api-keys-file. Write name:key to tell \
callers apart in the access log and in /metrics. Without any keys the service accepts any key, or none, but only on \
a loopback address. SIGHUP reloads the file. If it is invalid, or others can write it, the old keys stay in effect. \
Without a file SIGHUP stops the service. SERVICE_ENGINE_API_KEY is the key that the openai and upstream engines send.

The lexical engine compares words and is for trying out: on labelled rows of others it was right in \
37 % of cases, had no opinion in 54 % and was wrong in 8 %. local runs a language model in this \
process; openai reads probabilities off any \
OpenAI-compatible endpoint; upstream asks another service, such as a provider; replay answers \
recorded requests, and plays each scenario at its own address: /<group>/<name>/v1/questions. See svc help engines for which to take.

--record writes each exchange below <folder>/fixtures/recorded, without keys. --fixtures plays them again. With \
--strict a request that is not recorded is answered with the first difference from the nearest one, and GET \
/__svc/unused lists the recorded requests that never came. svc help fixtures shows the way from a recording to CI.`,
    flags,
    examples: [
      { command: 'svc serve', note: 'Everything on this machine, no model needed.' },
      {
        command:
          'svc serve --engine openai --engine-url http://127.0.0.1:8000/v1 --engine-model qwen',
        note: 'In front of a vLLM server.',
      },
      {
        command:
          'svc serve --host 0.0.0.0 --api-keys-file keys.txt --rate-limit 600 --log-level info',
        note: 'For other machines, with keys, a limit and an access log.',
      },
      {
        command: 'svc serve --fixtures fixtures',
        note: 'A stand-in service that answers recorded requests.',
      },
    ],
    network: true,
    unusedGlobals: [
      'api-key',
      'base-url',
      'provider',
      'dialect',
      'model',
      'timeout',
      'max-retries',
      'pretty',
    ],
    graceMs: 12_000,
  },
  async () => (await import('./run/serve')).runServe,
)
