import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { evaluateRun } from '../../lib/measure/evaluate/evaluation'
import { withRecordLabels } from '../../lib/measure/labels/labelled-record'
import { SampleDraw, type SampleOptions } from '../../lib/measure/sample/sample'
import { encodeSampledRow } from '../../lib/measure/sample/sample-document'
import { Sampler } from '../../lib/measure/sample/sampler'
import { createRandom } from '../../lib/runtime/random'
import {
  collectRun,
  createChoice,
  createNoul,
  createRecords,
  createScore,
  type RecordFields,
} from './runs'

const test = suite('measure/sample')

/** Draws a sample, and returns its records: by default the two rows with the smallest margin. */
const drawSample = (
  rows: ReadonlyArray<RecordFields>,
  options: Partial<SampleOptions> = {},
): ReadonlyArray<RecordFields> => {
  const draw = new SampleDraw({ size: 2, by: 'margin', randomShare: 0, seed: 0, ...options })
  for (const record of createRecords(rows)) draw.add(withRecordLabels(record))
  const sample = draw.finish() ?? []
  return sample.map((row) => JSON.parse(encode(encodeSampledRow(row, undefined)).toString()))
}

const drawIndexes = (...args: Parameters<typeof drawSample>): ReadonlyArray<number> =>
  drawSample(...args).map(({ index }) => Number(index))

test('draws the rows with the smallest margin of any question', () => {
  // A margin is the difference of the two largest probabilities of an answer. For a noul, the answer to a yes/no question, these are
  // P(yes) and P(no). The margin of a row is the smallest margin of its answers. The rows have the margins 0.8, 0.05, 0.1, 0.3 and 0.2.
  const rows = [
    { answers: { isBug: createNoul(0.9) } },
    { answers: { isBug: createNoul(0.9), team: createChoice({ a: 0.5, b: 0.45, c: 0.05 }) } },
    { answers: { isBug: createNoul(0.45) } },
    { answers: { urgency: createScore(0.1, 0.6, 0.3) } },
    { answers: { team: createChoice({ only: 0.2 }) } },
  ]
  assert.equal(drawIndexes(rows, { size: 2 }), [1, 2])
  assert.equal(drawIndexes(rows, { size: 3 }), [1, 2, 4])
  assert.equal(drawIndexes(rows, { size: 9 }), [0, 1, 2, 3, 4])
})

test('decides at random between rows of equal uncertainty, whatever their order', () => {
  const rows = Array.from({ length: 500 }, () => ({ answers: { isBug: createNoul(0.5) } }))
  const indexes = drawIndexes(rows, { size: 50 })
  // Of 50 rows drawn from 500, about 10 are among the first 100, and about 25 in the second half.
  assert.ok(indexes.filter((index) => index < 100).length < 25, `${indexes}`)
  assert.ok(indexes.filter((index) => index >= 250).length > 10, `${indexes}`)
})

test('draws only the first of rows with equal states as uncertain', () => {
  const createRow = (digit: string, probability: number) => ({
    state_sha256: digit.repeat(64),
    answers: { isBug: createNoul(probability) },
  })
  const rows = [
    createRow('a', 0.5),
    createRow('a', 0.5),
    createRow('b', 0.6),
    createRow('a', 0.5),
    createRow('c', 0.9),
  ]
  assert.equal(drawIndexes(rows, { size: 2 }), [0, 2])
})

test('draws the rows whose repetitions or orders disagree most', () => {
  // svc can ask a choice with its labels in several orders. In 3 of these 4 orders, another label is chosen.
  const orders = { n: 4, spread: 0.1, flips: 3 }
  // One of two repetitions disagrees about row 0, no repetition about row 1, and three of four orders about row 2.
  const rows = [
    { index: 0, run: 0, answers: { isBug: createNoul(0.9) } },
    { index: 0, run: 1, answers: { isBug: createNoul(0.1) } },
    { index: 0, run: 2, answers: { isBug: createNoul(0.8) } },
    { index: 1, run: 0, answers: { isBug: createNoul(0.5) } },
    { index: 1, run: 1, answers: { isBug: createNoul(0.6) } },
    { index: 2, answers: { team: { ...createChoice({ a: 1, b: 0 }), orders } } },
  ]
  assert.equal(drawIndexes(rows, { by: 'disagree', size: 2 }), [0, 2])
  assert.equal(drawIndexes(rows, { by: 'disagree', size: 1 }), [2])
})

test('does not draw rows without an answer', () => {
  const failed = { error: { kind: 'server', message: 'unavailable' } }
  const answered = { answers: { isBug: createNoul(0.9) } }
  assert.equal(drawIndexes([failed, answered]), [1])
})

test('adds the labels to fill in and p after the first members of a record', () => {
  const record = {
    id: 'x',
    labels: { team: '' },
    p: 0.5,
    state: { deep: 1 },
    answers: {
      isBug: createNoul(0.9),
      team: createChoice({ a: 1 }),
      embedding: { type: 'vector' },
    },
  }
  const [drawn = {}] = drawSample([record], { size: 1 })
  const names = ['index', 'id', 'labels', 'p', 'model', 'usage', 'state', 'answers']
  assert.equal(Object.keys(drawn), names)
  assert.equal(drawn.labels, { isBug: null, team: null }, 'svc cannot measure vectors')
  assert.is(drawn.p, 0.5)
})

