import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Declaration } from '../../lib/cli/declaration'
import type { FlagSpec } from '../../lib/cli/flags'
import { describeClash, listRegisteredCommands, register } from '../../lib/cli/registry'
import { commands } from '../support/commands'

const test = suite('cli/registry')

const declare = (name: string, overrides: Partial<Declaration> = {}): Declaration => ({
  name,
  summary: '',
  flags: [],
  examples: [],
  ...overrides,
})

const createFlag = (name: string, short?: string): FlagSpec => ({
  name,
  type: 'bool',
  summary: '',
  short,
})

/** The field of a command that takes one word as an argument. */
const withArgument = { positionals: [{ name: 'word', summary: '' }] }

interface ClashCase {
  readonly title: string
  readonly registered: ReadonlyArray<Declaration>
  readonly added: Declaration
  readonly clash: string
}

const clashes: ReadonlyArray<ClashCase> = [
  {
    title: 'two commands of one name',
    registered: [declare('a'), declare('b')],
    added: declare('a'),
    clash: 'there is a command of this name',
  },
  {
    title: 'a subcommand of a command that takes an argument',
    registered: [declare('a', withArgument)],
    added: declare('a b'),
    clash: 'the name of a command below "a" hides an argument of that command',
  },
  {
    title: 'a command that takes an argument and has a subcommand',
    registered: [declare('a b')],
    added: declare('a', withArgument),
    clash: 'the name of a command below "a" hides an argument of that command',
  },
  {
    title: 'two flags of one name',
    registered: [],
    added: declare('a', { flags: [createFlag('x'), createFlag('x')] }),
    clash: 'there are two flags --x',
  },
  {
    title: 'a flag with the name of a global flag',
    registered: [],
    added: declare('a', { flags: [createFlag('model')] }),
    clash: 'there are two flags --model',
  },
  {
    title: 'a flag with the short name of a flag of svc',
    registered: [],
    added: declare('a', { flags: [createFlag('vocal', 'v')] }),
    clash: 'there are two flags -v',
  },
]
for (const { title, registered, added, clash } of clashes)
  test(`refuses ${title}`, () => assert.is(describeClash(added, registered), clash))

test('accepts a flag that another command has too', () => {
  const flags = [createFlag('x', 'x')]
  assert.is(describeClash(declare('b', { flags }), [declare('a', { flags })]), undefined)
})

test('accepts a subcommand next to a command whose name only begins alike', () => {
  assert.is(describeClash(declare('a b'), [declare('a'), declare('ab', withArgument)]), undefined)
})

test('register throws after a clash and adds nothing', () => {
  const before = [...listRegisteredCommands()]
  assert.throws(
    () => register(declare('ask'), () => Promise.reject(new Error('not loaded'))),
    'cannot register "ask": there is a command of this name',
  )
  assert.equal(listRegisteredCommands(), before)
})

const names = commands.filter(({ hidden }) => !hidden).map(({ name }) => name)

test('the commands are in alphabetical order', () => {
  // An empty list would pass the next check too.
  assert.ok(names.length > 10)
  assert.equal(names, [...names].sort())
})

test('a command has a name of one or two words in lower case', () => {
  for (const name of names) assert.match(name, /^[a-z][a-z-]*( [a-z][a-z-]*)?$/)
})

test('a flag has a name in lower case', () => {
  for (const { flags } of commands)
    for (const { name } of flags) assert.match(name, /^[a-z][a-z-]*$/)
})

test('the first word of a subcommand is a command too', () => {
  for (const name of names) {
    const [firstWord = ''] = name.split(' ')
    assert.ok(names.includes(firstWord), name)
  }
})

test.run()
