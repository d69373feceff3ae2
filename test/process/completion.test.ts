/** The completion scripts in real shells, each asking the built program. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completionScripts } from '../../lib/cli/completion-scripts'
import { temporaryFolder } from '../support/folders'
import { bin } from '../support/program'

const test = suite('process: completion')

const folder = temporaryFolder()
const unit = { spec: 's.md', spec_heading: '## A', implementation: ['a'], behaviors: ['b'] }
const units = ['first one', 'second', 'ctrl\u001b'].map((name) => ({ name, ...unit }))
writeFileSync(join(folder, 'svc-review.json'), JSON.stringify({ units }))
for (const name of ['one.json', 'one two.json']) writeFileSync(join(folder, name), '')
writeFileSync(join(folder, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
chmodSync(join(folder, 'svc'), 0o755)
for (const [shell, script] of Object.entries(completionScripts))
  writeFileSync(join(folder, `script.${shell}`), `${script}\n`)

const start = (shell: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder }
  const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, env, encoding: 'utf8' })
  assert.is(stderr, '', shell)
  return stdout.split('\n').filter(Boolean).sort()
}

/** Calls the function as bash does: with the line, the program's name, and what it will replace. */
const inBash = (line: string, replaced: string): ReadonlyArray<string> => {
  const program = `source script.bash; COMP_LINE=$1 COMP_POINT=\${#1}; _svc svc "$2"
    printf '%s\\n' "\${COMPREPLY[@]}"`
  return start('bash', '--norc', '-c', program, 'bash', line, replaced)
}

const inFish = (line: string): ReadonlyArray<string> =>
  start('fish', '--no-config', '-c', `source script.fish; complete -C '${line}'`).map(
    (text) => text.split('\t')[0] ?? '',
  )

/** The line, what bash replaces of it, what bash offers for that, and what fish offers for the whole word. */
const lines: ReadonlyArray<
  readonly [string, string, ReadonlyArray<string>, ReadonlyArray<string>?]
> = [
  ['svc rev', 'rev', ['review']],
  ['svc review --min', '--min', ['--min-cover', '--min-thorough']],
  ['svc serve --engine up', 'up', ['upstream']],
  ['svc --log-level=d', 'd', ['debug'], ['--log-level=debug']],
  ['svc ask --file=one.', 'one.', ['one.json'], ['--file=one.json']],
  ['svc ask --state @one.', '@one.', ['@one.json']],
  ['svc review --only s', 's', ['second']],
  ['svc help eng', 'eng', ['engines']],
  ['svc ask nothing ', '', []],
]
for (const [line, replaced, expected, whole = expected] of lines) {
  test(`bash: ${line}`, () => assert.equal(inBash(line, replaced), expected))
  if (spawnSync('fish', ['-c', 'true']).status === 0)
    test(`fish: ${line}`, () => assert.equal(inFish(line), whole))
}

test('bash: blanks in names are quoted, and names with control characters left out', () => {
  assert.equal(inBash('svc review --only ', ''), ['first\\ one', 'second'])
  assert.equal(inBash('svc ask --state @one', '@one'), ['@one.json', '@one\\ two.json'])
})

test('a word of the line is never run', () => {
  assert.equal(inBash('svc ask --state $(touch ran) "`touch ran`" --fi', '--fi'), ['--file'])
  assert.not.ok(existsSync(join(folder, 'ran')))
})

for (const shell of ['bash', 'zsh', 'fish'])
  if (spawnSync(shell, ['-c', 'true']).status === 0)
    test(`${shell} accepts the syntax`, () =>
      assert.equal(start(shell, '-n', `script.${shell}`), []))

test.run()
