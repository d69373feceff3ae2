import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { judgeReadings, type Readings } from '../../lib/review/verdict'

const test = suite('review: verdict')

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

test('values at their thresholds raise no flag', () => {
  assert.equal(judgeReadings(clean, [], thresholds), {
    flags: [],
    staleAcceptances: [],
    failing: false,
  })
})

test('acceptances whose flag did not fire are stale, sorted, each once', () => {
  const accepted = ['weakest_area', 'thoroughness', 'adds', 'thoroughness', 'says "no"']
  const { staleAcceptances } = judgeReadings(clean, accepted, thresholds)
  assert.equal(staleAcceptances, ['adds', 'says "no"', 'thoroughness', 'weakest_area'])
})

test.run()
