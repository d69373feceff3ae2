import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listRelevantGlobals } from '../../lib/cli/declaration'
import { globalFlags } from '../../lib/cli/globals'
import { chooseLayout, formatHelp } from '../../lib/cli/help'
import { wrap, wrapColumns } from '../../lib/failure/text/wrap'
import { commands } from '../support/commands'
import { sink } from '../support/runtime'

const test = suite('cli/help')
const layout = { width: 80, emphasize: (text: string) => text }

for (const each of [undefined, ...commands]) {
  const name = each?.name ?? 'svc'
  test(`help for ${name}: 80 columns, no blanks at line ends, every flag, one line for the global ones`, () => {
    const text = formatHelp(each, commands, layout)
    const examples = each?.examples.flatMap((example) => example.command.split('\n')) ?? []
    for (const line of text.split('\n')) {
      assert.is(line, line.trimEnd())
      if (!examples.includes(line.trim())) assert.ok(line.length <= 80, line)
    }
    for (const flag of each?.flags ?? globalFlags) assert.match(text, `--${flag.name}`)
    if (each !== undefined) {
      const [, not = '', names = ''] =
        /^Global flags: (all(?: but )?)?(.*?) ?\(svc help environment\)$/m.exec(text) ?? []
      const named = globalFlags.filter(({ name }) => names.split(', ').includes(`--${name}`))
      const taken = listRelevantGlobals(each)
      assert.equal(not === '' ? named : globalFlags.filter((flag) => !named.includes(flag)), taken)
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

test('headings are bold on a terminal that takes it, and pages as wide as it up to 100 columns', () => {
  const heading = (isTTY: boolean, env: Readonly<Record<string, string>>): string =>
    chooseLayout({ stdout: sink(isTTY), env }).emphasize('x')
  const bold = '\u001b[1mx\u001b[22m'
  assert.is(heading(true, {}), bold)
  assert.is(heading(false, { FORCE_COLOR: '1' }), bold)
  const plain: ReadonlyArray<Record<string, string>> = [
    { NO_COLOR: '1' },
    { TERM: 'dumb' },
    { FORCE_COLOR: '0' },
  ]
  for (const env of plain) assert.is(heading(true, env), 'x')
  assert.is(heading(false, {}), 'x')
  for (const [columns, width] of [
    [40, 40],
    [120, 100],
  ])
    assert.is(chooseLayout({ stdout: sink(true, columns), env: {} }).width, width)
  assert.match(
    formatHelp(undefined, commands, { ...layout, emphasize: () => bold }),
    `${bold}\n  svc <`,
  )
})

test('wrapping', () => {
  assert.equal(wrap('', 10), [])
  assert.equal(wrap('aa bb  cc\ndd', 5), ['aa bb', 'cc dd'])
  assert.equal(wrap('a-very-long-word b', 5), ['a-very-long-word', 'b'])
  assert.equal(wrap('a b\u00a0c', 3), ['a', 'b c'])
  const rows = [
    ['a', ''],
    ['bb', 'x y'],
  ] as const
  assert.equal(wrapColumns([['    --flag', 'x']], 20), ['  --flag', '      x'])
  assert.equal(wrapColumns(rows, 40), ['  a', '  bb  x y'])
  assert.equal(wrapColumns(rows, 20), ['  a', '  bb', '      x y'])
})

test.run()
