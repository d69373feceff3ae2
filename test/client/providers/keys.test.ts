/** a key goes nowhere but to the place it was given for, whatever else is set. */
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClientContext, findDestination } from '../../../lib/cli/client'
import { findKey, resolveTarget } from '../../../lib/cli/find-key'
import { globalFlags } from '../../../lib/cli/globals'
import { valuesOf } from '../../../lib/cli/values'
import { messageOf } from '../../../lib/failure/message'
import { noTracer } from '../../../lib/runtime/tracer'
import { memoryFiles } from '../../support/files'
import { fakeRuntime } from '../../support/runtime'

const test = suite('provider/keys')

type Env = Readonly<Record<string, string>>

/** Where a call goes and with which key: `https://host/path key`, or the message of the failure. */
const send = async (flags: Env, env: Env): Promise<string> => {
  const { files } = memoryFiles({ key: 'k-file' })
  const { runtime } = fakeRuntime({ env, files })
  const target = resolveTarget(new Map(Object.entries(flags)), env)
  const context: ClientContext = {
    ...{ runtime, target, tracer: noTracer, level: 'off', key: await findKey(runtime, target) },
    build: { version: '1', commit: 'c', modified: false, source: 'ldflags', go: 'v' },
    globals: valuesOf(globalFlags, new Map(), {}),
  }
  const destination = await findDestination(context)()
  return E.isLeft(destination)
    ? messageOf(destination.left)
    : `${destination.right.ask.url} ${destination.right.key?.reveal() ?? 'no key'}`
}

/** All subsets of these. */
const subsets = <A>(list: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: 2 ** list.length }, (_, chosen) =>
    list.filter((_one, index) => (chosen >> index) % 2 === 1),
  )

