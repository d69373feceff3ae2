import { right } from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Context, createCommand } from '../../lib/cli/declaration'
import type { Flags, Values } from '../../lib/cli/flags'
import type { GlobalFlags } from '../../lib/cli/globals'
import { main } from '../../lib/cli/main'
import type { Duration } from '../../lib/failure/text/duration'
import { unknownBuild } from '../../lib/runtime/build'
import { createFakeRuntime } from '../support/runtime'

const test = suite('cli/declaration')

const flags = [
  { name: 'text', type: 'string', summary: '' },
  { name: 'preset', type: 'string', default: 'x', summary: '' },
  { name: 'word', type: 'string', oneOf: ['a', 'b'], summary: '' },
  { name: 'preset-word', type: 'string', oneOf: ['a', 'b'], default: 'a', summary: '' },
  { name: 'toggle', type: 'bool', summary: '' },
  { name: 'many', type: 'strings', summary: '' },
  { name: 'count', type: 'int', default: 3, summary: '' },
  { name: 'ratio', type: 'float', summary: '' },
  { name: 'limit', type: 'duration', default: '2m0s', summary: '' },
  { name: 'pause', type: 'duration', summary: '' },
] as const satisfies Flags

/** The type that `Values` derives from the declaration above. */
interface Expected {
  readonly text: string | undefined
  readonly preset: string
  readonly word: 'a' | 'b' | undefined
  readonly 'preset-word': 'a' | 'b'
  readonly toggle: boolean
  readonly many: ReadonlyArray<string>
  readonly count: number
  readonly ratio: number | undefined
  readonly limit: Duration
  readonly pause: Duration | undefined
}
/** `true` only if A and B are identical types. Comparing generic functions also tells `readonly` and optional fields apart. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** The same fields in one object type, so that an intersection of types equals an interface. */
type Flat<A> = { readonly [K in keyof A]: A[K] }

// The compiler checks these two lines. The test uses the constants, so that they do not count as unused.
const flagTypesMatch: Same<Flat<Values<typeof flags>>, Flat<Expected>> = true
const globalTypesMatch: Same<Values<GlobalFlags>['max-retries'], number> = true

test('a command gets the values of its flags with the types that it declares', async () => {
  assert.ok(flagTypesMatch && globalTypesMatch)
  const contexts: Array<Context<typeof flags>> = []
  const probe = createCommand(
    { name: 'probe', summary: '', flags, examples: [] },
    async () => (context) => async () => {
      contexts.push(context)
      return right({})
    },
  )
  const { runtime, stdout } = createFakeRuntime()
  const argv = ['probe', '--ratio=.5', '--many', 'a', '--limit=1s', '--timeout', '0']
  assert.is(await main(argv, runtime, unknownBuild, [probe]), 0)
  const [context] = contexts
  assert.ok(context)
  const expected: Expected = {
    text: undefined,
    preset: 'x',
    word: undefined,
    'preset-word': 'a',
    toggle: false,
    many: ['a'],
    count: 3,
    ratio: 0.5,
    limit: 1_000_000_000n,
    pause: undefined,
  }
  assert.equal(context.flags, expected)
  assert.is(context.globals.timeout, 0n)
  assert.is(context.isPassed('timeout'), true)
  assert.is(context.isPassed('many'), true)
  assert.is(context.isPassed('count'), false)
  assert.is(stdout(), '')
})

test.run()