/** A hundred rows with P(yes) from 0 to 0.99. The rows around index 50 are the least certain ones. */
const rowsByProbability = Array.from({ length: 100 }, (_, i) => ({
  answers: { isBug: createNoul(i / 100) },
}))

test('draws the least certain rows, and a share of the sample at random from the other rows', () => {
  const drawn = drawSample(rowsByProbability, { size: 20, randomShare: 0.3 })
  const leastCertainRows = drawn.filter(({ p }) => p === 1)
  const randomRows = drawn.filter(({ p }) => p !== 1)
  assert.is(randomRows.length, 6, '0.3 · 20')
  assert.is(leastCertainRows.length, 14)
  for (const { index } of leastCertainRows) assert.ok(Math.abs(Number(index) - 50) <= 7, `${index}`)
  const otherCount = rowsByProbability.length - leastCertainRows.length
  // svc rounds `p` to 12 significant digits.
  for (const { p } of randomRows) assert.is(p, Number((6 / otherCount).toPrecision(12)))
})

test('draws the same rows again with the same seed, and others with another seed', () => {
  const options = { size: 20, randomShare: 0.3 }
  const indexes = drawIndexes(rowsByProbability, options)
  assert.equal(drawIndexes(rowsByProbability, options), indexes)
  assert.not.equal(drawIndexes(rowsByProbability, { ...options, seed: 1 }), indexes)
})

test('includes a smaller draw with the same seed in a larger one, with its labels', () => {
  // 37 and 101 have no common divisor, so the probabilities are the hundredths in a mixed order.
  const rows = Array.from({ length: 200 }, (_, i) => ({
    answers: { isBug: createNoul(((i * 37) % 101) / 100) },
  }))
  const smallerDraw = drawIndexes(rows, { size: 20, randomShare: 0.3 })
  const labelledRows = rows.map((row, index) =>
    smallerDraw.includes(index) ? { ...row, labels: { isBug: true } } : row,
  )
  const largerDraw = drawSample(labelledRows, { size: 60, randomShare: 0.3 })
  const labelled = largerDraw.filter(({ labels }) => (labels as RecordFields).isBug === true)
  assert.is(largerDraw.length, 60)
  assert.equal(
    labelled.map(({ index }) => index),
    smallerDraw,
  )
})

test('draws each row as often as its chance says', () => {
  const drawCount = 4000
  const rowCount = 30
  const uncertainCount = 3
  const randomCount = 5
  const random = createRandom(9)
  /** The uncertainty of a row is its last digit, so rows 9, 19 and 29 are always drawn. */
  const measureUncertainty = (row: number): number => row % 10
  const randomChance = randomCount / (rowCount - uncertainCount)
  const findChance = (row: number): number => (measureUncertainty(row) === 9 ? 1 : randomChance)
  const mayBeUncertain = true
  const timesDrawn = new Float64Array(rowCount)
  for (let draw = 0; draw < drawCount; draw++) {
    const sampler = new Sampler<number>({ uncertainCount, randomCount, random })
    for (let row = 0; row < rowCount; row++)
      sampler.offer(() => row, measureUncertainty(row), mayBeUncertain)
    for (const { item: row, chance } of sampler.finish()) {
      timesDrawn[row] = (timesDrawn[row] as number) + 1
      assert.is(chance, findChance(row))
    }
  }
  timesDrawn.forEach((count, row) => {
    const expected = drawCount * findChance(row)
    // The standard deviation of the count is at most the square root of its expected value.
    assert.ok(Math.abs(count - expected) <= 4 * Math.sqrt(expected), `row ${row}: ${count}`)
  })
})

test('figures of a weighted sample are close to those of the whole run', () => {
  const random = createRandom(3)
  const rows = Array.from({ length: 4000 }, () => {
    const probability = random.nextFloat()
    return { answers: { isBug: createNoul(probability) }, truth: random.nextFloat() < probability }
  })
  const addLabels = (records: ReadonlyArray<RecordFields>): ReadonlyArray<RecordFields> =>
    records.map((record) => ({ ...record, labels: { isBug: record.truth } }))
  const measureAccuracy = (records: ReadonlyArray<RecordFields>): number => {
    // With more than 20,000 labelled rows the bootstrap makes fewer draws, which saves time.
    const run = { ...collectRun(records), labelledCount: 20_001 }
    const evaluation = evaluateRun(run, { seed: 0, byGroup: false })
    return evaluation.questions.get('isBug')?.figures.accuracy ?? Number.NaN
  }
  // Half of the sample are the least certain rows, which are less accurate than the run.
  const sample = addLabels(drawSample(rows, { size: 1000, randomShare: 0.5 }))
  const unweightedSample = sample.map(({ p: _, ...record }) => record)
  const accuracy = measureAccuracy(addLabels(rows))
  assert.ok(Math.abs(measureAccuracy(sample) - accuracy) < 0.04)
  assert.ok(Math.abs(measureAccuracy(unweightedSample) - accuracy) > 0.05)
})

test.run()
