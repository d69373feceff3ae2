import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClientOptions, fromEnvironment, UsageError } from '../../lib/library'

const test = suite('library/environment')

interface EnvironmentCase {
  readonly title: string
  readonly env: Readonly<Record<string, string>>
  readonly options: ClientOptions
}

const cases: ReadonlyArray<EnvironmentCase> = [
  { title: 'an empty environment has no options', env: {}, options: {} },
  {
    title: 'SERVICE_API_KEY overrides TYPESAFE_API_KEY',
    env: { SERVICE_API_KEY: 'a', TYPESAFE_API_KEY: 'b' },
    options: { apiKey: 'a' },
  },
  {
    title: 'a variable of spaces counts as unset',
    env: { SERVICE_API_KEY: ' ', TYPESAFE_API_KEY: 'b' },
    options: { apiKey: 'b' },
  },
  {
    title: 'the key of a provider is ignored unless the provider is chosen',
    env: { OPENAI_API_KEY: 'c' },
    options: {},
  },
  {
    title: 'the key of the chosen provider overrides SERVICE_API_KEY',
    env: { SERVICE_PROVIDER: 'openai', OPENAI_API_KEY: 'c', SERVICE_API_KEY: 'a' },
    options: { provider: 'openai', apiKey: 'c' },
  },
  {
    title: 'the address of Cloudflare has the id of the account',
    env: { SERVICE_PROVIDER: 'cloudflare', CLOUDFLARE_ACCOUNT_ID: 'a1', CLOUDFLARE_API_TOKEN: 'c' },
    options: {
      provider: 'cloudflare',
      baseUrl: 'https://api.cloudflare.com/client/v4/accounts/a1',
      apiKey: 'c',
    },
  },
  {
    title: 'the key of a provider is not sent to another address',
    env: { SERVICE_PROVIDER: 'openai', OPENAI_API_KEY: 'c', SERVICE_BASE_URL: 'http://gw' },
    options: { provider: 'openai', baseUrl: 'http://gw' },
  },
  {
    title: 'a provider has its own variable for the address',
    env: { SERVICE_PROVIDER: 'ollama', OLLAMA_HOST: 'box', SERVICE_DEFAULT_MODEL: 'nimble' },
    options: { provider: 'ollama', baseUrl: 'http://box:11434', model: 'nimble' },
  },
  {
    title: 'an address may have a dialect and a key',
    env: { SERVICE_BASE_URL: 'http://h', SERVICE_DIALECT: 'gemini', SERVICE_API_KEY: 'a' },
    options: { baseUrl: 'http://h', dialect: 'gemini', apiKey: 'a' },
  },
]
for (const { title, env, options } of cases)
  test(title, () => assert.equal(fromEnvironment(env), options))

test('refuses an unknown provider', () => {
  assert.throws(
    () => fromEnvironment({ SERVICE_PROVIDER: 'open' }),
    (error: unknown) => error instanceof UsageError,
  )
})

test('refuses SERVICE_API_KEY_FILE, because it does not read the file', () => {
  assert.throws(
    () => fromEnvironment({ SERVICE_API_KEY_FILE: '/key' }),
    (error: unknown) => error instanceof UsageError,
  )
})

test.run()
