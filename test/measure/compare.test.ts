import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { type CompareBounds, describeExceeded } from '../../lib/measure/compare/bounds'
import { type Difference, measureDifference } from '../../lib/measure/compare/difference'
import { encodeDifference } from '../../lib/measure/compare/difference-document'
import { RunPairing } from '../../lib/measure/compare/pair-runs'
import { adjustByHolm, computeMcnemarPValue } from '../../lib/measure/statistics/hypotheses'
import { createChoice, createNoul, createRecords, createScore, type RecordFields } from './runs'

const test = suite('measure/compare')

/** Creates a SHA-256 digest in hex that differs for each number. */
const createDigest = (n: number): string => n.toString(16).padStart(64, '0')

/** Adds digests to records: the same for all questions, and a different one for each state. */
const addDigests = (rows: ReadonlyArray<RecordFields>): ReadonlyArray<RecordFields> =>
  rows.map((row, i) => ({
    state_sha256: createDigest(i),
    questions_sha256: createDigest(0),
    ...row,
  }))

/** Compares two runs. Returns the first fault as a text, after the run and line that it is in. */
const tryCompare = (
  a: ReadonlyArray<RecordFields>,
  b: ReadonlyArray<RecordFields>,
  byId = false,
): Difference | string => {
  const pairing = new RunPairing(byId)
  for (const record of createRecords(addDigests(b))) {
    const fault = pairing.addB(record)
    if (fault !== undefined) return `b ${record.line}: ${fault}`
  }
  for (const record of createRecords(addDigests(a))) {
    const fault = pairing.addA(record)
    if (fault !== undefined) return `a ${record.line}: ${fault}`
  }
  return measureDifference(pairing.finish(), { seed: 0, significant: undefined })
}

/** Compares two runs, and returns the document of `svc compare`. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the document
const compare = (...args: Parameters<typeof tryCompare>): any => {
  const difference = tryCompare(...args)
  if (typeof difference === 'string') throw new Error(difference)
  return JSON.parse(encode(encodeDifference(difference)).toString())
}

/** Creates a record with an answer to the noul question `q`. */
const createRow = (probability: number, fields: RecordFields = {}): RecordFields => ({
  answers: { q: createNoul(probability) },
  ...fields,
})

test('with --by-id, the number 1 and the string "1" are different ids', () => {
  const { q } = compare(
    [createRow(0.9, { id: 1 }), createRow(0.2, { id: '1' })],
    [createRow(0.8, { id: '1' }), createRow(0.1, { id: 1 })],
    true,
  ).questions
  assert.is(q.paired, 2)
  assert.is(q.flipped, 2)
})

test('with --by-id, pairs rows of different questions', () => {
  const document = compare(
    [
      createRow(0.9, { id: 'x', questions_sha256: createDigest(1) }),
      createRow(0.9, { id: 2 }),
      createRow(0.9),
    ],
    [createRow(0.1, { id: 2 }), createRow(0.2, { id: 'x' }), createRow(0.9)],
    true,
  )
  assert.is(document.paired, 2)
  assert.equal(document.questions.q.unpaired, { a: 1, b: 1 })
})

test('pairs rows by both digests, and rows with equal digests in their order', () => {
  const sharedState = { state_sha256: createDigest(9) }
  const otherState = { state_sha256: createDigest(77) }
  const otherQuestions = { questions_sha256: createDigest(5) }
  const document = compare(
    [
      createRow(0.9, sharedState),
      createRow(0.2, sharedState),
      createRow(0.1),
      createRow(0.5, otherState),
    ],
    [
      createRow(0.1),
      createRow(0.8, sharedState),
      createRow(0.4, { ...sharedState, ...otherQuestions }),
      createRow(0.1, sharedState),
      createRow(0.3, sharedState),
    ],
  )
  const { q } = document.questions
  assert.is(document.paired, 2, '0.9 with 0.8, and 0.2 with 0.1')
  assert.equal(q.unpaired, { a: 2, b: 3 })
  assert.is(q.mean_shift, 0.1)
  assert.is(q.agreement, 1)
})

test('lists the first hundred flips', () => {
  const a = Array.from({ length: 150 }, () => createRow(0.9))
  const b = Array.from({ length: 150 }, () => createRow(0.1))
  const { flips, flipped } = compare(a, b).questions.q
  assert.is(flips.length, 100)
  assert.is(flipped, 150)
})

