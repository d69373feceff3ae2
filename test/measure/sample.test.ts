import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/json/draft'
import { evaluate } from '../../lib/measure/evaluate'
import {
  createSampling,
  describeSampled,
  type SampleOptions,
} from '../../lib/measure/sample/sample'
import { Sampler } from '../../lib/measure/sample/sampler'
import { createRandom } from '../../lib/statistics/random'
import { collected, noul, type Row, records } from './runs'

const test = suite('measure/sample')

const sampled = (
  rows: ReadonlyArray<Row>,
  options: Partial<SampleOptions> = {},
): ReadonlyArray<Row> => {
  const { add, finish } = createSampling({ size: 2, by: 'margin', explore: 0, seed: 0, ...options })
  for (const record of records(rows)) add(record)
  return (finish() ?? []).map((row) =>
    JSON.parse(encode(describeSampled(row, undefined)).toString()),
  )
}

const indexes = (...args: Parameters<typeof sampled>) => sampled(...args).map(({ index }) => index)

test('the seed, not the order, decides between rows that are equally uncertain', () => {
  const rows = Array.from({ length: 500 }, () => ({ answers: { q: noul(0.5) } }))
  const places = indexes(rows, { size: 50 }).map(Number)
  assert.ok(places.filter((place) => place < 100).length < 25, `${places}`)
  assert.ok(places.filter((place) => place >= 250).length > 10, `${places}`)
})

test('rows by chance share what is left evenly', () => {
  const rows = Array.from({ length: 100 }, (_, i) => ({ answers: { q: noul(i / 100) } }))
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

test('every row is drawn as often as its chance says, wherever it stands', () => {
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
    return { answers: { q: noul(p) }, truth: random.unit() < p }
  })
  const all = collected(rows.map(({ answers, truth }) => ({ answers, labels: { q: truth } })))
  const drawn = sampled(rows, { size: 1000, explore: 0.5 }).map((row) => ({
    ...row,
    labels: { q: row.truth },
  }))
  const accuracy = (run: typeof all): number =>
    evaluate({ ...run, labelled: 20_001 }, { seed: 0, byGroup: false }).questions.get('q')?.figures
      .accuracy ?? Number.NaN
  const unweighted = accuracy(collected(drawn.map(({ p: _, ...row }: Row) => row)))
  assert.ok(Math.abs(accuracy(collected(drawn)) - accuracy(all)) < 0.03)
  assert.ok(Math.abs(unweighted - accuracy(all)) > 0.05)
})

test.run()
