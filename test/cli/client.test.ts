import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClientContext, findDryRunDestination } from '../../lib/cli/client'
import { type Globals, globalFlags } from '../../lib/cli/globals'
import { openClient } from '../../lib/cli/open-client'
import { readDestinationSettings } from '../../lib/cli/prepare-run'
import { resolveFlagValues } from '../../lib/cli/values'
import { usage } from '../../lib/failure/failure'
import { noTracer } from '../../lib/runtime/tracer'
import { testVersion } from '../support/build'
import { engineContext } from '../support/engine-context'
import { createFakeRuntime } from '../support/runtime'

const test = suite('cli/client')

/** Creates the context of a command with these flags on its command line and an empty environment. */
const createContext = (flags: Partial<Globals>): ClientContext => {
  const passed = new Map(Object.entries(flags))
  return {
    runtime: createFakeRuntime().runtime,
    destinationSettings: readDestinationSettings(passed, {}),
    tracer: noTracer,
    logLevel: 'off',
    environmentKey: {},
    build: testVersion,
    globals: resolveFlagValues(globalFlags, passed, {}),
    ...engineContext,
  }
}

test('refuses a key that a header cannot carry, without repeating it', async () => {
  const failure = usage('typesafe: invalid API key: it has characters that a header cannot carry')
  const keys = ['sk-\nsecret', 'sk-\u0000', 'sk\tsecret', 'sk-\u007f', 'sk-\u0085x', 'sk-Ω']
  for (const key of keys) {
    const context = createContext({ 'api-key': key })
    assert.equal(await openClient(context), E.left(failure))
    assert.equal(await findDryRunDestination(context), E.left(failure))
  }
})

test('a dry run needs no key', async () => {
  assert.ok(E.isRight(await findDryRunDestination(createContext({}))))
})

test('a dry run refuses an invalid base address', async () => {
  assert.equal(
    await findDryRunDestination(createContext({ 'base-url': 'x' })),
    E.left(usage('typesafe: invalid base URL "x": the scheme must be http or https')),
  )
})

const nsPerSecond = 1_000_000_000n

const createClient = async (flags: Partial<Globals>) => {
  const context = createContext({ 'api-key': 'k', model: 'm', ...flags })
  const client = await openClient(context)
  if (E.isLeft(client)) throw new Error(JSON.stringify(client.left))
  return client.right
}

for (const provider of ['ollama', 'llama.cpp', 'vllm'] as const)
  test(`an attempt may take 2 min with ${provider} on this machine, and a timeout is not retried`, async () => {
    const client = await createClient({ provider })
    assert.is(client.timeout, 120n * nsPerSecond)
    assert.is(client.isTimeoutFinal, true)
  })

test('an attempt may take 10 s with a remote provider, and a timeout is retried', async () => {
  const client = await createClient({ provider: 'openai' })
  assert.is(client.timeout, 10n * nsPerSecond)
  assert.is(client.isTimeoutFinal, false)
})

test('--timeout overrides the timeout of a provider on this machine', async () => {
  const client = await createClient({ provider: 'ollama', timeout: nsPerSecond })
  assert.is(client.timeout, nsPerSecond)
})

test.run()
