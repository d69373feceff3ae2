/** Command lines that the parser of the library cac gets wrong. svc parses them itself. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { main } from '../../lib/cli/main'
import { unknownBuild } from '../../lib/runtime/build'
import { createFakeRuntime } from '../support/runtime'
import { createSampleCommands, type SampleRun } from './sample-commands'

const test = suite('cli/cac-traps')

/** Runs command lines with one list of commands, and returns the command that each of them ran. */
const runSamples = async (
  ...lines: ReadonlyArray<ReadonlyArray<string>>
): Promise<ReadonlyArray<SampleRun>> => {
  const runs: SampleRun[] = []
  const commands = createSampleCommands(runs)
  for (const argv of lines) {
    const code = await main(argv, createFakeRuntime().runtime, unknownBuild, commands)
    assert.is(code, 0, argv.join(' '))
  }
  assert.is(runs.length, lines.length)
  return runs
}

const stringValues = [
  { argv: ['ask', '--state', '0123'], state: '0123', cacReading: '123' },
  { argv: ['ask', '--state='], state: '', cacReading: '0' },
  { argv: ['ask', '--state', '-5'], state: '-5', cacReading: 'a flag' },
]
for (const { argv, state, cacReading } of stringValues)
  test(`keeps the text of the value in "${argv.join(' ')}", which cac takes for ${cacReading}`, async () => {
    const [run] = await runSamples(argv)
    assert.is(run?.context.flags.state, state)
  })

test('runs "review init", which cac takes for "review"', async () => {
  const [run] = await runSamples(['review', 'init'])
  assert.is(run?.name, 'review init')
})

test('keeps the arguments after --, which cac drops', async () => {
  const [run] = await runSamples(['help', '--', 'ask'])
  assert.is(run?.name, 'help')
  assert.equal(run?.context.args, ['ask'])
})

test('does not keep flags of an earlier run, as cac would', async () => {
  const [first, second] = await runSamples(['ask', '--raw', '--noul', 'a=b'], ['ask'])
  assert.is(first?.context.flags.raw, true)
  assert.equal(first?.context.flags.noul, ['a=b'])
  assert.is(first?.context.isPassed('raw'), true)
  assert.is(second?.context.flags.raw, false)
  assert.equal(second?.context.flags.noul, [])
  assert.is(second?.context.isPassed('raw'), false)
})

test.run()
