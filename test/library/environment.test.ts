import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fromEnvironment, UsageError } from '../../lib/library'

const test = suite('library/environment')

test('reads the variables of svc, and sends a key only to the service that it is for', () => {
  const cases = [
    [{}, {}],
    [{ SERVICE_API_KEY: 'a', TYPESAFE_API_KEY: 'b' }, { apiKey: 'a' }],
    [{ SERVICE_API_KEY: ' ', TYPESAFE_API_KEY: 'b' }, { apiKey: 'b' }],
    [{ OPENAI_API_KEY: 'c' }, {}],
    [
      { SERVICE_PROVIDER: 'openai', OPENAI_API_KEY: 'c', SERVICE_API_KEY: 'a' },
      { provider: 'openai', apiKey: 'c' },
    ],
    [
      { SERVICE_PROVIDER: 'openai', OPENAI_API_KEY: 'c', SERVICE_BASE_URL: 'http://gw' },
      { provider: 'openai', baseUrl: 'http://gw' },
    ],
    [
      { SERVICE_PROVIDER: 'ollama', OLLAMA_HOST: 'box', SERVICE_DEFAULT_MODEL: 'nimble' },
      { provider: 'ollama', baseUrl: 'http://box:11434', model: 'nimble' },
    ],
    [
      { SERVICE_BASE_URL: 'http://h', SERVICE_DIALECT: 'gemini', SERVICE_API_KEY: 'a' },
      { baseUrl: 'http://h', dialect: 'gemini', apiKey: 'a' },
    ],
  ] as const
  for (const [env, options] of cases) assert.equal(fromEnvironment(env), options)
})

test('refuses a key file, which it does not read', () => {
  for (const env of [{ SERVICE_PROVIDER: 'open' }, { SERVICE_API_KEY_FILE: '/key' }])
    assert.throws(
      () => fromEnvironment(env),
      (error: unknown) => error instanceof UsageError,
    )
})

test.run()