/** Compares 40 labelled rows. `fieldsOf` returns more members of the records of a. */
const compareFortyRows = (fieldsOf: (i: number) => RecordFields) => {
  const labels = { q: true }
  const a = Array.from({ length: 40 }, (_, i) =>
    createRow((i % 9) / 10, { labels, ...fieldsOf(i) }),
  )
  const b = Array.from({ length: 40 }, () => createRow(0.5))
  return compare(a, b).questions.q
}

test('the bootstrap draws whole groups', () => {
  const { intervals } = compareFortyRows(() => ({}))
  assert.equal(compareFortyRows((i) => ({ group: `g${i}` })).intervals, intervals)
  assert.not.equal(compareFortyRows((i) => ({ group: i % 10 })).intervals, intervals)
})

test('has no interval if all rows are of one group', () => {
  const { intervals, why } = compareFortyRows(() => ({ group: 'all' }))
  assert.equal(intervals, {})
  assert.is(why.brier_score_difference, 'all rows are of one group')
})

test("has no p-value of McNemar's test if rows have groups", () => {
  const { mcnemar_p: p, why } = compareFortyRows((i) => ({ group: i % 10 }))
  assert.is(p, null)
  assert.is(why.mcnemar_p, 'rows in groups are not independent draws')
})

test("weights every figure by the rows' chances, and has no p-value then", () => {
  // b breaks 20 rows, which were certain to be drawn. Each of the other 40 rows represents 20 rows of the run.
  const isBroken = (i: number): boolean => i < 20
  const labels = { q: true }
  const a = Array.from({ length: 60 }, () => createRow(0.9, { labels }))
  const weightedA = a.map((row, i) => ({ ...row, p: isBroken(i) ? 1 : 0.05 }))
  const b = Array.from({ length: 60 }, (_, i) => createRow(isBroken(i) ? 0.1 : 0.9 - (i % 3) / 100))
  const unweighted = compare(a, b).questions.q
  const weighted = compare(weightedA, b).questions.q
  assert.ok(unweighted.mcnemar_p < 1e-5)
  assert.is(weighted.mcnemar_p, null)
  assert.is(weighted.why.mcnemar_p, 'rows with different weights are not independent draws')
  assert.ok(Math.abs(weighted.agreement - 800 / 820) < 1e-9)
  assert.ok(weighted.brier_score_difference < unweighted.brier_score_difference / 10)
})

test('counts a refusal as a decision without probabilities', () => {
  const refusal = { answers: { q: { type: 'refusal' } } }
  const labels = { q: true }
  const { q } = compare(
    [createRow(0.9, { labels }), { ...refusal, labels }, { ...refusal, labels }],
    [refusal, refusal, createRow(0.9)],
  ).questions
  assert.is(q.type, 'noul')
  assert.equal(q.flips, [
    { index: 0, a: 'yes', b: 'refusal' },
    { index: 2, a: 'refusal', b: 'yes' },
  ])
  assert.is(q.fixed, 1)
  assert.is(q.broken, 1)
  assert.is(q.mean_shift, null)
  assert.is(q.why.mean_shift, 'refusals have no probabilities')
})

test('refuses a label that is not a level', () => {
  const createScoreRows = (label: number) => [
    { answers: { u: createScore(0.2, 0.8) }, labels: { u: label } },
  ]
  const fault = 'labels.u: does not fit a score answer'
  assert.is(tryCompare(createScoreRows(0.5), createScoreRows(1)), `a 1: ${fault}`)
  assert.is(tryCompare(createScoreRows(1), createScoreRows(12)), `b 1: ${fault}`)
})

test("corrects p-values by Holm's method over the questions with labels", () => {
  const createRowOf = (one: number, two: number, labels: RecordFields = {}): RecordFields => ({
    answers: { one: createNoul(one), two: createNoul(two), three: createNoul(0.5) },
    labels,
  })
  const labels = { one: true, two: true }
  // b fixes all ten rows of `one`, and breaks two of `two`.
  const a = Array.from({ length: 10 }, () => createRowOf(0.1, 0.9, labels))
  const b = Array.from({ length: 10 }, (_, i) => createRowOf(0.9, i < 2 ? 0.1 : 0.9))
  const { one, two, three } = compare(a, b).questions
  const [pOfOne = 0, pOfTwo = 0] = adjustByHolm([
    computeMcnemarPValue(10, 0),
    computeMcnemarPValue(0, 2),
  ])
  assert.ok(Math.abs(one.mcnemar_p_holm - pOfOne) < 1e-9)
  assert.ok(Math.abs(two.mcnemar_p_holm - pOfTwo) < 1e-9)
  assert.is(three.mcnemar_p, undefined)
})

