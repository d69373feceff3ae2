import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { complete, splitLine } from '../../lib/cli/complete'
import { memoryFiles } from '../support/files'
import { fakeRuntime } from '../support/runtime'
import { sample } from './sample'

const test = suite('cli/complete')

const { files } = memoryFiles({})
const world = { ...fakeRuntime().runtime, files }

/** The words that are offered, and then where paths are, too. */
const offers = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const last = words.at(-1) ?? ''
  const { candidates, paths } = await complete(words.slice(0, -1), last, sample(), world)
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
  [['review', '--only', ''], ['unit of svc-review.json']],
  [['review', '--units=u.json', '--only', 'unit'], ['unit of u.json']],
]
for (const [words, expected] of table)
  test(`svc ${words.join(' ')}`, async () => assert.equal(await offers(...words), expected))

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

test('D67: a long line is split in linear time', () => {
  assert.is(splitLine('a "b c" '.repeat(100_000)).length, 200_001)
})

test.run()
