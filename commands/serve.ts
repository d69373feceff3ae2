import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { dialectNames } from '../lib/client/dialects/dialect'
import { serviceNames } from '../lib/client/providers/provider-names'
import { engineFlags } from './flags/engine-flags'

/** The flags that choose and configure the engine. */
const serveEngineFlags = [
  {
    name: 'engine',
    type: 'string',
    placeholder: 'name',
    shownDefault: 'embedded, or replay with --fixtures',
    summary: 'the engine that answers: embedded, chat, local, own, upstream or replay',
    oneOf: ['embedded', 'chat', 'openai', 'local', 'own', 'upstream', 'replay'],
    noun: 'engine',
  },
  {
    name: 'engine-url',
    type: 'string',
    placeholder: 'url',
    summary: 'the address of the engine (chat, upstream)',
  },
  {
    name: 'engine-provider',
    type: 'string',
    placeholder: 'name',
    summary: 'the service that answers; svc help providers lists them (upstream)',
    oneOf: serviceNames,
    noun: 'provider',
  },
  {
    name: 'engine-dialect',
    type: 'string',
    placeholder: 'name',
    summary: `the dialect of that service: ${dialectNames.join(', ')} (upstream)`,
    oneOf: dialectNames,
    noun: 'dialect',
  },
  {
    name: 'engine-model',
    type: 'string',
    placeholder: 'name',
    summary:
      "the engine's name for its model (chat, upstream); a .gguf file or hf:user/repo:quant (local); a model file (own)",
  },
  {
    name: 'engine-timeout',
    type: 'duration',
    default: '30s',
    isNonNegative: true,
    summary: 'the time limit of an attempt to ask the engine; 0 disables it (chat, upstream)',
  },
  {
    name: 'engine-max-retries',
    type: 'int',
    placeholder: 'n',
    default: 2,
    isNonNegative: true,
    summary: 'retries after the first attempt (chat)',
  },
  {
    name: 'engine-concurrency',
    type: 'int',
    placeholder: 'n',
    default: 8,
    min: 1,
    summary: 'calls to the engine at the same time for one request (chat)',
  },
  ...engineFlags,
  {
    name: 'fixtures',
    type: 'string',
    placeholder: 'folder',
    summary: 'answer recorded requests from this folder of scenarios (replay)',
    isFolder: true,
  },
  {
    name: 'strict',
    type: 'bool',
    summary: 'show how a request differs from the recorded ones, and list unused ones (replay)',
  },
] as const satisfies Flags

const flags = [
  {
    name: 'record',
    type: 'string',
    placeholder: 'folder',
    summary: 'save each exchange as a scenario below this folder',
    isFolder: true,
  },
  {
    name: 'host',
    type: 'string',
    default: '127.0.0.1',
    isNonEmpty: true,
    summary: 'the address to listen on',
  },
  {
    name: 'port',
    type: 'int',
    default: 8787,
    min: 0,
    max: 65_535,
    summary: 'the port to listen on; 0 picks a free one',
  },
  ...serveEngineFlags,
  {
    name: 'api-keys-file',
    type: 'string',
    placeholder: 'path',
    summary: 'a file of accepted API keys, one per line; SERVICE_API_KEYS adds more',
    isFile: true,
  },
  {
    name: 'trusted-proxy',
    type: 'strings',
    placeholder: 'address',
    summary: 'the IP address of a proxy whose X-Forwarded-For names the caller in the log',
  },
  {
    name: 'log-format',
    type: 'string',
    placeholder: 'name',
    default: 'logfmt',
    summary: 'the format of log lines: logfmt or json',
    oneOf: ['logfmt', 'json'],
    noun: 'log format',
  },
  {
    name: 'log-answers',
    type: 'string',
    placeholder: 'path',
    summary: 'append a record of each answer to this file, which svc compare and others read',
    isFile: true,
  },
  {
    name: 'log-states',
    type: 'bool',
    summary: 'write the states into the records of --log-answers, without known keys',
  },
  {
    name: 'log-share',
    type: 'float',
    placeholder: 'share',
    default: 1,
    min: 0,
    max: 1,
    summary: 'the share of requests that --log-answers records',
  },
  {
    name: 'rate-limit',
    type: 'int',
    placeholder: 'n',
    default: 0,
    min: 0,
    summary: 'requests per minute and key; 0 for no limit',
  },
  {
    name: 'max-concurrent',
    type: 'int',
    placeholder: 'n',
    default: 64,
    min: 1,
    summary: 'requests that the engine answers at the same time; always one for embedded',
  },
  {
    name: 'max-waiting',
    type: 'int',
    placeholder: 'n',
    default: 100,
    min: 1,
    summary: 'requests that may wait or be in progress; at most half of them for one key',
  },
  {
    name: 'max-body',
    type: 'int',
    placeholder: 'bytes',
    // 2 MiB, between 64 KiB and 32 MiB.
    default: 2 << 20,
    min: 64 << 10,
    max: 32 << 20,
    summary: 'the maximum size of a request, otherwise 413; images need more than the default',
  },
  {
    name: 'read-timeout',
    type: 'duration',
    isTimerDuration: true,
    default: '30s',
    summary: 'the time limit for the headers of a request, and again for its body',
  },
  {
    name: 'answer-timeout',
    type: 'duration',
    isTimerDuration: true,
    default: '1m0s',
    summary: 'the time limit for an answer, including the wait in the queue',
  },
  {
    name: 'idle-timeout',
    type: 'duration',
    isTimerDuration: true,
    default: '1m15s',
    summary: 'the time after which an idle connection is closed',
  },
] as const satisfies Flags

