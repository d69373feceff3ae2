import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { evaluateRun } from '../../lib/measure/evaluate/evaluation'
import { withRecordLabels } from '../../lib/measure/labels/labelled-record'
import { encodeSampledRow, SampleDraw, type SampleOptions } from '../../lib/measure/sample/sample'
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

/** Draws a sample, and returns its records. By default the two least certain rows by margin. */
const drawSample = (
  rows: ReadonlyArray<RecordFields>,
  options: Partial<SampleOptions> = {},
): ReadonlyArray<RecordFields> => {
  const draw = new SampleDraw({ size: 2, by: 'margin', explore: 0, seed: 0, ...options })
  for (const record of createRecords(rows)) draw.add(withRecordLabels(record))
  const sample = draw.finish() ?? []
  return sample.map((row) => JSON.parse(encode(encodeSampledRow(row, undefined)).toString()))
}

const drawIndexes = (...args: Parameters<typeof drawSample>): ReadonlyArray<number> =>
  drawSample(...args).map(({ index }) => Number(index))

test('draws the rows with the smallest margin of any question', () => {
  const rows = [
    { answers: { q: createNoul(0.9) } },
    { answers: { q: createNoul(0.9), t: createChoice({ a: 0.5, b: 0.45, c: 0.05 }) } },
    { answers: { q: createNoul(0.45) } },
    { answers: { u: createScore(0.1, 0.6, 0.3) } },
    { answers: { t: createChoice({ only: 0.2 }) } },
  ]
  assert.equal(drawIndexes(rows, { size: 2 }), [1, 2])
  assert.equal(drawIndexes(rows, { size: 3 }), [1, 2, 4])
  assert.equal(drawIndexes(rows, { size: 9 }), [0, 1, 2, 3, 4])
})

test('decides at random between rows of equal uncertainty, whatever their order', () => {
  const rows = Array.from({ length: 500 }, () => ({ answers: { q: createNoul(0.5) } }))
  const indexes = drawIndexes(rows, { size: 50 })
  assert.ok(indexes.filter((index) => index < 100).length < 25, `${indexes}`)
  assert.ok(indexes.filter((index) => index >= 250).length > 10, `${indexes}`)
})

