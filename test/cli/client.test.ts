import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clientConfig, dryRunConfig } from '../../lib/cli/client'
import { type Globals, globalFlags } from '../../lib/cli/globals'
import { valuesOf } from '../../lib/cli/values'
import { type Failure, usage } from '../../lib/failure/failure'

const test = suite('cli/client')

type Env = Readonly<Record<string, string>>
const keyed: Env = { SERVICE_API_KEY: 'sk-env' }

/** The global flags of a run with these on its command line. */
const globals = (passed: Partial<Globals>, env: Env): Globals =>
  valuesOf(globalFlags, new Map(Object.entries(passed)), env)

const config = (passed: Partial<Globals>, env: Env) => clientConfig(globals(passed, env), env)
const dryRun = (passed: Partial<Globals>, env: Env) => dryRunConfig(globals(passed, env), env)

const read = (passed: Partial<Globals>, env: Env) => {
  const result = config(passed, env)
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return { ...result.right, apiKey: result.right.apiKey.reveal() }
}

const message = (either: E.Either<Failure, unknown>): string => {
  if (E.isRight(either)) throw new Error('expected a failure')
  assert.is(either.left._tag, 'Usage')
  return either.left._tag === 'Usage' ? either.left.message : ''
}

test('spec Global flags: the defaults', () => {
  assert.equal(read({}, keyed), {
    baseUrl: 'http://127.0.0.1:8787',
    apiKey: 'sk-env',
    model: 'svc-latest',
    timeout: 10_000_000_000n,
    maxRetries: 2,
  })
})

test('spec Global flags 1: flag, then environment; empty counts as unset (D16)', () => {
  const env = {
    SERVICE_API_KEY: 'sk-env',
    SERVICE_BASE_URL: 'http://env.test',
    SERVICE_DEFAULT_MODEL: 'env-model',
  }
  const fromEnv = read({ 'api-key': '', 'base-url': '', model: '' }, env)
  assert.is(fromEnv.apiKey, 'sk-env')
  assert.is(fromEnv.baseUrl, 'http://env.test')
  assert.is(fromEnv.model, 'env-model')
  const passed = { 'api-key': 'sk-flag', 'base-url': 'http://flag.test', model: 'flag-model' }
  const fromFlags = read(passed, env)
  assert.is(fromFlags.apiKey, 'sk-flag')
  assert.is(fromFlags.baseUrl, 'http://flag.test')
  assert.is(fromFlags.model, 'flag-model')
  const unset = { ...keyed, SERVICE_BASE_URL: '', SERVICE_DEFAULT_MODEL: '', SERVICE_LOG_LEVEL: '' }
  assert.is(read({}, unset).baseUrl, 'http://127.0.0.1:8787')
  assert.is(read({}, unset).model, 'svc-latest')
  assert.is(globals({}, unset)['log-level'], 'off')
})

test('spec Global flags 2-3: explicit values, zero included', () => {
  assert.is(read({ timeout: 0n }, keyed).timeout, 0n)
  assert.is(read({ timeout: 1n }, keyed).timeout, 1n)
  assert.is(read({ 'max-retries': 0 }, keyed).maxRetries, 0)
  assert.is(read({ 'max-retries': 7 }, keyed).maxRetries, 7)
})

test('order of failures: base address, key', () => {
  assert.is(
    message(config({ 'base-url': 'nonsense' }, {})),
    'typesafe: invalid base URL "nonsense": the scheme must be http or https',
  )
  assert.is(
    message(config({}, {})),
    'typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY',
  )
})

test('D3: a key is trimmed, and a blank one is no key', () => {
  assert.is(read({ 'api-key': '  ' }, keyed).apiKey, 'sk-env')
  assert.is(read({ 'api-key': ' sk-flag\n' }, keyed).apiKey, 'sk-flag')
  assert.match(message(config({}, { SERVICE_API_KEY: ' \t ' })), /API key is required/)
})

test('D3: a key that no header can carry is refused and not repeated', () => {
  const refused = 'typesafe: invalid API key: it has characters that a header cannot carry'
  for (const key of ['sk-\nsecret', 'sk-\u0000', 'sk\tsecret', 'sk-\u007f', 'sk-\u0085x', 'sk-Ω']) {
    assert.is(message(config({ 'api-key': key }, {})), refused)
    assert.is(message(dryRun({ 'api-key': key }, {})), refused)
  }
})

test('D52: a key longer than 8 KiB is refused and not repeated', () => {
  const longest = 'k'.repeat(8 << 10)
  assert.is(read({ 'api-key': longest }, {}).apiKey, longest)
  const refused = 'typesafe: invalid API key: it is longer than 8 KiB'
  assert.is(message(config({ 'api-key': `${longest}k` }, {})), refused)
})

test('a dry run needs no key, but a valid base address', () => {
  assert.is(E.isRight(dryRun({}, {})), true)
  assert.equal(
    dryRun({ 'base-url': 'x' }, {}),
    E.left(usage('typesafe: invalid base URL "x": the scheme must be http or https')),
  )
})

test.run()