/** The values of the keys by their variables. */
const keys: Readonly<Record<string, string>> = {
  SERVICE_API_KEY: 'k-service',
  SERVICE_API_KEY_FILE: 'key',
  TYPESAFE_API_KEY: 'k-typesafe',
  OPENAI_API_KEY: 'k-openai',
}
const services = {
  typesafe: { own: 'TYPESAFE_BASE_URL', key: 'TYPESAFE_API_KEY', row: 'https://api.typesafe.ai' },
  openai: { own: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY', row: 'https://api.openai.com' },
}
const service = ['SERVICE_API_KEY', 'SERVICE_API_KEY_FILE']
const plain = [...service, 'TYPESAFE_API_KEY']

/**
 * Where a call goes, by how the provider is named and which addresses are given: by `--base-url` (flag),
 * `SERVICE_BASE_URL` (service), the variable of the provider (own). `row` is the provider's own address. The keys that may
 * reach it come last, the first one that is set being the one sent; `own` is the provider's.
 */
const table: ReadonlyArray<readonly [string, string, string, 'own' | ReadonlyArray<string>]> = [
  ['--provider', '', 'row', 'own'],
  ['--provider', 'own', 'own', 'own'],
  ['--provider', 'service', 'row', 'own'],
  ['--provider', 'service own', 'own', 'own'],
  ['--provider', 'flag', 'flag', []],
  ['--provider', 'flag service own', 'flag', []],
  ['SERVICE_PROVIDER', '', 'row', 'own'],
  ['SERVICE_PROVIDER', 'own', 'own', 'own'],
  ['SERVICE_PROVIDER', 'service', 'service', service],
  ['SERVICE_PROVIDER', 'service own', 'service', service],
  ['SERVICE_PROVIDER', 'flag', 'flag, no provider', []],
  ['SERVICE_PROVIDER', 'flag service own', 'flag, no provider', []],
  ['none', '', 'local, no provider', plain],
  ['none', 'own', 'local, no provider', plain],
  ['none', 'service own', 'service, no provider', plain],
  ['none', 'flag', 'flag, no provider', service],
  ['none', 'flag service own', 'flag, no provider', service],
]

for (const [named, given, where, readable] of table)
  test(`provider by ${named}, address by ${given || 'nothing'}: ${where}`, async () => {
    for (const [provider, { own, key, row }] of Object.entries(services))
      for (const another of Object.keys(services))
        for (const set of subsets(Object.keys(keys))) {
          const is = (address: string): boolean => given.split(' ').includes(address)
          const others = Object.values(services).filter((one) => one.own !== own)
          const env: Env = {
            ...Object.fromEntries(set.map((name) => [name, keys[name] ?? ''])),
            ...Object.fromEntries(others.map((one) => [one.own, 'https://another.test'])),
            ...(is('service') && { SERVICE_BASE_URL: 'https://service.test' }),
            ...(is('own') && { [own]: 'https://own.test' }),
            ...(named === 'SERVICE_PROVIDER' && { SERVICE_PROVIDER: provider }),
            ...(named === '--provider' && { SERVICE_PROVIDER: another }),
          }
          const outcome = await send(
            {
              ...(named === '--provider' && { provider }),
              ...(is('flag') && { 'base-url': 'https://flag.test' }),
            },
            env,
          )
          const [host = '', none] = where.split(', ')
          const base = { row, local: 'http://127.0.0.1:8787' }[host] ?? `https://${host}.test`
          const path = none ? 'questions' : provider === 'openai' ? 'decisions' : 'systemone'
          const sent = (readable === 'own' ? [key] : readable).find((name) => name in env)
          const value = sent === 'SERVICE_API_KEY_FILE' ? 'k-file' : env[sent ?? '']
          const said = JSON.stringify({ provider, env, outcome })
          if (sent !== undefined) assert.is(outcome, `${base}/v1/${path} ${value}`, said)
          else if (none)
            assert.match(outcome, 'API key is required: pass WithAPIKey or set TYPESAFE_API_KEY')
          else assert.match(outcome, `no API key for ${provider}: `, said)
        }
  })

const one: Env = { SERVICE_PROVIDER: 'openai', SERVICE_API_KEY: 'k', SERVICE_DIALECT: 'decisions' }

const cases: ReadonlyArray<readonly [string, Env, Env, string]> = [
  [
    '--api-key goes where the call goes',
    { provider: 'openai', 'base-url': 'https://proxy.test', 'api-key': 'k' },
    { OPENAI_API_KEY: 'k-openai' },
    'https://proxy.test/v1/decisions k',
  ],
  [
    '--base-url beside SERVICE_PROVIDER leaves the keys of the environment unread',
    { 'base-url': 'https://flag.test' },
    { ...one, OPENAI_API_KEY: 'k-openai' },
    'typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY',
  ],
  [
    'the key of TypeSafe does not go to --base-url',
    { 'base-url': 'https://flag.test' },
    { ...one, TYPESAFE_API_KEY: 'k-typesafe' },
    'typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY',
  ],
  [
    'an empty --api-key is none, and does not fall through to a key of another service',
    { provider: 'openai', 'api-key': '' },
    { SERVICE_API_KEY: 'k' },
    'no API key for openai: set OPENAI_API_KEY or pass --api-key',
  ],
  [
    'SERVICE_BASE_URL before the address of the provider, with its own key',
    {},
    { ...one, SERVICE_BASE_URL: 'https://service.test', OPENAI_API_KEY: 'k-openai' },
    'https://service.test/v1/decisions k',
  ],
  [
    'without that key the other is not sent there',
    {},
    {
      ...one,
      ...{ SERVICE_BASE_URL: 'https://service.test', SERVICE_API_KEY: '' },
      OPENAI_API_KEY: 'k-openai',
    },
    'no API key for openai: set SERVICE_API_KEY or pass --api-key',
  ],
  [
    'a provider without an address takes its key to the one given',
    { provider: 'litellm', 'base-url': 'https://proxy.test' },
    { LITELLM_API_KEY: 'k-litellm' },
    'https://proxy.test/v1/systemone k-litellm',
  ],
  [
    'a local service needs no key',
    { provider: 'ollama' },
    { SERVICE_API_KEY: 'k', OPENAI_API_KEY: 'k-openai' },
    'http://127.0.0.1:11434/v1/systemone no key',
  ],
  [
    'and gets the one that is its own',
    { provider: 'ollama' },
    { OLLAMA_API_KEY: 'k-ollama', OLLAMA_HOST: '0.0.0.0:80' },
    'http://127.0.0.1:80/v1/systemone k-ollama'.replace(':80/', '/'),
  ],
  [
    "of Gemini's two variables the general one wins",
    { provider: 'gemini' },
    { GEMINI_API_KEY: 'k-gemini', GOOGLE_API_KEY: 'k-google' },
    'https://generativelanguage.googleapis.com/v1beta/decisions k-google',
  ],
]

for (const [title, flags, env, wanted] of cases)
  test(`${title}`, async () => {
    assert.is(await send(flags, env), wanted)
  })

test.run()