test('compares choices by label, whatever the order of the labels', () => {
  const a = [{ answers: { t: createChoice({ x: 0.7, y: 0.3 }) } }]
  const b = [{ answers: { t: createChoice({ y: 0.5, z: 0.1, x: 0.4 }) } }]
  const { mean_shift: meanShift, flips } = compare(a, b).questions.t
  assert.is(meanShift, 0.3)
  assert.equal(flips, [{ index: 0, a: 'x', b: 'y' }])
})

test('computes the Brier loss of a choice over all labels', () => {
  const a = [{ answers: { t: createChoice({ x: 0.7, y: 0.3 }) }, labels: { t: 'x' } }]
  const b = [{ answers: { t: createChoice({ x: 1, y: 0 }) } }]
  const { t } = compare(a, b).questions
  assert.is(t.brier_score_difference, -0.18, '0 − (0.3² + 0.3²)')
})

test('computes the ranked probability score for a score instead of the Brier loss', () => {
  const a = [{ answers: { u: createScore(1, 0) }, labels: { u: 1 } }]
  const b = [{ answers: { u: createScore(0, 1) } }]
  const { u } = compare(a, b).questions
  assert.is(u.ranked_probability_score_difference, -1)
  assert.is(u.brier_score_difference, undefined)
  assert.ok(Math.abs(u.log_loss_difference - Math.log(0.005)) < 1e-9)
})

test('answers without probabilities have no shift and no losses', () => {
  const answers = { t: { type: 'choice', choice: 'x', confidence: 1 } }
  const row = { answers, labels: { t: 'x' } }
  const { t } = compare([row], [row]).questions
  assert.is(t.agreement, 1)
  assert.is(t.mean_shift, null)
  assert.is(t.brier_score_difference, null)
  assert.is(t.why.mean_shift, '1 of 1 pair lacks probabilities')
})

test('scores without probabilities have no agreement', () => {
  const row = { answers: { u: { type: 'score', score: 1, confidence: 1 } } }
  assert.is(compare([row], [row]).questions.u.agreement, null)
})

test('refuses two rows with one id', () => {
  const rows = [createRow(0.5, { id: 'x' }), createRow(0.5, { id: 'x' })]
  assert.is(tryCompare(rows, [], true), 'a 2: an earlier row has the same id "x"')
})

test('refuses more labels than two wordings of a question can have', () => {
  const rows = [0, 1, 2].map((row) => {
    const labels = Array.from({ length: 200 }, (_, i) => [`${row}-${i}`, 0] as const)
    return { answers: { t: createChoice(Object.fromEntries(labels)) } }
  })
  assert.is(tryCompare([], rows), 'b 3: answers.t: there are more than 511 labels')
})

const noBounds: CompareBounds = {
  maxFlips: undefined,
  maxShift: undefined,
  significanceLevel: undefined,
}

/** Ten rows that are all right in `a`. b breaks eight of them. */
const runA = Array.from({ length: 10 }, () => createRow(0.9, { labels: { q: true } }))
const runB = Array.from({ length: 10 }, (_, i) => createRow(i < 8 ? 0.1 : 0.9))

const listExceeded = (bounds: Partial<CompareBounds>, a = runA): ReadonlyArray<string> => {
  const difference = tryCompare(a, runB)
  if (typeof difference === 'string') throw new Error(difference)
  return describeExceeded({ ...noBounds, ...bounds }, difference)
}

test('--max-flips limits the number of decisions that differ', () => {
  const limitFlips = (rows: number) => ({ maxFlips: { text: String(rows), allowance: { rows } } })
  assert.equal(listExceeded(limitFlips(8)), [])
  assert.equal(listExceeded(limitFlips(7)), ['--max-flips 7 (q: 8 of 10 decisions differ)'])
})

test('--max-shift limits the mean shift', () => {
  assert.equal(listExceeded({ maxShift: 0.65 }), [])
  assert.equal(listExceeded({ maxShift: 0.5 }), ['--max-shift 0.5 (q: mean_shift is 0.640)'])
})

test('--significant reports a b that is worse than a', () => {
  assert.equal(listExceeded({ significanceLevel: 0.005 }), [])
  assert.equal(listExceeded({ significanceLevel: 0.05 }), [
    '--significant 0.05 (q: 8 broken, 0 fixed, p 0.00781)',
  ])
})

test('--significant does not report a b that is better than a', () => {
  const wrongA = runA.map((row) => ({ ...row, labels: { q: false } }))
  assert.equal(listExceeded({ significanceLevel: 0.05 }, wrongA), [])
})

test.run()