register(
  {
    name: 'serve',
    summary: 'Run the service that answers typed questions',
    description: `Listens for requests and answers them until you stop it. On SIGTERM or SIGINT it finishes the requests in flight, \
for at most 10 seconds, and exits with 0. It prints nothing on stdout.

GET /openapi.json describes the routes. /openapi.json, /healthz (the process lives), /readyz (send requests here) and /metrics \
need no key.

List the accepted API keys in SERVICE_API_KEYS (comma-separated) and in the file of --api-keys-file. Write name:key to see the \
caller in the access log and in /metrics. Without any keys the service accepts any key, or none, but only on a loopback address. \
SIGHUP reloads the file. If the file is invalid or others can write it, the old keys stay in effect. Without a file SIGHUP stops \
the service, unless stdout or stderr is a regular file, as under nohup. SERVICE_ENGINE_API_KEY is the key that the chat and upstream engines send.

The embedded engine is small: it compares the meanings of English words, so it knows topics, but hardly praise from blame, and no \
logic. local runs a language model in this process. chat reads probabilities from any \
OpenAI-compatible endpoint. upstream asks another service, such as a provider. replay answers recorded requests, and plays each \
scenario at its own address: /<group>/<name>/v1/questions. svc help engines helps you to choose.

--log-answers appends a record of each answer to a file, which is a run: svc select, sample, label, eval, share and compare read it. \
The records have no states without --log-states, and never keys or images. A full or slow disk delays no answer: records that cannot be \
written are dropped, and counted in /metrics. SIGHUP then opens the file anew, for logrotate, and never stops the service.

--record saves each exchange below <folder>/fixtures/recorded, without keys. --fixtures plays them again. With --strict the answer \
to a request that is not recorded shows its first difference from the nearest one, and GET /__svc/unused lists the recorded requests \
that never came. svc help fixtures shows the way from a recording to CI.`,
    flags,
    examples: [
      { command: 'svc serve', note: 'Try it on this machine, without a model.' },
      {
        command:
          'svc serve --engine chat --engine-url http://127.0.0.1:8000/v1 --engine-model qwen',
        note: 'In front of a vLLM server.',
      },
      {
        command:
          'svc serve --host 0.0.0.0 --api-keys-file keys.txt --rate-limit 600 --log-level info',
        note: 'For other machines, with keys, a limit and an access log.',
      },
      {
        command: 'svc serve --fixtures fixtures',
        note: 'A service that answers recorded requests, for tests.',
      },
    ],
    usesNetwork: true,
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
    // Longer than the 10 seconds that requests in flight may take.
    graceMs: 12_000,
  },
  async () => (await import('./run/serve')).runServe,
)
