import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scripts } from '../../lib/cli/completion/script'
import { globalFlags, rootFlags } from '../../lib/cli/globals'
import { commands } from '../support/commands'
import { temporaryFolder } from '../support/folders'
import { sample } from './sample'

const test = suite('cli/completion')

const folder = temporaryFolder()
for (const name of ['one.json', 'one two.json']) writeFileSync(join(folder, name), '')

const script = (shell: string): string => {
  const make = scripts[shell]
  assert.ok(make, shell)
  return `${make(sample())}\n`
}
const file = (shell: string): string => {
  const path = join(folder, `svc.${shell}`)
  writeFileSync(path, script(shell))
  return path
}
const shellRuns = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

for (const [shell, make] of Object.entries(scripts)) {
  test(`${shell}: names every command, flag and fixed value`, () => {
    const text = make(commands)
    for (const { name, flags, positionals = [] } of commands) {
      for (const word of name.split(' ')) assert.match(text, word)
      for (const flag of [...flags, ...globalFlags, ...rootFlags]) {
        assert.ok(text.includes(flag.name), flag.name)
        const values: ReadonlyArray<string> = 'oneOf' in flag ? (flag.oneOf ?? []) : []
        for (const value of values) assert.ok(text.includes(value), value)
      }
      for (const word of positionals.flatMap(({ oneOf = [] }) => oneOf)) assert.match(text, word)
    }
  })
  test(`${shell}: no blanks at line ends, quotes and brackets in pairs`, () => {
    const text = script(shell)
    assert.not.match(text, /[ \t]$/m)
    // What is quoted or commented can hold anything; an escaped quote is no quote.
    const bare = text
      .replace(/'\\''|''|\\'/g, '')
      .replace(/'[^'\n]*'/g, '')
      .replace(/^\s*# .*$/gm, '')
    assert.is(bare.match(/'/g), null, bare)
    for (const [open, close] of ['{}', '[]'].map((pair) => [...pair])) {
      assert.is(bare.split(open ?? '').length, bare.split(close ?? '').length, open)
    }
  })
}

for (const shell of ['bash', 'zsh', 'fish']) {
  if (shell !== 'bash' && !shellRuns(shell)) continue
  test(`${shell} accepts the syntax`, () => {
    for (const each of [sample(), commands]) {
      const path = join(folder, `syntax.${shell}`)
      writeFileSync(path, `${scripts[shell]?.(each)}\n`)
      const { status, stderr } = spawnSync(shell, ['-n', path], { encoding: 'utf8' })
      assert.equal([status, stderr], [0, ''])
    }
  })
}

/** Prints what PowerShell's own parser has against a script, a line each. */
const parseErrors = `
$errors = $null
$null = [System.Management.Automation.Language.Parser]::ParseFile($env:SCRIPT, [ref]$null, [ref]$errors)
$errors | ForEach-Object { $_.ToString() }`

if (spawnSync('pwsh', ['-NoProfile', '-Command', 'exit 0']).status === 0) {
  test('powershell accepts the syntax', () => {
    for (const each of [sample(), commands]) {
      const path = join(folder, 'syntax.ps1')
      writeFileSync(path, `${scripts.powershell?.(each)}\n`)
      const { status, stdout, stderr } = spawnSync(
        'pwsh',
        ['-NoProfile', '-Command', parseErrors],
        { encoding: 'utf8', env: { ...process.env, SCRIPT: path } },
      )
      assert.equal([status, stdout.trim(), stderr], [0, '', ''])
    }
  })
}

/** The words typed so far, the last one to be completed, and what is offered. */
const offers: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
  [[''], ['ask', 'completion', 'help', 'models', 'review', 'version']],
  [['re'], ['review']],
  [['review', ''], ['init']],
  [['review', 'init', '--u'], ['--units']],
  [
    ['review', '--m'],
    ['--max-retries', '--max-state-bytes', '--min-cover', '--min-thorough', '--model'],
  ],
  [['--model', 'x', 're'], ['review']],
  [['--pretty', 'review', '--json', ''], ['init']],
  [
    ['--log-level', ''],
    ['debug', 'error', 'info', 'off', 'warning'],
  ],
  [
    ['ask', '-f', 'on'],
    ['one two.json', 'one.json'],
  ],
  [['ask', '--file', 'one.'], ['one.json']],
  [['ask', '--state', ''], []],
  [['help', 'review', ''], ['init']],
  [
    ['completion', ''],
    ['bash', 'zsh'],
  ],
  [['completion', 'bash', ''], []],
  [['models', ''], []],
  [['models', '--v'], []],
  [['--v'], ['--version']],
]

/** Bash takes Node's pipe for a remote login, and would read the user's start-up file. */
const inBash = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const program = `source "$1"; shift; COMP_WORDS=(svc "$@"); COMP_CWORD=$#; _svc
      for each in "\${COMPREPLY[@]}"; do printf '%s\\n' "$each"; done`
  const options = { cwd: folder, encoding: 'utf8' } as const
  const { stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-c', program, 'bash', file('bash'), ...words],
    options,
  )
  assert.is(stderr, '')
  return stdout.split('\n').filter(Boolean).sort()
}
for (const [words, expected] of offers) {
  test(`bash offers after: svc ${words.join(' ')}`, () => assert.equal(inBash(words), expected))
}
test('bash splits --flag=value into three words', () => {
  assert.equal(inBash(['ask', '--file', '=', 'one.']), ['one.json'])
  assert.equal(inBash(['--log-level', '=']), ['debug', 'error', 'info', 'off', 'warning'])
  assert.equal(inBash(['review', '--pretty', '=', 'true', 'i']), ['init'])
  assert.equal(inBash(['ask', '--noul', '=', 'a', '=', 'b', '--ra']), ['--raw'])
})

if (shellRuns('fish')) {
  const inFish = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
    const program = 'source $argv[1]; complete -C $argv[2]'
    const line = `svc ${words.join(' ')}`
    const options = {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, HOME: folder },
    } as const
    const { stdout } = spawnSync(
      'fish',
      ['--no-config', '-c', program, '--', file('fish'), line],
      options,
    )
    const offered = stdout.split('\n').map((text) => text.split('\t')[0] ?? '')
    return offered.filter(Boolean).sort()
  }
  for (const [words, expected] of offers) {
    test(`fish offers after: svc ${words.join(' ')}`, () => assert.equal(inFish(words), expected))
  }
}

test.run()
