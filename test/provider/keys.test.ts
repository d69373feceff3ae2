/** P3, P4: a key goes nowhere but to the place it was given for, whatever else is set. */
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClientContext, findPlace } from '../../lib/cli/client'
import { findKey } from '../../lib/cli/find-key'
import { globalFlags } from '../../lib/cli/globals'
import { valuesOf } from '../../lib/cli/values'
import { messageOf } from '../../lib/failure/message'
import { chooseTarget, type TargetFlags } from '../../lib/provider/target'
import { noTracer } from '../../lib/telemetry/trace'
import { memoryFiles } from '../support/files'
import { fakeRuntime } from '../support/runtime'

const test = suite('provider/keys')

type Env = Readonly<Record<string, string>>

/** Where a call goes and with which key: `https://host/path key`, or the message of the failure. */
const send = async (flags: TargetFlags, env: Env): Promise<string> => {
  const { files } = memoryFiles({ key: 'k-file' })
  const { runtime } = fakeRuntime({ env, files })
  const target = chooseTarget(flags, env)
  const context: ClientContext = {
    ...{ runtime, target, tracer: noTracer, level: 'off', key: await findKey(runtime, target) },
    build: { version: '1', commit: 'c', modified: false, source: 'ldflags', go: 'v' },
    globals: valuesOf(globalFlags, new Map(), {}),
  }
  const place = await findPlace(context)()
  return E.isLeft(place)
    ? messageOf(place.left)
    : `${place.right.ask.url} ${place.right.key?.reveal() ?? 'no key'}`
}

/** All subsets of these. */
const subsets = <A>(list: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: 2 ** list.length }, (_, chosen) =>
    list.filter((_one, index) => (chosen >> index) % 2 === 1),
  )

const keys: ReadonlyArray<readonly [string, string]> = [
  ['SERVICE_API_KEY', 'k-service'],
  ['SERVICE_API_KEY_FILE', 'key'],
  ['TYPESAFE_API_KEY', 'k-typesafe'],
  ['OPENAI_API_KEY', 'k-openai'],
]
const addresses: ReadonlyArray<readonly [string, string]> = [
  ['SERVICE_BASE_URL', 'https://service.test'],
  ['TYPESAFE_BASE_URL', 'https://typesafe.test'],
  ['OPENAI_BASE_URL', 'https://openai.test'],
]
const providersOfEnv = [undefined, 'typesafe', 'openai']

/** The hosts that each key may reach beside a provider; `--base-url` is reached by none of them. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  'k-service': ['service.test'],
  'k-file': ['service.test'],
  'k-typesafe': ['typesafe.test', 'api.typesafe.ai'],
  'k-openai': ['openai.test', 'api.openai.com'],
}

test('P4: with a provider, every combination of keys, addresses and providers', async () => {
  let sent = 0
  for (const byFlag of [undefined, 'typesafe', 'openai'])
    for (const byEnv of providersOfEnv)
      for (const flag of [undefined, 'https://flag.test'])
        for (const someKeys of subsets(keys))
          for (const someAddresses of subsets(addresses)) {
            if (byFlag === undefined && (byEnv === undefined || flag !== undefined)) continue
            const env = Object.fromEntries([...someKeys, ...someAddresses])
            const outcome = await send(
              { provider: byFlag, 'base-url': flag },
              byEnv === undefined ? env : { ...env, SERVICE_PROVIDER: byEnv },
            )
            const [url = '', key = ''] = outcome.split(' ')
            const said = JSON.stringify({ byFlag, byEnv, flag, env, outcome })
            if (!url.startsWith('https:')) {
              assert.match(outcome, /^no API key for (typesafe|openai): /, said)
              continue
            }
            sent += 1
            const { host } = new URL(url)
            assert.ok(allowed[key]?.includes(host), said)
            assert.ok(byFlag === undefined || host !== 'service.test', said)
          }
  assert.ok(sent > 100)
})

test('P4: without a provider D64 holds, and no key of a provider is read', async () => {
  for (const someKeys of subsets(keys))
    for (const flag of [undefined, 'https://flag.test']) {
      const env: Env = { ...Object.fromEntries(someKeys), SERVICE_BASE_URL: 'https://service.test' }
      const first = ['SERVICE_API_KEY', 'SERVICE_API_KEY_FILE', 'TYPESAFE_API_KEY'].find(
        (name) => env[name] !== undefined,
      )
      const value = first === 'SERVICE_API_KEY_FILE' ? 'k-file' : env[first ?? '']
      const url = `${flag ?? 'https://service.test'}/v1/questions`
      const wanted =
        first === undefined
          ? 'typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY'
          : `${url} ${value}`
      assert.is(await send({ 'base-url': flag }, env), wanted)
    }
})

const one: Env = { SERVICE_PROVIDER: 'openai', SERVICE_API_KEY: 'k', SERVICE_DIALECT: 'decisions' }

const cases: ReadonlyArray<readonly [string, TargetFlags, Env, string]> = [
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
    'but the key that this message names helps (D64)',
    { 'base-url': 'https://flag.test' },
    { ...one, TYPESAFE_API_KEY: 'k-typesafe' },
    'https://flag.test/v1/questions k-typesafe',
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
  test(`P4: ${title}`, async () => {
    assert.is(await send(flags, env), wanted)
  })

test.run()
