import { cac } from 'cac'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { unknownBuild } from '../../lib/cli/build'
import { main } from '../../lib/cli/main'
import { fakeRuntime } from '../support/runtime'
import { type Call, sample } from './sample'

const test = suite('cli/cac-traps')

/** What cac's own parser would make of a command line. */
const cacReads = (
  argv: ReadonlyArray<string>,
): { name?: string; options: unknown; args: unknown } => {
  const cli = cac('svc')
  cli.option('--pretty', '').option('--trace', '').option('--no-trace', '')
  cli.option('--timeout <duration>', '').option('--model <name>', '').version('1')
  for (const { name, flags } of sample()) {
    const command = cli.command(name, '')
    for (const flag of flags) {
      command.option(`--${flag.name}${flag.type === 'bool' ? '' : ' <value>'}`, '')
    }
  }
  const { options, args } = cli.parse(['node', 'svc', ...argv], { run: false })
  return { ...(cli.matchedCommandName ? { name: cli.matchedCommandName } : {}), options, args }
}

/** What the program makes of it: the command that ran and one value. */
const weRead = async (argv: ReadonlyArray<string>): Promise<ReadonlyArray<Call>> => {
  const calls: Call[] = []
  const code = await main(argv, fakeRuntime().runtime, unknownBuild, sample(calls))
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
  ['1e3 becomes 1000', ['ask', '--state', '1e3'], 'ask', flag('state'), '1e3'],
  ['true becomes a boolean', ['ask', '--state=true'], 'ask', flag('state'), 'true'],
  ['-5 is taken for a flag', ['ask', '--state', '-5'], 'ask', flag('state'), '-5'],
  ['-1s is taken for flags', ['ask', '--state', '-1s'], 'ask', flag('state'), '-1s'],
  ['--no-trace sets trace', ['ask', '--no-trace'], 'ask', flag('trace'), false],
  ['--no-trace is not a flag', ['ask', '--no-trace'], 'ask', flag('no-trace'), true],
  ['--trace undone by --no-trace', ['ask', '--trace', '--no-trace'], 'ask', flag('trace'), true],
  ['names are camel-cased', ['review', '--min-cover=1'], 'review', flag('min-cover'), 1],
  ['review init is review', ['review', 'init'], 'review init', ({ name }) => name, 'review init'],
  [
    'words after -- are lost',
    ['help', '--', 'ask'],
    'help',
    ({ context }) => context.args,
    ['ask'],
  ],
  ['a dotted value name', ['ask', '--noul=a.b=c'], 'ask', flag('noul'), ['a.b=c']],
  ['a repeated flag becomes a list', ['ask', '--model=a', '--model=b'], 'ask', flag('model'), 'b'],
  ['a single one does not', ['ask', '--noul=a=b'], 'ask', flag('noul'), ['a=b']],
]

for (const [name, argv, command, pick, expected] of traps) {
  test(name, async () => {
    const [call, ...more] = await weRead(argv)
    assert.ok(call)
    assert.is(call.name, command)
    assert.equal(pick(call), expected)
    assert.equal(more, [])
  })
}

test('the traps are real: cac itself falls into them', () => {
  assert.equal(cacReads(['ask', '--state', '0123']).options, { '--': [], state: 123, trace: true })
  assert.is((cacReads(['ask', '--state=']).options as { state: unknown }).state, true)
  assert.is(cacReads(['review', 'init']).name, 'review')
  assert.equal(cacReads(['unknown']).args, ['unknown'])
  assert.is((cacReads(['ask', '--no-trace']).options as { trace: unknown }).trace, false)
})

test('nothing is kept from one run to the next', async () => {
  const calls: Call[] = []
  const commands = sample(calls)
  const { runtime } = fakeRuntime()
  await main(['ask', '--raw', '--noul', 'a=b'], runtime, unknownBuild, commands)
  await main(['ask'], runtime, unknownBuild, commands)
  assert.equal(
    calls.map(({ context }) => [context.flags.raw, context.flags.noul, context.given('raw')]),
    [
      [true, ['a=b'], true],
      [false, [], false],
    ],
  )
})

test.run()
