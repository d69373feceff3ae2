import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describeFlag, evaluate, type Readings } from '../../lib/review/evaluate'

const test = suite('review: evaluate')

const thresholds = { minCover: 0.6, maxContradict: 0.4, minThorough: 2 }
const clean: Readings = {
  behaviors: [
    { id: 'covers_00', behavior: 'adds', covered: 0.6 },
    { id: 'covers_01', behavior: 'says "no"', covered: 1 },
  ],
  contradictsSpec: 0.4,
  thoroughness: 2,
  thoroughnessConfidence: 0.5,
  weakestArea: 'retry',
  weakestConfidence: 0.9,
}
const bad: Readings = {
  ...clean,
  behaviors: [
    { id: 'covers_00', behavior: 'adds', covered: 0.5999 },
    { id: 'covers_01', behavior: 'says "no"', covered: 0 },
  ],
  contradictsSpec: 0.4000001,
  thoroughness: 1.5,
}
const texts = (readings: Readings, accepted: ReadonlyArray<string>) =>
  evaluate(readings, accepted, thresholds).flags.map(describeFlag)

test('values at their thresholds raise nothing', () => {
  assert.equal(evaluate(clean, [], thresholds), { flags: [], staleAcceptances: [], failing: false })
})

test('one message per crossed threshold, compared unrounded, shown with two decimals', () => {
  assert.equal(texts(bad, []), [
    'covers_00: coverage 0.60 < 0.60 for "adds"',
    'covers_01: coverage 0.00 < 0.60 for "says "no""',
    'contradicts_spec: 0.40 > 0.40',
    'thoroughness: 1.50 < 2.00',
  ])
})

test('accepted flags carry a suffix and do not fail the unit', () => {
  const all = ['thoroughness', 'adds', 'says "no"', 'contradicts_spec']
  assert.equal(texts(bad, all), [
    'covers_00: coverage 0.60 < 0.60 for "adds" (accepted)',
    'covers_01: coverage 0.00 < 0.60 for "says "no"" (accepted)',
    'contradicts_spec: 0.40 > 0.40 (accepted)',
    'thoroughness: 1.50 < 2.00 (accepted)',
  ])
  assert.is(evaluate(bad, all, thresholds).failing, false)
  assert.is(evaluate(bad, all.slice(1), thresholds).failing, true)
})

test('acceptances whose flag did not fire are stale, sorted, each once', () => {
  const accepted = ['weakest_area', 'thoroughness', 'adds', 'thoroughness', 'says "no"']
  const { staleAcceptances } = evaluate(clean, accepted, thresholds)
  assert.equal(staleAcceptances, ['adds', 'says "no"', 'thoroughness', 'weakest_area'])
})

test('an acceptance covers every behavior of that text', () => {
  const twice = { ...bad, behaviors: bad.behaviors.map((b) => ({ ...b, behavior: 'same' })) }
  const { flags } = evaluate(twice, ['same'], thresholds)
  assert.equal(
    flags.map((flag) => flag.accepted),
    [true, true, false, false],
  )
})

test.run()
