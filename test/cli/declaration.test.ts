import { right } from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Context, createCommand } from '../../lib/cli/declaration'
import type { Flags, Values } from '../../lib/cli/flags'
import type { GlobalFlags } from '../../lib/cli/globals'
import { main } from '../../lib/cli/main'
import { unknownBuild } from '../../lib/runtime/build'
import type { Duration } from '../../lib/text/duration'
import type { IdenticalTypes } from '../support/identical-types'
import { createFakeRuntime } from '../support/runtime'

const test = suite('cli/declaration')

const flags = [
  { name: 'text', type: 'string', summary: '' },
  { name: 'preset', type: 'string', default: 'x', summary: '' },
  { name: 'word', type: 'string', oneOf: ['a', 'b'], summary: '' },
  { name: 'preset-word', type: 'string', oneOf: ['a', 'b'], default: 'a', summary: '' },
  { name: 'toggle', type: 'bool', summary: '' },
  { name: 'words', type: 'strings', summary: '' },
  { name: 'count', type: 'int', default: 3, summary: '' },
  { name: 'ratio', type: 'float', summary: '' },
  { name: 'wait', type: 'duration', default: '2m0s', summary: '' },
  { name: 'pause', type: 'duration', summary: '' },
] as const satisfies Flags

/** The type of the values of these flags. */
interface ExpectedValues {
  readonly text: string | undefined
  readonly preset: string
  readonly word: 'a' | 'b' | undefined
  readonly 'preset-word': 'a' | 'b'
  readonly toggle: boolean
  readonly words: ReadonlyArray<string>
  readonly count: number
  readonly ratio: number | undefined
  readonly wait: Duration
  readonly pause: Duration | undefined
}

/** The same fields in one object type, so that a mapped type equals an interface. */
type Flat<A> = { readonly [K in keyof A]: A[K] }

test('the compiler derives the types of values from the declarations of flags', () => {
  // The compiler refuses these lines if the types differ.
  const haveFlagsExpectedTypes: IdenticalTypes<
    Flat<Values<typeof flags>>,
    Flat<ExpectedValues>
  > = true
  const isMaxRetriesNumber: IdenticalTypes<Values<GlobalFlags>['max-retries'], number> = true
  assert.ok(haveFlagsExpectedTypes && isMaxRetriesNumber)
})

/** Runs a command that declares these flags, and returns the context that it gets. */
const runProbe = async (...argv: ReadonlyArray<string>): Promise<Context<typeof flags>> => {
  const contexts: Array<Context<typeof flags>> = []
  const probe = createCommand(
    { name: 'probe', summary: '', flags, examples: [] },
    // `createCommand` takes a function that loads the code of the command.
    async () => async (context) => {
      contexts.push(context)
      return right({})
    },
  )
  const { runtime } = createFakeRuntime()
  assert.is(await main(['probe', ...argv], runtime, unknownBuild, [probe]), 0)
  const [context] = contexts
  assert.ok(context)
  return context
}

test('a command gets the values of its flags, or their defaults', async () => {
  const context = await runProbe('--ratio=.5', '--words', 'a', '--wait=1s')
  const expectedValues: ExpectedValues = {
    text: undefined,
    preset: 'x',
    word: undefined,
    'preset-word': 'a',
    toggle: false,
    words: ['a'],
    count: 3,
    ratio: 0.5,
    wait: 1_000_000_000n,
    pause: undefined,
  }
  assert.equal(context.flags, expectedValues)
})

test('a command gets the values of the global flags', async () => {
  const context = await runProbe('--timeout', '0')
  assert.is(context.globals.timeout, 0n)
})

test('isPassed tells a passed flag from a default', async () => {
  const context = await runProbe('--words', 'a', '--timeout', '0')
  assert.is(context.isPassed('words'), true)
  assert.is(context.isPassed('timeout'), true)
  assert.is(context.isPassed('count'), false)
})

test.run()
