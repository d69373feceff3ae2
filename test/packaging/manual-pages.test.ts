import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { topics } from '../../lib/help/topics'
import { writeManual } from '../../lib/packaging/manual-pages'
import { escapeRoff, writeBlocks } from '../../lib/packaging/roff'
import { commands } from '../support/commands'
import { root, temporaryFolder } from '../support/folders'
import { testWith } from '../support/installed'

const test = suite('packaging/manual-pages')
const folder = temporaryFolder()
const manual = writeManual(commands, '1.2.3')

test('package.json names every page, so that npm installs it', () => {
  const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(
    man,
    [...manual.keys()].sort().map((name) => `dist/man/${name}`),
  )
})

test('every command and topic is told, on a page of its own or of the command it belongs to', () => {
  const texts = [...manual.values()].join('')
  for (const { name, hidden } of commands)
    if (!hidden) assert.match(texts, `\nsvc ${name.replaceAll('-', '\\-')}`)
  for (const name of topics.keys())
    assert.ok(manual.has(`svc-${name}.7`) || manual.has(`svc-${name}.1`), name)
})

test('signs of roff in a text are no commands', () => {
  assert.is(escapeRoff(".so 'x'\n\\fBa-b~…"), '\\&.so \\(aqx\\(aq\n\\(rsfBa\\-b\\(ti\\[u2026]')
})

test('blocks of Markdown', () => {
  assert.equal(
    writeBlocks(
      '# T\n\nA `b` **c** *d* [e](https://f.example)\n\n## G\n\n1. h\n\n   ```\n   .i\n   ```\n\n* j\n\n| k | l |\n|-|-|\n| `m` | n |',
    ).join('\n'),
    '.PP\nA \\fBb\\fR \\fBc\\fR \\fId\\fR e (https:/\\:/\\:f.example)\n.SH G\n.IP 1. 4\nh\n.RS 4\n.PP\n.RS 4\n.nf\n\\&.i\n.fi\n.RE\n.RE\n.IP \\(bu 2\nj\n.TP\n\\fBm\\fR\nn',
  )
})

for (const [name, page] of manual)
  testWith('man', test)(`man shows ${name} without a warning`, () => {
    const file = join(folder, name)
    writeFileSync(file, page)
    const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', MANWIDTH: '80' }
    const shown = spawnSync('man', ['--warnings', '--local-file', file], { env, encoding: 'utf8' })
    assert.is(shown.stderr, '')
    assert.match(shown.stdout, `NAME\n       ${name.slice(0, -2)} - `)
    assert.not.match(shown.stdout, '\\f')
  })

test.run()
