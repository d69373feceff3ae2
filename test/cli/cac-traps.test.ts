import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { main } from '../../lib/cli/main'
import { unknownBuild } from '../../lib/runtime/build'
import { fakeRuntime } from '../support/runtime'
import { type Call, createSampleCommands } from './sample'

const test = suite('cli/cac-traps')

/** Runs a command line and returns the commands that ran. */
const runSample = async (argv: ReadonlyArray<string>): Promise<ReadonlyArray<Call>> => {
  const calls: Call[] = []
  const code = await main(argv, fakeRuntime().runtime, unknownBuild, createSampleCommands(calls))
  assert.is(code, 0, argv.join(' '))
  return calls
}

type Pick = (call: Call) => unknown
const flag =
  (name: string): Pick =>
  ({ context }) =>
    ({ ...context.globals, ...context.flags })[name]

const traps: ReadonlyArray<readonly [string, ReadonlyArray<string>, string, Pick, unknown]> = [
  ['0123 becomes 123', ['ask', '--state', '0123'], 'ask', flag('state'), '0123'],
  ["'' becomes 0", ['ask', '--state='], 'ask', flag('state'), ''],
  ['-5 is taken for a flag', ['ask', '--state', '-5'], 'ask', flag('state'), '-5'],
  ['review init is review', ['review', 'init'], 'review init', ({ name }) => name, 'review init'],
  [
    'words after -- are lost',
    ['help', '--', 'ask'],
    'help',
    ({ context }) => context.args,
    ['ask'],
  ],
]

for (const [name, argv, command, pick, expected] of traps) {
  test(name, async () => {
    const [call, ...more] = await runSample(argv)
    assert.ok(call)
    assert.is(call.name, command)
    assert.equal(pick(call), expected)
    assert.equal(more, [])
  })
}

test('a run does not see the flags of the run before', async () => {
  const calls: Call[] = []
  const commands = createSampleCommands(calls)
  const { runtime } = fakeRuntime()
  await main(['ask', '--raw', '--noul', 'a=b'], runtime, unknownBuild, commands)
  await main(['ask'], runtime, unknownBuild, commands)
  assert.equal(
    calls.map(({ context }) => [context.flags.raw, context.flags.noul, context.isPassed('raw')]),
    [
      [true, ['a=b'], true],
      [false, [], false],
    ],
  )
})

test.run()
