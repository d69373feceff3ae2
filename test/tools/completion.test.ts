/** Runs the completion scripts in real shells. The scripts ask the built program. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completionScripts } from '../../lib/cli/completion/scripts'
import { createTemporaryFolder } from '../support/folders'
import { binFile } from '../support/program'

const test = suite('tools: completion in real shells')

/** A folder with the scripts, a program `svc`, and files to complete. Some file names are code or have control characters. */
const folder = createTemporaryFolder()
const hostileNames = ['$(touch ran)', '`touch ran`', ';touch ran', 'ran\u001b']
for (const name of ['one.json', 'one two.json', ...hostileNames])
  writeFileSync(join(folder, name), '')
const program = `#!/bin/sh\nexec '${process.execPath}' '${binFile}' "$@"\n`
writeFileSync(join(folder, 'svc'), program, { mode: 0o755 })
for (const [shell, script] of Object.entries(completionScripts))
  writeFileSync(join(folder, `script.${shell}`), `${script}\n`)

/** Runs a shell. Returns the lines of its output, sorted. Fails if it writes to stderr. */
const runShell = (shell: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { stdout, stderr } = spawnSync(shell, args, {
    cwd: folder,
    env: { PATH: [folder, process.env.PATH].join(delimiter), HOME: folder },
    encoding: 'utf8',
    timeout: 120_000,
  })
  assert.is(stderr, '', shell)
  return stdout.split('\n').filter(Boolean).sort()
}

/** Calls the completion function as bash does. `word` is the part of the line that bash replaces. */
const completeInBash = (line: string, word: string): ReadonlyArray<string> => {
  const script = `source script.bash; COMP_LINE=$1 COMP_POINT=\${#1}; _svc svc "$2"
    printf '%s\\n' "\${COMPREPLY[@]}"`
  return runShell('bash', '--norc', '-c', script, 'bash', line, word)
}

/** Completes a line in fish, which replaces the whole last word. */
const completeInFish = (line: string): ReadonlyArray<string> => {
  const script = `source script.fish; complete -C '${line}'`
  const offers = runShell('fish', '--no-config', '-c', script)
  // A tab separates the word from its description.
  return offers.map((offer) => offer.split('\t')[0] ?? '')
}

interface Completion {
  readonly line: string
  /** The part of the line that bash replaces. */
  readonly bashWord: string
  readonly inBash: ReadonlyArray<string>
  /** Default: the same as in bash. */
  readonly inFish?: ReadonlyArray<string>
}

const completions: ReadonlyArray<Completion> = [
  { line: 'svc rev', bashWord: 'rev', inBash: ['review'] },
  { line: 'svc review --min', bashWord: '--min', inBash: ['--min-cover', '--min-thorough'] },
  { line: 'svc serve --engine up', bashWord: 'up', inBash: ['upstream'] },
  // For bash, `=` and the space end a word. For fish only the space does.
  {
    line: 'svc --log-level=d',
    bashWord: 'd',
    inBash: ['debug'],
    inFish: ['--log-level=debug'],
  },
  {
    line: 'svc ask --file=one.',
    bashWord: 'one.',
    inBash: ['one.json'],
    inFish: ['--file=one.json'],
  },
  { line: 'svc ask --state @one.', bashWord: '@one.', inBash: ['@one.json'] },
  { line: 'svc review --only s', bashWord: 's', inBash: [] },
  { line: 'svc help eng', bashWord: 'eng', inBash: ['engines'] },
  { line: 'svc ask nothing ', bashWord: '', inBash: [] },
]
for (const { line, bashWord, inBash, inFish = inBash } of completions) {
  test(`bash completes: ${line}`, () => assert.equal(completeInBash(line, bashWord), inBash))
  test(`fish completes: ${line}`, () => assert.equal(completeInFish(line), inFish))
}

/** The flags of an interactive shell, and the commands that let control-X write its line to the file `line` and exit. */
const interactiveShells = {
  bash: {
    flags: '--norc -i',
    setUp: 'finish() { echo "$READLINE_LINE" > line; exit; }; bind -x \'"\\C-x": finish\'',
  },
  zsh: {
    flags: '-f -i',
    setUp: [
      'autoload -Uz compinit; compinit -D -u',
      'finish() { print -r -- "$BUFFER" > line; exit }',
      'zle -N finish; bindkey "^X" finish',
    ].join('; '),
  },
} as const

const quoteWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Types a text and a tab at a terminal, and returns the completed line. The module zsh/zpty of zsh emulates the terminal: `zpty -w`
 * types, and `zpty -r` reads what the terminal shows, which must not fill up.
 */
const typeAndPressTab = (shell: keyof typeof interactiveShells, text: string): string => {
  for (const name of ['line', 'ready']) rmSync(join(folder, name), { force: true })
  const { flags, setUp } = interactiveShells[shell]
  const firstCommand = quoteWord(`PS1=; ${setUp}; source script.${shell}; : > ready`)
  const script = `zmodload zsh/zpty
    zpty terminal ${shell} ${flags}
    zpty -w terminal ${firstCommand}
    while [[ ! -e ready ]]; do zpty -r -t terminal _; sleep 0.05; done
    zpty -w -n terminal "$1"$'\\t\\C-x'
    while zpty -r terminal _; do :; done
    cat line`
  return runShell('zsh', '-f', '-c', script, 'zsh', text).join('\n')
}

const typedLines = [
  { text: 'svc rev', completed: 'svc review ' },
  { text: 'svc review --min', completed: 'svc review --min-' },
  { text: 'svc --log-level=d', completed: 'svc --log-level=debug ' },
  { text: 'svc ask --file=one.', completed: 'svc ask --file=one.json ' },
] as const
for (const shell of ['bash', 'zsh'] as const)
  for (const { text, completed } of typedLines)
    test(`${shell} completes at a terminal: ${text}`, () =>
      assert.is(typeAndPressTab(shell, text), completed))

test('bash gets file names quoted, and no name with control characters', () => {
  const offers = completeInBash('svc ask --file ', '')
  const quotedNames = [
    '\\$\\(touch\\ ran\\)',
    '\\`touch\\ ran\\`',
    '\\;touch\\ ran',
    'one\\ two.json',
  ]
  for (const name of quotedNames) assert.ok(offers.includes(name), name)
  assert.not.match(offers.join(), /\u001b/)
  assert.ok(completeInBash('svc ask --state @one', '@one').includes('@one\\ two.json'))
})

test('bash never runs a word of the line', () => {
  const line = 'svc ask --state $(touch ran) "`touch ran`" --fi'
  assert.equal(completeInBash(line, '--fi'), ['--file'])
  assert.not.ok(existsSync(join(folder, 'ran')))
})

test('fish accepts the syntax of its script', () =>
  assert.equal(runShell('fish', '-n', 'script.fish'), []))

test.run()
