import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Declaration } from '../../lib/cli/declaration'
import type { FlagSpec } from '../../lib/cli/flags'
import { findClash, register, registeredCommands } from '../../lib/cli/registry'
import { commands } from '../support/commands'

const test = suite('cli/registry')

const declare = (name: string, parts: Partial<Declaration> = {}): Declaration => ({
  name,
  summary: '',
  flags: [],
  examples: [],
  ...parts,
})
const flag = (name: string, short?: string): FlagSpec => ({
  name,
  type: 'bool',
  summary: '',
  ...(short !== undefined && { short }),
})
const takesWords = { positionals: [{ name: 'word', summary: '' }] }

const clashes: ReadonlyArray<readonly [string, Declaration, ReadonlyArray<Declaration>, string]> = [
  ['a name twice', declare('a'), [declare('b'), declare('a')], 'there is a command of this name'],
  [
    'a name that hides an argument',
    declare('a b'),
    [declare('a', takesWords)],
    'the name of a command below "a" hides an argument of that command',
  ],
  [
    'an argument that a name hides',
    declare('a', takesWords),
    [declare('a b')],
    'the name of a command below "a" hides an argument of that command',
  ],
  ['a flag twice', declare('a', { flags: [flag('x'), flag('x')] }), [], 'there are two flags --x'],
  [
    'a flag of every command',
    declare('a', { flags: [flag('model')] }),
    [],
    'there are two flags --model',
  ],
  ['a flag of svc', declare('a', { flags: [flag('vocal', 'v')] }), [], 'there are two flags -v'],
]
for (const [name, added, others, clash] of clashes)
  test(`refused: ${name}`, () => assert.is(findClash(added, others), clash))

test('a name that begins another, and flags of other commands, do not clash', () => {
  const others = [declare('a', { flags: [flag('x', 'x')] }), declare('ab', takesWords)]
  assert.is(findClash(declare('a b', { flags: [flag('x', 'x')] }), others), undefined)
})

test('register refuses a clash and keeps the list as it was', () => {
  const before = [...registeredCommands()]
  assert.throws(
    () => register(declare('ask'), () => Promise.reject(new Error('not loaded'))),
    'cannot register "ask": there is a command of this name',
  )
  assert.equal(registeredCommands(), before)
})

const names = commands.filter(({ hidden }) => !hidden).map(({ name }) => name)

test('the commands are in the order of their names, which are one word or two', () => {
  assert.ok(names.length > 10)
  assert.equal(names, [...names].sort())
  for (const name of names) assert.match(name, /^[a-z][a-z-]*( [a-z][a-z-]*)?$/)
  for (const { flags } of commands)
    for (const { name } of flags) assert.match(name, /^[a-z][a-z-]*$/)
})

test('the first of two words is a command too', () => {
  for (const name of names) assert.ok(names.includes(name.split(' ')[0] ?? ''), name)
})

test.run()
