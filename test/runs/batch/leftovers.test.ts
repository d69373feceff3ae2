import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { countNewAnswers } from '../../../lib/runs/batch/leftovers'
import { createMemoryFiles } from '../../support/files'

const test = suite('runs/batch/leftovers')

interface RecordOptions {
  readonly noul?: number
  readonly model?: string
  readonly state?: string
  readonly extra?: string
}

/** Formats the record of an answered row. */
const formatAnswered = (index: number, options: RecordOptions = {}): string => {
  const { noul = 0.5, model = 'm', state = 'a', extra = '' } = options
  const answers = `{"q":{"type":"noul","noul":${noul}}}`
  const usage = '{"input_tokens":1,"output_tokens":1}'
  return `{"index":${index},"state_sha256":"${state.repeat(64)}","model":"${model}","answers":${answers},"usage":${usage}${extra}}\n`
}

/** Formats the record of a failed row. */
const formatFailed = (index: number): string =>
  `{"index":${index},"state_sha256":"${'a'.repeat(64)}","error":{"kind":"server","status":500,"request_id":"r","message":"no"}}\n`

const count = (leftover: string, output: string): Promise<number | 'unknown'> => {
  const { files } = createMemoryFiles({ leftover, output })
  return countNewAnswers('leftover', 'output', files)
}

const cases: ReadonlyArray<{
  readonly title: string
  readonly leftover: string
  readonly output: string
  readonly expected: number | 'unknown'
}> = [
  {
    title: 'the output has the same answers',
    leftover: formatAnswered(0) + formatAnswered(1),
    output: formatAnswered(0) + formatAnswered(1),
    expected: 0,
  },
  {
    title: 'the output has reused them',
    leftover: formatAnswered(0),
    output: formatAnswered(0, { extra: ',"reused":true' }),
    expected: 0,
  },
  {
    title: 'the output has other answers to the row',
    leftover: formatAnswered(0),
    output: formatAnswered(0, { noul: 0.25 }),
    expected: 1,
  },
  {
    title: 'the output has answers of another model',
    leftover: formatAnswered(0),
    output: formatAnswered(0, { model: 'other' }),
    expected: 1,
  },
  {
    title: 'the output has answers about another state',
    leftover: formatAnswered(0),
    output: formatAnswered(0, { state: 'b' }),
    expected: 1,
  },
  {
    title: 'the row failed in the output',
    leftover: formatAnswered(0) + formatFailed(1),
    output: formatFailed(0) + formatFailed(1),
    expected: 1,
  },
  {
    title: 'the output ends before',
    leftover: formatAnswered(0) + formatAnswered(1) + formatAnswered(2),
    output: formatAnswered(0),
    expected: 2,
  },
  {
    title: 'the last line was not written to its end',
    leftover: formatFailed(0) + formatAnswered(1).slice(0, -10),
    output: '',
    expected: 0,
  },
  {
    title: 'the output holds something else',
    leftover: formatAnswered(0),
    output: 'the notes of a person\n',
    expected: 1,
  },
  {
    title: 'the file holds something else',
    leftover: 'the notes of a person\n',
    output: formatAnswered(0),
    expected: 'unknown',
  },
]

for (const { title, leftover, output, expected } of cases)
  test(`counts ${expected} new answers if ${title}`, async () => {
    assert.is(await count(leftover, output), expected)
  })

test('cannot count if a file cannot be read', async () => {
  const { files } = createMemoryFiles({})
  assert.is(await countNewAnswers('leftover', 'output', files), 'unknown')
})

test.run()
