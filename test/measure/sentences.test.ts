import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { calibrate, defaultCalibration } from '../../lib/measure/calibrate/calibrate'
import { tabulatePolicy } from '../../lib/measure/calibrate/policy-document'
import { parseTargets } from '../../lib/measure/calibrate/targets'
import { evaluateRun } from '../../lib/measure/evaluate/evaluation'
import { findPassingRows } from '../../lib/measure/evaluate/passing-rows'
import { describeInWords } from '../../lib/measure/evaluate/sentences'
import { formatShare, formatShareRange } from '../../lib/measure/format-figures'
import type { LabelledRun } from '../../lib/measure/rows/labelled-run'
import { createRandom } from '../../lib/runtime/random'
import { collectRun, createNoul, type RecordFields } from './runs'

const test = suite('measure: words for people')

test('prints shares with two significant digits of the smaller part', () => {
  const cases: ReadonlyArray<readonly [share: number, text: string]> = [
    [0, '0 %'],
    [0.0000012345, '0.00012 %'],
    [0.00449, '0.45 %'],
    [0.0567, '5.7 %'],
    [0.274, '27 %'],
    [0.5, '50 %'],
    [0.726, '73 %'],
    [0.9433, '94.3 %'],
    [0.99551, '99.55 %'],
    [1 - 1e-16, '100 %'],
    [1, '100 %'],
  ]
  for (const [share, text] of cases) assert.is(formatShare(share), text)
  assert.is(formatShareRange({ low: 0, high: 0.0567 }), '0 to 5.7 %')
})

test('two parts of a whole sum to 100 %', () => {
  for (let thousandths = 0; thousandths <= 1000; thousandths++) {
    const parts = [thousandths / 1000, 1 - thousandths / 1000].map((share) =>
      Number(formatShare(share).replace(' %', '')),
    )
    assert.is(((parts[0] as number) + (parts[1] as number)).toFixed(9), '100.000000000')
  }
})

const question_sha256 = 'a'.repeat(64)

/** Creates a row with an answer to `urgent`. */
const createRow = (yes: number, label?: boolean): RecordFields => ({
  questions_sha256: question_sha256,
  answers: { urgent: createNoul(yes) },
  ...(label !== undefined && { labels: { urgent: label } }),
})

const refusedRow: RecordFields = { answers: { urgent: { type: 'refusal' } } }
const failedRow: RecordFields = { error: { kind: 'server', message: 'down' }, model: undefined }

const repeatRow = (count: number, row: RecordFields): ReadonlyArray<RecordFields> =>
  Array.from({ length: count }, () => row)

/** Describes the question `urgent` of a run as `svc eval --table` does: its sentences, then the rows that pass. */
const describeRun = (run: LabelledRun): ReadonlyArray<string> => {
  const figures = evaluateRun(run, { seed: 0, byGroup: false }).questions.get('urgent')
  assert.ok(figures)
  return [describeInWords(figures), ...findPassingRows(figures.rows).lines]
}

/** Tabulates the policy for an accuracy as `svc calibrate --table` does. */
const tabulateCalibration = (run: LabelledRun, accuracy: number): string => {
  const targets = parseTargets([`accuracy=${accuracy}`])
  assert.ok(E.isRight(targets))
  const policy = calibrate(run, { ...defaultCalibration, targets: targets.right })
  assert.ok(E.isRight(policy))
  return tabulatePolicy(policy.right)
}

test('says how many rows were refused or failed, and counts them as rows that go to a person', () => {
  const run = collectRun([
    ...repeatRow(70, createRow(0.99, true)),
    ...repeatRow(70, createRow(0.01, false)),
    ...repeatRow(40, refusedRow),
    ...repeatRow(20, failedRow),
  ])
  const [sentences = '', ...lines] = describeRun(run)
  assert.match(sentences, 'Right in 140 of 140 rows (100 %, surely 97.3 to 100 %).')
  assert.match(sentences, '40 of 200 rows were refused, and 20 failed; they go to a person.')
  assert.is(lines[0], '80 % right: 70 % of rows pass without a person today')
  const table = tabulateCalibration(run, 0.9)
  assert.match(table, /70 % +30 %/)
  assert.match(table, 'urgent: 40 of 200 rows were refused, and 20 failed; they go to a person')
})

