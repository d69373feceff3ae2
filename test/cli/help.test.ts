import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { globalFlags } from '../../lib/cli/globals'
import { writeHelp } from '../../lib/cli/help'
import { wrap, wrapColumns } from '../../lib/text/wrap'
import { commands } from '../support/commands'
import { sample } from './sample'

const test = suite('cli/help')

const command = (name: string) => sample().find((each) => each.name === name)

test('a page, as it stands', () => {
  assert.is(
    writeHelp(command('ask'), sample()).split('\n\nGlobal flags:')[0],
    `Sends one request.

  {"state": "…"}

Prints the response.

Usage:
  svc ask [flags]

Examples:
  # a file
  svc ask -f request.json

  # a pipe
  echo {} | svc ask

Flags:
  -f, --file <path>     request JSON file
      --state <string>  state text
      --noul <key=instructions>
                        a question (repeatable)
  -r, --raw             print the body unchanged
  -x, --xray            for bundles`,
  )
})

test('the root lists every command; a parent its sub-commands; a command its arguments', () => {
  const root = writeHelp(undefined, sample())
  for (const { name, summary } of sample()) {
    assert.match(root.replace(/\s+/g, ' '), `${name} ${summary}`)
  }
  assert.match(root, '  -v, --version  print the version')
  assert.match(writeHelp(command('review'), sample()), /\nCommands:\n {2}review init {2}Write/)
  const completion = writeHelp(command('completion'), sample())
  assert.match(completion, '\n  svc completion <shell> [flags]\n')
  assert.match(completion, '\nArguments:\n  shell  the shell (bash, zsh)\n')
  assert.match(writeHelp(command('help'), sample()), '\n  svc help [command...] [flags]\n')
})

test('defaults and environment variables are shown', () => {
  const flat = writeHelp(command('review'), sample()).replace(/\s+/g, ' ')
  for (const text of [
    '(default u.json)',
    '(default 0.6)',
    '(default 2m0s)',
    '(default http://127.0.0.1:8787, env SERVICE_BASE_URL)',
    '(env SERVICE_API_KEY)',
    '(default svc-latest, env SERVICE_DEFAULT_MODEL)',
    '(default 10s)',
    'retries after the first attempt (default 2)',
  ]) {
    assert.ok(flat.includes(text), text)
  }
})

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
