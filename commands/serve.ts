import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { engineFlags, flagsForCalls } from '../lib/service/engines/flags'

const flags = [
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
    least: 0,
    most: 65_535,
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
    name: 'rate-limit',
    type: 'int',
    value: 'n',
    default: 0,
    least: 0,
    summary: 'requests per minute and key; 0 for no limit',
  },
  {
    name: 'max-concurrent',
    type: 'int',
    value: 'n',
    default: 64,
    least: 1,
    summary: 'requests the engine works on at a time; lexical always takes one',
  },
  {
    name: 'max-queue',
    type: 'int',
    value: 'n',
    default: 256,
    least: 0,
    summary: 'requests that may wait for their turn',
  },
  {
    name: 'max-body',
    type: 'int',
    value: 'bytes',
    default: 2 << 20,
    least: 64 << 10,
    most: 16 << 20,
    summary: 'the largest request; more is a 413',
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

/** The flags of `svc serve`. */
export type ServeFlags = typeof flags

register(
  {
    name: 'serve',
    summary: 'Run the service that answers typed questions',
    description: `Listens for requests and answers them until it is stopped. SIGTERM or SIGINT lets requests in flight \
finish, for at most 10 seconds, and ends with exit code 0; nothing is printed on stdout.

GET /openapi.json describes the routes. It, /healthz (the process lives), /readyz (requests should \
be sent here) and /metrics need no key.

Accepted API keys come from SERVICE_API_KEYS (comma-separated) and --api-keys-file. With neither, \
any key is accepted, but only on a loopback address. SIGHUP reads the file again; a faulty one \
keeps the keys there are, and so does one that others can write. SERVICE_ENGINE_API_KEY is the key that \
the openai and upstream engines send.

The lexical engine compares words and is for trying out: on labelled rows of others it was right in \
37 % of cases, had no opinion in 54 % and was wrong in 8 %. local runs a language model in this \
process; openai reads probabilities off any \
OpenAI-compatible endpoint; upstream asks another service, such as a provider; replay answers \
recorded requests, and plays each scenario at its own address: /<group>/<name>/v1/questions. See svc help engines for which to take.`,
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
    without: flagsForCalls.map(([name]) => name),
    graceMs: 12_000,
  },
  async () => (await import('./run/serve')).runServe,
)
