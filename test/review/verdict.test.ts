import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { judgeUnitAnswers, type UnitAnswers } from '../../lib/review/verdict'

/** A value beyond its threshold raises a flag. `accepted` names flags that do not fail the review. */
const test = suite('review: verdict')

const thresholds = { minCover: 0.6, maxContradict: 0.4, minThorough: 2 }
const cleanAnswers: UnitAnswers = {
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

test('values that equal their thresholds raise no flag', () => {
  assert.equal(judgeUnitAnswers(cleanAnswers, [], thresholds), {
    flags: [],
    staleAcceptances: [],
    failing: false,
  })
})

test('lists the accepted entries whose flag was not raised, sorted and without duplicates', () => {
  // The answers raise no flag.
  const accepted = ['weakest_area', 'thoroughness', 'adds', 'thoroughness', 'says "no"']
  const { staleAcceptances } = judgeUnitAnswers(cleanAnswers, accepted, thresholds)
  assert.equal(staleAcceptances, ['adds', 'says "no"', 'thoroughness', 'weakest_area'])
})

test.run()
