/** The completion scripts in real shells, each asking the built program. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completionScripts } from '../../lib/cli/completion/scripts'
import { createTemporaryFolder } from '../support/folders'
import { bin } from '../support/program'

const test = suite('tools: completion in real shells')

const folder = createTemporaryFolder()
const strange = ['$(touch ran)', '`touch ran`', ';touch ran', 'ran\u001b']
for (const name of ['one.json', 'one two.json', ...strange]) writeFileSync(join(folder, name), '')
writeFileSync(join(folder, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
chmodSync(join(folder, 'svc'), 0o755)
for (const [shell, script] of Object.entries(completionScripts))
  writeFileSync(join(folder, `script.${shell}`), `${script}\n`)

const start = (shell: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder }
  const { stdout, stderr } = spawnSync(shell, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 30_000,
  })
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
  ['svc review --only s', 's', []],
  ['svc help eng', 'eng', ['engines']],
  ['svc ask nothing ', '', []],
]
for (const [line, replaced, expected, whole = expected] of lines) {
  test(`bash: ${line}`, () => assert.equal(inBash(line, replaced), expected))
  test(`fish: ${line}`, () => assert.equal(inFish(line), whole))
}

/** How a shell starts at a terminal, and what makes it leave its line in a file at control-X. */
const interactive = {
  bash: [
    '--norc -i',
    'finish() { echo "$READLINE_LINE" > line; exit; }; bind -x \'"\\C-x": finish\'',
  ],
  zsh: [
    '-f -i',
    'autoload -Uz compinit; compinit -D -u; finish() { print -r -- "$BUFFER" > line; exit }; zle -N finish; bindkey "^X" finish',
  ],
} as const

/** What a line becomes when a person types it at a terminal and presses tab. The terminal is one of zsh's. */
const pressTab = (shell: keyof typeof interactive, line: string): ReadonlyArray<string> => {
  for (const name of ['line', 'ready']) rmSync(join(folder, name), { force: true })
  const [flags, setUp] = interactive[shell]
  const program = `zmodload zsh/zpty
    zpty it ${shell} ${flags}
    zpty -w it ${quote(`PS1=; ${setUp}; source script.${shell}; : > ready`)}
    while [[ ! -e ready ]]; do zpty -r -t it _; sleep 0.05; done
    zpty -w -n it "$1"$'\\t\\C-x'
    while zpty -r it _; do :; done
    cat line`
  return start('zsh', '-f', '-c', program, 'zsh', line)
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

for (const shell of ['bash', 'zsh'] as const)
  test(`${shell} at a terminal completes a line at a tab`, () => {
    for (const [line, completed] of [
      ['svc rev', 'svc review '],
      ['svc review --min', 'svc review --min-'],
      ['svc --log-level=d', 'svc --log-level=debug '],
      ['svc ask --file=one.', 'svc ask --file=one.json '],
    ] as const)
      assert.equal(pressTab(shell, line), [completed], shell)
  })

test('bash: each file is offered quoted, and none with control characters', () => {
  const offered = inBash('svc ask --file ', '')
  const expected = ['\\$\\(touch\\ ran\\)', '\\`touch\\ ran\\`', '\\;touch\\ ran', 'one\\ two.json']
  for (const name of expected) assert.ok(offered.includes(name), name)
  assert.not.match(offered.join(), /\u001b/)
  assert.ok(inBash('svc ask --state @one', '@one').includes('@one\\ two.json'))
})

test('a word of the line is never run', () => {
  assert.equal(inBash('svc ask --state $(touch ran) "`touch ran`" --fi', '--fi'), ['--file'])
  assert.not.ok(existsSync(join(folder, 'ran')))
})

test('fish accepts the syntax', () => assert.equal(start('fish', '-n', 'script.fish'), []))

test.run()
