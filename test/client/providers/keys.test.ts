/** A key goes only to the service that it was given for, whatever else is set. */
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClientContext, findDestination } from '../../../lib/cli/client'
import { findKey, readDestinationSettings } from '../../../lib/cli/find-key'
import { globalFlags } from '../../../lib/cli/globals'
import { valuesOf } from '../../../lib/cli/values'
import { messageOf } from '../../../lib/failure/format-failure'
import { noTracer } from '../../../lib/runtime/tracer'
import { createMemoryFiles } from '../../support/files'
import { createFakeRuntime } from '../../support/runtime'

const test = suite('provider/keys')

type Env = Readonly<Record<string, string>>

/** Returns the address and the key of a call as `https://host/path key`, or the message of the failure. */
const send = async (flags: Env, env: Env): Promise<string> => {
  const { files } = createMemoryFiles({ key: 'k-file' })
  const { runtime } = createFakeRuntime({ env, files })
  const destinationSettings = readDestinationSettings(new Map(Object.entries(flags)), env)
  const context: ClientContext = {
    runtime,
    destinationSettings,
    tracer: noTracer,
    level: 'off',
    key: await findKey(runtime, destinationSettings),
    build: { version: '1', commit: 'c', modified: false, source: 'ldflags', go: 'v' },
    globals: valuesOf(globalFlags, new Map(), {}),
  }
  const destination = await findDestination(context)()
  return E.isLeft(destination)
    ? messageOf(destination.left)
    : `${destination.right.ask.url} ${destination.right.key?.reveal() ?? 'no key'}`
}

/** Lists all subsets. */
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

/** A way to choose a provider and an address, and which keys are in the environment. */
interface Choice {
  readonly named: string
  readonly given: string
  readonly provider: 'typesafe' | 'openai'
  readonly keyNames: ReadonlyArray<string>
  /** The provider of SERVICE_PROVIDER if `--provider` names another. */
  readonly overridden: string
}

const createEnv = ({ named, given, provider, keyNames, overridden }: Choice): Env => {
  const { own } = services[provider]
  const addresses = new Set(given.split(' '))
  const others = Object.values(services).filter((other) => other.own !== own)
  return {
    ...Object.fromEntries(keyNames.map((name) => [name, keys[name] ?? ''])),
    ...Object.fromEntries(others.map((other) => [other.own, 'https://another.test'])),
    ...(addresses.has('service') && { SERVICE_BASE_URL: 'https://service.test' }),
    ...(addresses.has('own') && { [own]: 'https://own.test' }),
    ...(named === 'SERVICE_PROVIDER' && { SERVICE_PROVIDER: provider }),
    ...(named === '--provider' && { SERVICE_PROVIDER: overridden }),
  }
}

const createFlags = ({ named, given, provider }: Choice): Env => ({
  ...(named === '--provider' && { provider }),
  ...(given.split(' ').includes('flag') && { 'base-url': 'https://flag.test' }),
})

/** Returns the address that a call goes to. `where` is the third column of the table. */
const findUrl = (where: string, provider: Choice['provider']): string => {
  const [host = '', withoutProvider] = where.split(', ')
  const { row } = services[provider]
  const base = { row, local: 'http://127.0.0.1:8787' }[host] ?? `https://${host}.test`
  if (withoutProvider) return `${base}/v1/questions`
  return `${base}/v1/${provider === 'openai' ? 'decisions' : 'systemone'}`
}

const listChoices = (named: string, given: string): ReadonlyArray<Choice> =>
  (['typesafe', 'openai'] as const).flatMap((provider) =>
    Object.keys(services).flatMap((overridden) =>
      subsets(Object.keys(keys)).map((keyNames) => ({
        named,
        given,
        provider,
        keyNames,
        overridden,
      })),
    ),
  )

for (const [named, given, where, readable] of table)
  test(`provider by ${named}, address by ${given || 'nothing'}: ${where}`, async () => {
    for (const choice of listChoices(named, given)) {
      const { provider } = choice
      const env = createEnv(choice)
      const outcome = await send(createFlags(choice), env)
      const details = JSON.stringify({ provider, env, outcome })
      const names = readable === 'own' ? [services[provider].key] : readable
      const keyName = names.find((name) => name in env)
      if (keyName !== undefined) {
        const key = keyName === 'SERVICE_API_KEY_FILE' ? 'k-file' : env[keyName]
        assert.is(outcome, `${findUrl(where, provider)} ${key}`, details)
      } else {
        const message = where.endsWith('no provider')
          ? 'API key is required: pass WithAPIKey or set TYPESAFE_API_KEY'
          : `no API key for ${provider}: `
        assert.match(outcome, message, details)
      }
    }
  })

const openaiEnv: Env = {
  SERVICE_PROVIDER: 'openai',
  SERVICE_API_KEY: 'k',
  SERVICE_DIALECT: 'decisions',
}

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
    { ...openaiEnv, OPENAI_API_KEY: 'k-openai' },
    'typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY',
  ],
  [
    'the key of TypeSafe does not go to --base-url',
    { 'base-url': 'https://flag.test' },
    { ...openaiEnv, TYPESAFE_API_KEY: 'k-typesafe' },
    'typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY',
  ],
  [
    'an empty --api-key counts as absent, and the key of another service is not used',
    { provider: 'openai', 'api-key': '' },
    { SERVICE_API_KEY: 'k' },
    'no API key for openai: set OPENAI_API_KEY or pass --api-key',
  ],
  [
    'SERVICE_BASE_URL overrides the address of the provider, and gets SERVICE_API_KEY',
    {},
    { ...openaiEnv, SERVICE_BASE_URL: 'https://service.test', OPENAI_API_KEY: 'k-openai' },
    'https://service.test/v1/decisions k',
  ],
  [
    'without SERVICE_API_KEY the key of the provider is not sent to SERVICE_BASE_URL',
    {},
    {
      ...openaiEnv,
      SERVICE_BASE_URL: 'https://service.test',
      SERVICE_API_KEY: '',
      OPENAI_API_KEY: 'k-openai',
    },
    'no API key for openai: set SERVICE_API_KEY or pass --api-key',
  ],
  [
    'the key of a provider without an address goes to --base-url',
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
    'a local service gets the key of its provider',
    { provider: 'ollama' },
    { OLLAMA_API_KEY: 'k-ollama', OLLAMA_HOST: '0.0.0.0:80' },
    'http://127.0.0.1/v1/systemone k-ollama',
  ],
  [
    'GOOGLE_API_KEY overrides GEMINI_API_KEY',
    { provider: 'gemini' },
    { GEMINI_API_KEY: 'k-gemini', GOOGLE_API_KEY: 'k-google' },
    'https://generativelanguage.googleapis.com/v1beta/decisions k-google',
  ],
]

for (const [title, flags, env, expected] of cases)
  test(title, async () => {
    assert.is(await send(flags, env), expected)
  })

test.run()
