import { right } from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { commandList } from '../../lib/cli/command-list'
import { type AnyCommand, command } from '../../lib/cli/declaration'
import type { FlagSpec } from '../../lib/cli/flags'

const test = suite('cli/command-list')

const named = (name: string, ...flags: ReadonlyArray<FlagSpec>): AnyCommand =>
  command({ name, summary: '', flags, examples: [] }, async () => ({
    run: () => async () => right({}),
  }))
const flag = (name: string, short?: string): FlagSpec => ({
  ...{ name, type: 'bool', summary: '' },
  ...(short === undefined ? {} : { short }),
})

const refusal = (...commands: ReadonlyArray<AnyCommand>): string => {
  try {
    commandList(commands)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test('lists in name order, whatever the order given', () => {
  const commands = ['review init', 'ask', 'review'].map((name) => named(name))
  assert.equal(
    commandList(commands).map(({ name }) => name),
    ['ask', 'review', 'review init'],
  )
})

test('refuses what would make a command line ambiguous', () => {
  assert.is(refusal(named('a'), named('b')), '')
  assert.is(refusal(named('a'), named('a')), 'command "a" is there twice')
  assert.is(refusal(named('a b')), 'command "a b" is there without "a"')
  for (const name of ['', 'A', '-a', 'a  b', 'a b c', 'a=b', 'a_b']) {
    assert.is(refusal(named(name)), `command "${name}" must be one or two lower-case words`)
  }
  const twice = (spelling: string): string => `svc a: flag ${spelling} is declared twice`
  assert.is(refusal(named('a', flag('x'), flag('x'))), twice('--x'))
  assert.is(refusal(named('a', flag('x', 'q'), flag('y', 'q'))), twice('-q'))
  assert.is(refusal(named('a', flag('model'))), twice('--model'))
  assert.is(refusal(named('a', flag('verbose', 'v'))), twice('-v'))
  assert.is(refusal(named('a', flag('host', 'h'))), twice('-h'))
  assert.is(refusal(named('a', flag('--x'))), 'svc a: flag name "--x" must be lower-case words')
})

test('the same flag may stand on two commands', () => {
  assert.is(refusal(named('a', flag('x', 'x')), named('b', flag('x', 'x'))), '')
})

test.run()