test('says how many of a rare yes are found', () => {
  const run = collectRun([
    ...repeatRow(2, createRow(0.9, true)),
    ...repeatRow(4, createRow(0.1, true)),
    ...repeatRow(394, createRow(0.02, false)),
  ])
  assert.match(describeRun(run)[0] ?? '', 'It finds 2 of 6 rows that are a yes.')
})

test('does not count what is found if a yes is not rare', () => {
  const run = collectRun([
    ...repeatRow(10, createRow(0.9, true)),
    ...repeatRow(90, createRow(0.1, false)),
  ])
  assert.not.match(describeRun(run)[0] ?? '', 'finds')
})

test('names groups, and not rows, if there are too few groups for an interval', () => {
  const rows = repeatRow(100, createRow(0.9, true)).map((row, i) => ({ ...row, group: i % 5 }))
  assert.match(
    describeRun(collectRun(rows))[0] ?? '',
    'Right in 100 of 100 rows (100 %, no interval: an interval takes 10 groups, and there are 5).',
  )
})

test('says that sure rows are too few, and not that they are wrong', () => {
  // The surest 40 rows are right, but a proof of 95 % takes 59.
  const lines = describeRun(
    collectRun([
      ...Array.from({ length: 40 }, (_, i) => createRow(0.99 - i / 1000, true)),
      ...Array.from({ length: 40 }, (_, i) => createRow(0.6 - i / 1000, i % 3 > 0)),
    ]),
  )
  assert.match(
    lines[3] ?? '',
    /^95 % right: none today; the surest \d+ % of rows may pass with about \d+ more labels$/,
  )
})

test('says how right the surest rows are if they are not right often enough', () => {
  // Seven of eight of the surest rows are right, and half of the others.
  const isRight = (i: number): boolean => (i < 200 ? i % 8 > 0 : i % 2 > 0)
  const rows = Array.from({ length: 400 }, (_, i) => createRow(0.99 - i / 1000, isRight(i)))
  assert.is(
    describeRun(collectRun(rows)).at(-1),
    '98 % right: none today; even of the surest tenth of rows, only 87 % are right',
  )
})

test('with fewer rows than a map takes, says how many labels are missing', () => {
  const lines = describeRun(collectRun(repeatRow(20, createRow(0.9, true))))
  // A map takes 30 rows, a proof of 98 % takes 149.
  assert.is(lines[1], '80 % right: none today; all rows may pass with about 10 more labels')
  assert.is(lines[4], '98 % right: none today; all rows may pass with about 130 more labels')
})

test('the rows that pass are those that svc calibrate accepts', () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = createRandom(seed)
    const accuracyOfSure = 0.8 + random.nextFloat() / 5
    const rows = Array.from({ length: 300 }, () => {
      const p = Math.round(random.nextFloat() * 50) / 50
      const isRight = random.nextFloat() < (Math.abs(p - 0.5) > 0.2 ? accuracyOfSure : 0.6)
      return createRow(p, isRight === p >= 0.5)
    })
    const run = collectRun([...rows, ...repeatRow(30, refusedRow)])
    const [, ...lines] = describeRun(run)
    for (const [i, accuracy] of [0.8, 0.9, 0.95, 0.98].entries()) {
      // A line about the correction of probabilities can come first.
      const line = lines.slice(-4)[i] ?? ''
      const table = tabulateCalibration(run, accuracy)
      if (line.includes('none today')) assert.match(table, 'no cut')
      else {
        const [, passing = ''] = /right: (.*) of rows pass/.exec(line) ?? []
        assert.match(table, `${passing}  `, `${line}\n${table}`)
      }
    }
  }
})

test.run()
