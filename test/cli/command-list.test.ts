import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { commands } from '../../commands/index'
import type { FlagSpec } from '../../lib/cli/flags'
import { globalFlags, rootFlags } from '../../lib/cli/globals'

/** What keeps a command line from having two meanings. */
const test = suite('cli/command-list')

const names = commands.map(({ name }) => name)

test('commands are in name order, each there once', () => {
  assert.ok(names.length > 10)
  assert.equal(names, [...new Set(names)].sort())
})

test('a name is one word or two, and the first one alone is a command as well', () => {
  for (const name of names) {
    assert.match(name, /^[a-z][a-z-]*( [a-z][a-z-]*)?$/)
    assert.ok(names.includes(name.split(' ')[0] ?? ''), name)
  }
})

test('no command has two flags of one spelling, those of every command included', () => {
  for (const { name, flags } of commands) {
    const all: ReadonlyArray<FlagSpec> = [...globalFlags, ...rootFlags, ...flags]
    const spellings = all.flatMap(({ name, short }) => (short ? [name, short] : [name]))
    assert.equal(
      spellings.filter((one, index) => spellings.indexOf(one) !== index),
      [],
      name,
    )
    for (const flag of all) assert.match(flag.name, /^[a-z][a-z-]*$/)
  }
})

test.run()
