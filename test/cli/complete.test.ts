import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { complete } from '../../lib/cli/completion/complete'
import { splitLine } from '../../lib/cli/completion/split-line'
import { createSampleCommands } from './sample-commands'

const test = suite('cli/complete')

/** Completes the last word. The list ends with `<files>` or `<folders>` if the shell completes paths too. */
const listCompletions = async (words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const wordsBefore = words.slice(0, -1)
  const lastWord = words.at(-1) ?? ''
  const { candidates, paths } = await complete(wordsBefore, lastWord, createSampleCommands())
  const texts = candidates.map(({ text }) => text)
  return paths === undefined ? texts : [...texts, `${paths.prefix}<${paths.kind}>`]
}

/** The words of a command line, of which the last is completed, and the completions. */
type CompletionCase = readonly [words: ReadonlyArray<string>, completions: ReadonlyArray<string>]

const commandNames = ['ask', 'completion', 'help', 'judge', 'models', 'review', 'version']

const completionsByTopic: Readonly<Record<string, ReadonlyArray<CompletionCase>>> = {
  'command names': [
    [[''], commandNames],
    [['re'], ['review']],
    [['review', ''], ['init']],
    [['--model', 'x', 're'], ['review']],
    [['--pretty', 'review', '--json', ''], ['init']],
    // An invalid value of a flag does not matter.
    [['--log-level', 'd', ''], commandNames],
    [['unknown', ''], []],
    // After -- a word is an argument, so it does not name a subcommand.
    [['review', '--', 'i'], []],
  ],
  'flag names': [
    [['review', 'init', '--u'], ['--units']],
    [
      ['review', '--m'],
      ['--model', '--max-retries', '--min-cover', '--min-thorough', '--max-state-bytes'],
    ],
    [['--v'], ['--version']],
    // Only svc itself has --version.
    [['models', '--v'], []],
  ],
  'flag values': [
    [
      ['--log-level', ''],
      ['debug', 'info', 'warning', 'error', 'off'],
    ],
    [['--log-level=w'], ['--log-level=warning']],
    // Any text is valid.
    [['review', '--only', ''], []],
    [['ask', '--state', ''], []],
    // The value of a boolean flag is not completed.
    [['ask', '--raw=t'], []],
    // The flag is unknown.
    [['ask', '--unknown', ''], []],
    [['ask', '--unknown='], []],
  ],
  paths: [
    [['ask', '-f', 'on'], ['<files>']],
    [['ask', '--file='], ['--file=<files>']],
    // -f is the last short flag of the cluster, so the next word is its value.
    [['ask', '-rxf', ''], ['<files>']],
    [['review', '--out', ''], ['<folders>']],
    [['ask', '--state', '@t'], ['@<files>']],
    [['ask', '--state=@'], ['--state=@<files>']],
    [['judge', 'r'], ['<files>']],
    // svc judge takes only one argument.
    [['judge', 'run.jsonl', ''], []],
  ],
  arguments: [
    [
      ['help', ''],
      [...commandNames, 'engines'],
    ],
    [['help', 'review', 'i'], ['init']],
    [['help', 'unknown', ''], []],
    [
      ['completion', ''],
      ['bash', 'zsh'],
    ],
    [['completion', 'bash', ''], []],
    [['completion', '--', 'b'], ['bash']],
    [['completion', '--', '--m'], []],
  ],
}
for (const [topic, completions] of Object.entries(completionsByTopic))
  for (const [words, expected] of completions)
    test(`completes ${topic}: ${JSON.stringify(words)}`, async () =>
      assert.equal(await listCompletions(words), expected))

test('leaves out completions with control or bidirectional characters', async () => {
  const help = createSampleCommands().find(({ name }) => name === 'help')
  assert.ok(help)
  const listWords = async () => ['plain', 'a\u001b[31m', 'b\u202e', 'c\nd']
  const positionals = [{ name: 'topic', summary: '', listWords }]
  const { candidates } = await complete(['help'], '', [{ ...help, positionals }])
  assert.equal(
    candidates.map(({ text }) => text),
    ['plain'],
  )
})

const splitLines: ReadonlyArray<readonly [line: string, words: ReadonlyArray<string>]> = [
  ['', ['']],
  [' ask ', ['ask', '']],
  [' ask  --file=on', ['ask', '--file=on']],
  [` ask --state 'a "b' --noul "c='d\\"`, ['ask', '--state', 'a "b', '--noul', `c='d"`]],
  [` ask --state "" a\\ b\\`, ['ask', '--state', '', 'a b']],
  [` '\\'`, ['\\']],
]
for (const [line, words] of splitLines)
  test(`splits a line into words: "${line}"`, () => assert.equal(splitLine(line), words))

test('splits a long line in linear time', () => {
  const line = 'a "b c" '.repeat(100_000)
  // Two words each time, and the empty word after the last space.
  assert.is(splitLine(line).length, 200_001)
})

test.run()
