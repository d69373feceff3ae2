import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ClientContext,
  createCommandClient,
  findDryRunDestination,
} from '../../lib/cli/client'
import { readDestinationSettings } from '../../lib/cli/find-key'
import { type Globals, globalFlags } from '../../lib/cli/globals'
import { valuesOf } from '../../lib/cli/values'
import { usage } from '../../lib/failure/failure'
import { noTracer } from '../../lib/runtime/tracer'
import { fakeRuntime } from '../support/runtime'

const test = suite('cli/client')

/** Creates the context of a command with these flags on the command line and an empty environment. */
const createContext = (passed: Partial<Globals>): ClientContext => ({
  runtime: fakeRuntime().runtime,
  destinationSettings: readDestinationSettings(new Map(Object.entries(passed)), {}),
  tracer: noTracer,
  level: 'off',
  key: {},
  build: { version: '1', commit: 'c', modified: false, source: 'ldflags', go: 'v' },
  globals: valuesOf(globalFlags, new Map(Object.entries(passed)), {}),
})

test('a key that no header can carry is refused and not repeated', async () => {
  const refused = usage('typesafe: invalid API key: it has characters that a header cannot carry')
  for (const key of ['sk-\nsecret', 'sk-\u0000', 'sk\tsecret', 'sk-\u007f', 'sk-\u0085x', 'sk-Ω'])
    for (const find of [createCommandClient, findDryRunDestination])
      assert.equal(await find(createContext({ 'api-key': key }))(), E.left(refused))
})

test('a dry run needs no key, but a valid base address', async () => {
  assert.is(E.isRight(await findDryRunDestination(createContext({}))()), true)
  assert.equal(
    await findDryRunDestination(createContext({ 'base-url': 'x' }))(),
    E.left(usage('typesafe: invalid base URL "x": the scheme must be http or https')),
  )
})

test('a provider on this machine has two minutes for an attempt, and a timeout there is not retried', async () => {
  const seconds = 1_000_000_000n
  const limits = async (passed: Partial<Globals>) => {
    const client = await createCommandClient(
      createContext({ 'api-key': 'k', model: 'm', ...passed }),
    )()
    if (E.isLeft(client)) throw new Error(JSON.stringify(client.left))
    return [client.right.timeout, client.right.isTimeoutFinal]
  }
  for (const provider of ['ollama', 'llama.cpp', 'vllm'] as const)
    assert.equal(await limits({ provider }), [120n * seconds, true])
  assert.equal(await limits({ provider: 'openai' }), [10n * seconds, false])
  assert.equal(await limits({ provider: 'ollama', timeout: seconds }), [seconds, true])
})

test.run()