test('draws only the first of rows with equal states as uncertain', () => {
  const createRow = (digit: string, probability: number) => ({
    state_sha256: digit.repeat(64),
    answers: { q: createNoul(probability) },
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
  const orders = { n: 4, spread: 0.1, flips: 3 }
  const rows = [
    { index: 0, run: 0, answers: { q: createNoul(0.9) } },
    { index: 0, run: 1, answers: { q: createNoul(0.1) } },
    { index: 0, run: 2, answers: { q: createNoul(0.8) } },
    { index: 1, run: 0, answers: { q: createNoul(0.5) } },
    { index: 1, run: 1, answers: { q: createNoul(0.6) } },
    { index: 2, answers: { t: { ...createChoice({ a: 1, b: 0 }), orders } } },
  ]
  assert.equal(drawIndexes(rows, { by: 'disagree', size: 2 }), [0, 2])
  assert.equal(drawIndexes(rows, { by: 'disagree', size: 1 }), [2])
})

test('does not draw rows without an answer', () => {
  const failed = { error: { kind: 'server', message: 'no' } }
  const answered = { answers: { q: createNoul(0.9) } }
  assert.equal(drawIndexes([failed, answered]), [1])
})

test('adds empty labels and p after the first members of a record', () => {
  const record = {
    id: 'x',
    labels: { t: '' },
    p: 0.5,
    state: { deep: 1 },
    answers: { q: createNoul(0.9), t: createChoice({ a: 1 }), v: { type: 'vector' } },
  }
  const [drawn = {}] = drawSample([record], { size: 1 })
  const names = ['index', 'id', 'labels', 'p', 'model', 'usage', 'state', 'answers']
  assert.equal(Object.keys(drawn), names)
  assert.equal(drawn.labels, { q: null, t: null })
  assert.is(drawn.p, 0.5)
})

const certaintyRows = Array.from({ length: 100 }, (_, i) => ({
  answers: { q: createNoul(i / 100) },
}))

test('draws a share of the sample by chance from the rows that are not the least certain', () => {
  const drawn = drawSample(certaintyRows, { size: 20, explore: 0.3 })
  const certain = drawn.filter(({ p }) => p === 1)
  const byChance = drawn.filter(({ p }) => p !== 1)
  assert.is(certain.length, 14)
  assert.is(byChance.length, 6)
  for (const { index } of certain) assert.ok(Math.abs(Number(index) - 50) <= 7, `${index}`)
  for (const { p } of byChance) assert.is(p, Number((6 / 86).toPrecision(12)))
})

test('draws the same rows again with the same seed, and others with another seed', () => {
  const options = { size: 20, explore: 0.3 }
  const indexes = drawIndexes(certaintyRows, options)
  assert.equal(drawIndexes(certaintyRows, options), indexes)
  assert.not.equal(drawIndexes(certaintyRows, { ...options, seed: 1 }), indexes)
})

test('includes a smaller draw with the same seed in a larger one, with its labels', () => {
  const rows = Array.from({ length: 200 }, (_, i) => ({
    answers: { q: createNoul(((i * 37) % 101) / 100) },
  }))
  const firstIndexes = drawIndexes(rows, { size: 20, explore: 0.3 })
  const labelledRows = rows.map((row, index) =>
    firstIndexes.includes(index) ? { ...row, labels: { q: true } } : row,
  )
  const second = drawSample(labelledRows, { size: 60, explore: 0.3 })
  const labelled = second.filter(({ labels }) => (labels as RecordFields).q === true)
  assert.is(second.length, 60)
  assert.equal(
    labelled.map(({ index }) => index),
    firstIndexes,
  )
})

test('draws each row as often as its chance says', () => {
  const [draws, rows, certainRows, randomRows] = [4000, 30, 3, 5]
  /** Every tenth row is the most uncertain: three of thirty. */
  const isCertain = (row: number): boolean => row % 10 === 9
  const randomChance = randomRows / (rows - certainRows)
  const random = createRandom(9)
  const timesDrawn = new Float64Array(rows)
  for (let draw = 0; draw < draws; draw++) {
    const sampler = new Sampler<number>(certainRows, randomRows, random)
    for (let row = 0; row < rows; row++) sampler.offer(() => row, row % 10, true)
    for (const { item: row, chance } of sampler.finish()) {
      timesDrawn[row] = (timesDrawn[row] as number) + 1
      assert.is(chance, isCertain(row) ? 1 : randomChance)
    }
  }
  timesDrawn.forEach((count, row) => {
    const expected = draws * (isCertain(row) ? 1 : randomChance)
    assert.ok(Math.abs(count - expected) <= 4 * Math.sqrt(expected), `row ${row}: ${count}`)
  })
})

test('figures of a weighted sample are close to those of the whole run', () => {
  const random = createRandom(3)
  const rows = Array.from({ length: 4000 }, () => {
    const probability = random.nextFloat()
    return { answers: { q: createNoul(probability) }, truth: random.nextFloat() < probability }
  })
  const addLabels = (records: ReadonlyArray<RecordFields>): ReadonlyArray<RecordFields> =>
    records.map((record) => ({ ...record, labels: { q: record.truth } }))
  const measureAccuracy = (records: ReadonlyArray<RecordFields>): number => {
    // With more than 20,000 labelled rows the bootstrap makes fewer draws, which saves time.
    const run = { ...collectRun(records), labelled: 20_001 }
    const evaluation = evaluateRun(run, { seed: 0, byGroup: false })
    return evaluation.questions.get('q')?.figures.accuracy ?? Number.NaN
  }
  const sample = addLabels(drawSample(rows, { size: 1000, explore: 0.5 }))
  const unweightedSample = sample.map(({ p: _, ...record }) => record)
  const accuracy = measureAccuracy(addLabels(rows))
  assert.ok(Math.abs(measureAccuracy(sample) - accuracy) < 0.04)
  assert.ok(Math.abs(measureAccuracy(unweightedSample) - accuracy) > 0.05)
})

test.run()
