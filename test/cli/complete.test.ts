import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { complete } from '../../lib/cli/completion/complete'
import { splitLine } from '../../lib/cli/completion/split-line'
import { createSampleCommands } from './sample'

const test = suite('cli/complete')

/** Lists the candidates for the last word, and then `<files>` or `<folders>` if paths are offered too. */
const listOffers = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const last = words.at(-1) ?? ''
  const { candidates, paths } = await complete(words.slice(0, -1), last, createSampleCommands())
  const texts = candidates.map(({ text }) => text)
  return paths === undefined ? texts : [...texts, `${paths.prefix}<${paths.kind}>`]
}

/** The words so far, the last of which is being typed, and what is offered in its place. */
const table: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
  [[''], ['ask', 'completion', 'help', 'judge', 'models', 'review', 'version']],
  [['re'], ['review']],
  [['review', ''], ['init']],
  [['review', 'init', '--u'], ['--units']],
  [
    ['review', '--m'],
    ['--model', '--max-retries', '--min-cover', '--min-thorough', '--max-state-bytes'],
  ],
  [['--model', 'x', 're'], ['review']],
  [['--pretty', 'review', '--json', ''], ['init']],
  [
    ['--log-level', ''],
    ['debug', 'info', 'warning', 'error', 'off'],
  ],
  [['--log-level=w'], ['--log-level=warning']],
  [
    ['--log-level', 'd', ''],
    ['ask', 'completion', 'help', 'judge', 'models', 'review', 'version'],
  ],
  [['ask', '-f', 'on'], ['<files>']],
  [['judge', 'r'], ['<files>']],
  [['judge', 'run.jsonl', ''], []],
  [['ask', '--file='], ['--file=<files>']],
  [['ask', '-rxf', ''], ['<files>']],
  [['review', '--out', ''], ['<folders>']],
  [['ask', '--state', ''], []],
  [['ask', '--state', '@t'], ['@<files>']],
  [['ask', '--state=@'], ['--state=@<files>']],
  [['ask', '--raw=t'], []],
  [['ask', '--nope', ''], []],
  [['ask', '--nope='], []],
  [['nope', ''], []],
  [
    ['help', ''],
    ['ask', 'completion', 'help', 'judge', 'models', 'review', 'version', 'engines'],
  ],
  [['help', 'review', 'i'], ['init']],
  [['help', 'nope', ''], []],
  [
    ['completion', ''],
    ['bash', 'zsh'],
  ],
  [['completion', 'bash', ''], []],
  [['completion', '--', 'b'], ['bash']],
  [['completion', '--', '--m'], []],
  [['review', '--', 'i'], []],
  [['models', '--v'], []],
  [['--v'], ['--version']],
  [['review', '--only', ''], []],
]
for (const [words, expected] of table)
  test(`svc ${words.join(' ')}`, async () => assert.equal(await listOffers(...words), expected))

test('a candidate with control or bidirectional characters is never offered', async () => {
  const [help] = createSampleCommands().filter(({ name }) => name === 'help')
  assert.ok(help)
  const offer = async () => ['plain', 'a\u001b[31m', 'b\u202e', 'c\nd']
  const positionals = [{ name: 'topic', summary: '', offer }]
  const { candidates } = await complete(['help'], '', [{ ...help, positionals }])
  assert.equal(
    candidates.map(({ text }) => text),
    ['plain'],
  )
})

const lines: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['', ['']],
  [' ask ', ['ask', '']],
  [' ask  --file=on', ['ask', '--file=on']],
  [` ask --state 'a "b' --noul "c='d\\"`, ['ask', '--state', 'a "b', '--noul', `c='d"`]],
  [` ask --state "" a\\ b\\`, ['ask', '--state', '', 'a b']],
  [` '\\'`, ['\\']],
]
for (const [line, words] of lines)
  test(`split: ${line}`, () => assert.equal(splitLine(line), words))

test('a long line is split in linear time', () => {
  assert.is(splitLine('a "b c" '.repeat(100_000)).length, 200_001)
})

test.run()
