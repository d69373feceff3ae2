import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { globalFlags } from '../../lib/cli/globals'
import { writeHelp } from '../../lib/cli/help'
import { wrap, wrapColumns } from '../../lib/text/wrap'
import { commands } from '../support/commands'

const test = suite('cli/help')

for (const each of [undefined, ...commands]) {
  const name = each?.name ?? 'svc'
  test(`help for ${name}: 80 columns, no blanks at line ends, every flag`, () => {
    const text = writeHelp(each, commands)
    const examples = each?.examples.flatMap((example) => example.command.split('\n')) ?? []
    for (const line of text.split('\n')) {
      assert.is(line, line.trimEnd())
      if (!examples.includes(line.trim())) assert.ok(line.length <= 80, line)
    }
    for (const flag of [...globalFlags, ...(each?.flags ?? [])]) {
      assert.match(text, `--${flag.name}`)
    }
    assert.not.match(text, /\n\n\n|^\s|\s$|[\u00a0\t]/)
  })
  if (each !== undefined) {
    test(`${name} declares what help needs`, () => {
      assert.match(each.summary, /^[A-Z].*[^.]$/)
      assert.ok(each.examples.length > 0)
      for (const flag of each.flags) assert.match(flag.summary, /[^.]$/)
    })
  }
}

test('wrapping', () => {
  assert.equal(wrap('', 10), [])
  assert.equal(wrap('aa bb  cc\ndd', 5), ['aa bb', 'cc dd'])
  assert.equal(wrap('a-very-long-word b', 5), ['a-very-long-word', 'b'])
  assert.equal(wrap('a b\u00a0c', 3), ['a', 'b c'])
  const rows = [
    ['a', ''],
    ['bb', 'x y'],
  ] as const
  assert.equal(wrapColumns(rows, 40), ['  a', '  bb  x y'])
  assert.equal(wrapColumns(rows, 20), ['  a', '  bb', '      x y'])
})

test.run()
