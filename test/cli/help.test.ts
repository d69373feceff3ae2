import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnyCommand, listRelevantGlobals } from '../../lib/cli/declaration'
import { globalFlags } from '../../lib/cli/globals'
import { chooseLayout, formatHelp } from '../../lib/cli/help'
import type { Runtime } from '../../lib/runtime/runtime'
import { commands } from '../support/commands'
import { createSink } from '../support/runtime'

const test = suite('cli/help')

const layout = { width: 80, emphasize: (text: string) => text }

/** Formats the help of svc itself, which has no command. */
const formatRootHelp = (rootLayout = layout): string => formatHelp(undefined, commands, rootLayout)

/** Lists the global flags in the last line of a command's help, such as `Global flags: all but --model (svc help environment)`. */
const listNamedGlobals = (help: string): ReadonlyArray<string> => {
  const match = /^Global flags: (all but |all)?(.*?) ?\(svc help environment\)$/m.exec(help)
  assert.ok(match)
  const [, allWords = '', list = ''] = match
  const allNames = globalFlags.map(({ name }) => `--${name}`)
  const listedNames = list === '' ? [] : list.split(', ')
  return allWords === '' ? listedNames : allNames.filter((name) => !listedNames.includes(name))
}

/** Checks that lines have at most 80 columns, except for examples, and that there are no stray spaces or empty lines. */
const checkLayout = (help: string, command: AnyCommand | undefined): void => {
  const examples = command?.examples.flatMap((example) => example.command.split('\n')) ?? []
  for (const line of help.split('\n')) {
    assert.is(line, line.trimEnd())
    assert.ok(line.length <= 80 || examples.includes(line.trim()), line)
  }
  assert.not.match(help, /\n\n\n/)
  assert.is(help, help.trim())
  // Help must have no no-break spaces, which mark what wrapping must keep together.
  assert.not.match(help, /[\u00a0\t]/)
}

test('svc: help fits into 80 columns and lists the global flags', () => {
  const help = formatRootHelp()
  checkLayout(help, undefined)
  for (const flag of globalFlags) assert.match(help, `--${flag.name}`)
})

for (const command of commands) {
  const { name, summary, flags, examples } = command

  test(`${name}: help fits into 80 columns and lists the flags of the command`, () => {
    const help = formatHelp(command, commands, layout)
    checkLayout(help, command)
    for (const flag of flags) assert.match(help, `--${flag.name}`)
  })

  test(`${name}: help names the global flags that have an effect`, () => {
    const help = formatHelp(command, commands, layout)
    const relevantNames = listRelevantGlobals(command).map((flag) => `--${flag.name}`)
    assert.equal(listNamedGlobals(help), relevantNames)
  })

  test(`${name}: has examples, and summaries without a final period`, () => {
    assert.ok(examples.length > 0)
    assert.match(summary, /^[A-Z].*[^.]$/)
    for (const flag of flags) assert.match(flag.summary, /[^.]$/)
  })
}

const boldHeading = '\u001b[1mHeading\u001b[22m'

const formatHeading = (isTTY: boolean, env: Runtime['env']): string =>
  chooseLayout({ stdout: createSink({ isTTY }), env }).emphasize('Heading')

test('headings are bold on a terminal, or if FORCE_COLOR is set', () => {
  assert.is(formatHeading(true, {}), boldHeading)
  assert.is(formatHeading(false, { FORCE_COLOR: '1' }), boldHeading)
})

test('headings are plain without a terminal, or if the environment asks for it', () => {
  assert.is(formatHeading(false, {}), 'Heading')
  assert.is(formatHeading(true, { NO_COLOR: '1' }), 'Heading')
  assert.is(formatHeading(true, { TERM: 'dumb' }), 'Heading')
  assert.is(formatHeading(true, { FORCE_COLOR: '0' }), 'Heading')
})

test('a bold heading is on a line of its own', () => {
  const help = formatRootHelp({ ...layout, emphasize: () => boldHeading })
  assert.match(help, `${boldHeading}\n  svc <`)
})

test('a page is as wide as the terminal, up to 100 columns', () => {
  const findWidth = (columns: number): number =>
    chooseLayout({ stdout: createSink({ isTTY: true, columns }), env: {} }).width
  assert.is(findWidth(40), 40)
  assert.is(findWidth(120), 100)
})

test('examples fit 80 columns, and a shell reads them as one command', () => {
  for (const command of commands) {
    const help = formatHelp(command, commands, layout)
    for (const line of help.split('\n')) assert.ok(line.length <= 80, `${command.name}: ${line}`)
    const examples = help.replaceAll(' \\\n      ', ' ').replaceAll(/ {2,}/g, ' ')
    for (const example of command.examples)
      for (const line of example.command.split('\n'))
        assert.ok(examples.includes(line.replaceAll(/ {2,}/g, ' ')), line)
  }
})

test.run()
