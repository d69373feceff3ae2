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

const sampled = (
  rows: ReadonlyArray<RecordFields>,
  options: Partial<SampleOptions> = {},
): ReadonlyArray<RecordFields> => {
  const draw = new SampleDraw({ size: 2, by: 'margin', explore: 0, seed: 0, ...options })
  for (const record of createRecords(rows)) draw.add(withRecordLabels(record))
  return (draw.finish() ?? []).map((row) =>
    JSON.parse(encode(encodeSampledRow(row, undefined)).toString()),
  )
}

const indexes = (...args: Parameters<typeof sampled>) => sampled(...args).map(({ index }) => index)

test('the least certain rows by the smallest margin of their questions', () => {
  const rows = [
    { answers: { q: createNoul(0.9) } },
    { answers: { q: createNoul(0.9), t: createChoice({ a: 0.5, b: 0.45, c: 0.05 }) } },
    { answers: { q: createNoul(0.45) } },
    { answers: { u: createScore(0.1, 0.6, 0.3) } },
    { answers: { t: createChoice({ only: 0.2 }) } },
  ]
  assert.equal(indexes(rows), [1, 2])
  assert.equal(indexes(rows, { size: 3 }), [1, 2, 4])
  assert.equal(indexes(rows, { size: 9 }), [0, 1, 2, 3, 4])
})

test('the seed, not the order, decides between rows that are equally uncertain', () => {
  const rows = Array.from({ length: 500 }, () => ({ answers: { q: createNoul(0.5) } }))
  const places = indexes(rows, { size: 50 }).map(Number)
  assert.ok(places.filter((place) => place < 100).length < 25, `${places}`)
  assert.ok(places.filter((place) => place >= 250).length > 10, `${places}`)
})

test('of rows with equal states only the first can be among the least certain', () => {
  const row = (state: string, p: number) => ({
    state_sha256: state.repeat(64),
    answers: { q: createNoul(p) },
  })
  const rows = [row('a', 0.5), row('a', 0.5), row('b', 0.6), row('a', 0.5), row('c', 0.9)]
  assert.equal(indexes(rows, { size: 2 }), [0, 2])
})

test('by disagreement of repeats and of orders', () => {
  const rows = [
    { index: 0, run: 0, answers: { q: createNoul(0.9) } },
    { index: 0, run: 1, answers: { q: createNoul(0.1) } },
    { index: 0, run: 2, answers: { q: createNoul(0.8) } },
    { index: 1, run: 0, answers: { q: createNoul(0.5) } },
    { index: 1, run: 1, answers: { q: createNoul(0.6) } },
    {
      index: 2,
      answers: { t: { ...createChoice({ a: 1, b: 0 }), orders: { n: 4, spread: 0.1, flips: 3 } } },
    },
  ]
  assert.equal(indexes(rows, { by: 'disagree' }), [0, 2])
  assert.equal(indexes(rows, { by: 'disagree', size: 1 }), [2])
})

test('rows that were not answered cannot be labelled', () => {
  const failed = { error: { kind: 'server', message: 'no' } }
  assert.equal(indexes([failed, { answers: { q: createNoul(0.9) } }]), [1])
})

test('adds empty labels and then p to the record, whose order stays', () => {
  const [row] = sampled(
    [
      {
        id: 'x',
        labels: { t: '' },
        p: 0.5,
        state: { deep: 1 },
        answers: { q: createNoul(0.9), t: createChoice({ a: 1 }), v: { type: 'vector' } },
      },
    ],
    { size: 1 },
  )
  assert.equal(Object.keys(row as RecordFields), [
    'index',
    'id',
    'labels',
    'p',
    'model',
    'usage',
    'state',
    'answers',
  ])
  assert.equal((row as RecordFields).labels, { q: null, t: null })
  assert.is((row as RecordFields).p, 0.5)
})

test('rows drawn by chance divide the remaining rows evenly', () => {
  const rows = Array.from({ length: 100 }, (_, i) => ({ answers: { q: createNoul(i / 100) } }))
  const drawn = sampled(rows, { size: 20, explore: 0.3 })
  const certain = drawn.filter(({ p }) => p === 1)
  assert.is(drawn.length, 20)
  assert.is(certain.length, 14)
  assert.ok(certain.every(({ index }) => Math.abs(Number(index) - 50) <= 7))
  for (const { p } of drawn.filter((row) => row.p !== 1))
    assert.is(p, Number((6 / 86).toPrecision(12)))
  assert.equal(sampled(rows, { size: 20, explore: 0.3 }), drawn)
  assert.not.equal(
    indexes(rows, { size: 20, explore: 0.3, seed: 1 }),
    drawn.map(({ index }) => index),
  )
})

test('a larger draw with the same seed holds the smaller one, with the labels that are known', () => {
  const rows = Array.from({ length: 200 }, (_, i) => ({
    answers: { q: createNoul(((i * 37) % 101) / 100) },
  }))
  const first = sampled(rows, { size: 20, explore: 0.3 })
  const known = new Map(first.map(({ index }) => [index, { q: true }]))
  const labelled = rows.map((row, index) => ({
    ...row,
    ...(known.has(index) && { labels: { q: true } }),
  }))
  const second = sampled(labelled, { size: 60, explore: 0.3 })
  assert.is(second.length, 60)
  assert.equal(
    second.filter(({ labels }) => (labels as RecordFields).q === true).map(({ index }) => index),
    first.map(({ index }) => index),
  )
})

test('draws every row as often as its chance says, at any place', () => {
  const counts = new Float64Array(30)
  const random = createRandom(9)
  for (let draw = 0; draw < 4000; draw++) {
    const sampler = new Sampler<number>(3, 5, random)
    for (let i = 0; i < 30; i++) sampler.offer(() => i, i % 10, true)
    for (const { item, chance } of sampler.finish()) {
      counts[item] = (counts[item] as number) + 1
      assert.is(chance, item % 10 === 9 ? 1 : 5 / 27)
    }
  }
  counts.forEach((count, i) => {
    const expected = i % 10 === 9 ? 4000 : (4000 * 5) / 27
    assert.ok(Math.abs(count - expected) <= 4 * Math.sqrt(expected), `row ${i}: ${count}`)
  })
})

test('a sample, labelled and weighted, measures the whole run', () => {
  const random = createRandom(3)
  const rows = Array.from({ length: 4000 }, () => {
    const p = random.unit()
    return { answers: { q: createNoul(p) }, truth: random.unit() < p }
  })
  const all = collectRun(rows.map(({ answers, truth }) => ({ answers, labels: { q: truth } })))
  const drawn = sampled(rows, { size: 1000, explore: 0.5 }).map((row) => ({
    ...row,
    labels: { q: row.truth },
  }))
  const accuracy = (run: typeof all): number =>
    evaluateRun({ ...run, labelled: 20_001 }, { seed: 0, byGroup: false }).questions.get('q')
      ?.figures.accuracy ?? Number.NaN
  const unweighted = accuracy(collectRun(drawn.map(({ p: _, ...row }: RecordFields) => row)))
  assert.ok(Math.abs(accuracy(collectRun(drawn)) - accuracy(all)) < 0.04)
  assert.ok(Math.abs(unweighted - accuracy(all)) > 0.05)
})

test.run()
