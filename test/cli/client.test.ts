import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClientContext, createClient, findDryRunPlace } from '../../lib/cli/client'
import { findKey } from '../../lib/cli/find-key'
import { type Globals, globalFlags } from '../../lib/cli/globals'
import { valuesOf } from '../../lib/cli/values'
import { type Failure, usage } from '../../lib/failure/failure'
import { chooseTarget } from '../../lib/provider/target'
import { noTracer } from '../../lib/telemetry/trace'
import { fakeRuntime } from '../support/runtime'

const test = suite('cli/client')

type Env = Readonly<Record<string, string>>
const keyed: Env = { SERVICE_API_KEY: 'sk-env' }

/** What a command is given where these flags are on its command line. */
const contextOf = async (passed: Partial<Globals>, env: Env): Promise<ClientContext> => {
  const { runtime } = fakeRuntime({ env })
  const target = chooseTarget(passed, env)
  return {
    ...{ runtime, target, tracer: noTracer, level: 'off' },
    build: { version: '1', commit: 'c', modified: false, source: 'ldflags', go: 'v' },
    key: await findKey(runtime, target),
    globals: valuesOf(globalFlags, new Map(Object.entries(passed)), env),
  }
}

const config = async (passed: Partial<Globals>, env: Env) =>
  createClient(await contextOf(passed, env))()
const dryRun = async (passed: Partial<Globals>, env: Env) =>
  findDryRunPlace(await contextOf(passed, env))()

const read = async (passed: Partial<Globals>, env: Env) => {
  const result = await config(passed, env)
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  const { place, timeout, maxRetries } = result.right
  const baseUrl = place.ask.url.replace(/\/v1\/questions$/, '')
  return { baseUrl, apiKey: place.key?.reveal(), model: place.model, timeout, maxRetries }
}

const message = (either: E.Either<Failure, unknown>): string => {
  if (E.isRight(either)) throw new Error('expected a failure')
  assert.is(either.left._tag, 'Usage')
  return either.left._tag === 'Usage' ? either.left.message : ''
}

test('spec Global flags: the defaults', async () => {
  assert.equal(await read({}, keyed), {
    baseUrl: 'http://127.0.0.1:8787',
    apiKey: 'sk-env',
    model: 'svc-latest',
    timeout: 10_000_000_000n,
    maxRetries: 2,
  })
})

test('spec Global flags 1: flag, then environment; empty counts as unset (D16)', async () => {
  const env = {
    SERVICE_API_KEY: 'sk-env',
    SERVICE_BASE_URL: 'http://env.test',
    SERVICE_DEFAULT_MODEL: 'env-model',
  }
  const fromEnv = await read({ 'api-key': '', 'base-url': '', model: '' }, env)
  assert.is(fromEnv.apiKey, 'sk-env')
  assert.is(fromEnv.baseUrl, 'http://env.test')
  assert.is(fromEnv.model, 'env-model')
  const passed = { 'api-key': 'sk-flag', 'base-url': 'http://flag.test', model: 'flag-model' }
  const fromFlags = await read(passed, env)
  assert.is(fromFlags.apiKey, 'sk-flag')
  assert.is(fromFlags.baseUrl, 'http://flag.test')
  assert.is(fromFlags.model, 'flag-model')
  const unset = { ...keyed, SERVICE_BASE_URL: '', SERVICE_DEFAULT_MODEL: '', SERVICE_LOG_LEVEL: '' }
  assert.is((await read({}, unset)).baseUrl, 'http://127.0.0.1:8787')
  assert.is((await read({}, unset)).model, 'svc-latest')
  assert.is((await contextOf({}, unset)).globals['log-level'], 'off')
})

test('spec Global flags 2-3: explicit values, zero included', async () => {
  assert.is((await read({ timeout: 0n }, keyed)).timeout, 0n)
  assert.is((await read({ timeout: 1n }, keyed)).timeout, 1n)
  assert.is((await read({ 'max-retries': 0 }, keyed)).maxRetries, 0)
  assert.is((await read({ 'max-retries': 7 }, keyed)).maxRetries, 7)
})

test('order of failures: base address, key', async () => {
  assert.is(
    message(await config({ 'base-url': 'nonsense' }, {})),
    'typesafe: invalid base URL "nonsense": the scheme must be http or https',
  )
  assert.is(
    message(await config({}, {})),
    'typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY',
  )
})

test('D3: a key is trimmed, and a blank one is no key', async () => {
  assert.is((await read({ 'api-key': '  ' }, keyed)).apiKey, 'sk-env')
  assert.is((await read({ 'api-key': ' sk-flag\n' }, keyed)).apiKey, 'sk-flag')
  assert.match(message(await config({}, { SERVICE_API_KEY: ' \t ' })), /API key is required/)
})

test('D3: a key that no header can carry is refused and not repeated', async () => {
  const refused = 'typesafe: invalid API key: it has characters that a header cannot carry'
  for (const key of ['sk-\nsecret', 'sk-\u0000', 'sk\tsecret', 'sk-\u007f', 'sk-\u0085x', 'sk-Ω']) {
    assert.is(message(await config({ 'api-key': key }, {})), refused)
    assert.is(message(await dryRun({ 'api-key': key }, {})), refused)
  }
})

test('D52: a key longer than 8 KiB is refused and not repeated', async () => {
  const longest = 'k'.repeat(8 << 10)
  assert.is((await read({ 'api-key': longest }, {})).apiKey, longest)
  const refused = 'typesafe: invalid API key: it is longer than 8 KiB'
  assert.is(message(await config({ 'api-key': `${longest}k` }, {})), refused)
})

test('a dry run needs no key, but a valid base address', async () => {
  assert.is(E.isRight(await dryRun({}, {})), true)
  assert.equal(
    await dryRun({ 'base-url': 'x' }, {}),
    E.left(usage('typesafe: invalid base URL "x": the scheme must be http or https')),
  )
})

test.run()
