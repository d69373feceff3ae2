import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { type CompareBounds, describeExceeded } from '../../lib/measure/compare/bounds'
import { type Difference, measureDifference } from '../../lib/measure/compare/difference'
import { encodeDifference } from '../../lib/measure/compare/difference-document'
import { RunPairing } from '../../lib/measure/compare/pair-runs'
import { adjustByHolm, computeMcnemarPValue } from '../../lib/measure/statistics/hypotheses'
import { createChoice, createNoul, createRecords, createScore, type RecordFields } from './runs'

/**
 * Two runs, a and b, are compared row by row. A flip is a row whose decision differs. It is fixed if only b has the label of the row,
 * and broken if only a has it.
 */
const test = suite('measure/compare')

/** Creates a text that looks like a SHA-256 digest, and differs for each number. */
const createDigest = (number: number): string => number.toString(16).padStart(64, '0')

/** Adds digests to records without them: the same for all questions, and a different one for each state. */
const addDigests = (rows: ReadonlyArray<RecordFields>): ReadonlyArray<RecordFields> =>
  rows.map((row, i) => ({
    state_sha256: createDigest(i),
    questions_sha256: createDigest(0),
    ...row,
  }))

/** Compares two runs. Fails with the first fault. Its text begins with the run and the line, such as `a 2: `. */
const tryCompare = (
  a: ReadonlyArray<RecordFields>,
  b: ReadonlyArray<RecordFields>,
  { byId } = { byId: false },
): E.Either<string, Difference> => {
  const pairing = new RunPairing(byId)
  // Pairing takes all of b first. Then each row of a looks for its partner.
  for (const record of createRecords(addDigests(b))) {
    const fault = pairing.addB(record)
    if (fault !== undefined) return E.left(`b ${record.line}: ${fault}`)
  }
  for (const record of createRecords(addDigests(a))) {
    const fault = pairing.addA(record)
    if (fault !== undefined) return E.left(`a ${record.line}: ${fault}`)
  }
  return E.right(measureDifference(pairing.finish(), { seed: 0, significant: undefined }))
}

/** Compares two runs. Throws on a fault. */
const compareRuns = (...args: Parameters<typeof tryCompare>): Difference => {
  const difference = tryCompare(...args)
  if (E.isLeft(difference)) throw new Error(difference.left)
  return difference.right
}

/** Compares two runs, and returns the document of `svc compare`. Throws on a fault. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the document
const compareToDocument = (...args: Parameters<typeof tryCompare>): any =>
  JSON.parse(encode(encodeDifference(compareRuns(...args))).toString())

/** Creates a record with a noul, the answer to the yes/no question `isBug`. `fields` are more members of the record. */
const createRow = (probability: number, fields: RecordFields = {}): RecordFields => ({
  answers: { isBug: createNoul(probability) },
  ...fields,
})

test('with --by-id, the number 1 and the string "1" are different ids', () => {
  const { isBug } = compareToDocument(
    [createRow(0.9, { id: 1 }), createRow(0.2, { id: '1' })],
    [createRow(0.8, { id: '1' }), createRow(0.1, { id: 1 })],
    { byId: true },
  ).questions
  assert.is(isBug.paired, 2)
  assert.is(isBug.flipped, 2)
})

test('with --by-id, pairs rows of different questions', () => {
  const document = compareToDocument(
    [
      createRow(0.9, { id: 'x', questions_sha256: createDigest(1) }),
      createRow(0.9, { id: 2 }),
      createRow(0.9),
    ],
    [createRow(0.1, { id: 2 }), createRow(0.2, { id: 'x' }), createRow(0.9)],
    { byId: true },
  )
  assert.is(document.paired, 2)
  assert.equal(document.questions.isBug.unpaired, { a: 1, b: 1 })
})

test('pairs rows by both digests, and rows with equal digests in their order', () => {
  const sharedState = { state_sha256: createDigest(9) }
  const otherState = { state_sha256: createDigest(77) }
  const otherQuestions = { questions_sha256: createDigest(5) }
  const document = compareToDocument(
    // `addDigests` gives the other rows the state digest of their index.
    [
      createRow(0.9, sharedState), // pairs with 0.8
      createRow(0.2, sharedState), // pairs with 0.1
      createRow(0.1), // state 2
      createRow(0.5, otherState),
    ],
    [
      createRow(0.1), // state 0, which a does not have
      createRow(0.8, sharedState),
      createRow(0.4, { ...sharedState, ...otherQuestions }),
      createRow(0.1, sharedState),
      createRow(0.3, sharedState), // left over: a has only two rows of this state
    ],
  )
  const { isBug } = document.questions
  assert.is(document.paired, 2)
  assert.equal(isBug.unpaired, { a: 2, b: 3 })
  assert.is(isBug.mean_shift, 0.1, 'the mean of |0.8 − 0.9| and |0.1 − 0.2|')
  assert.is(isBug.agreement, 1)
})

test('lists the first hundred flips', () => {
  const a = Array.from({ length: 150 }, () => createRow(0.9))
  const b = Array.from({ length: 150 }, () => createRow(0.1))
  const { flips, flipped } = compareToDocument(a, b).questions.isBug
  assert.is(flips.length, 100)
  assert.is(flipped, 150)
})

/** Compares 40 labelled rows. `createFields` returns more members of the record of a at an index. */
const compareFortyRows = (createFields: (i: number) => RecordFields) => {
  const labels = { isBug: true }
  const a = Array.from({ length: 40 }, (_, i) =>
    createRow((i % 9) / 10, { labels, ...createFields(i) }),
  )
  const b = Array.from({ length: 40 }, () => createRow(0.5))
  return compareToDocument(a, b).questions.isBug
}

test('the bootstrap draws whole groups', () => {
  const { intervals } = compareFortyRows(() => ({}))
  // Groups of one row each are drawn like rows.
  assert.equal(compareFortyRows((i) => ({ group: `g${i}` })).intervals, intervals)
  assert.not.equal(compareFortyRows((i) => ({ group: i % 10 })).intervals, intervals)
})

test('has no interval if all rows are of one group', () => {
  const { intervals, why } = compareFortyRows(() => ({ group: 'all' }))
  assert.equal(intervals, {})
  assert.is(why.brier_score_difference, 'all rows are of one group')
})

test("has no p-value of McNemar's test if rows have groups", () => {
  const { mcnemar_p: pValue, why } = compareFortyRows((i) => ({ group: i % 10 }))
  assert.is(pValue, null)
  assert.is(why.mcnemar_p, 'rows in groups are not independent draws')
})

test('weights every figure by 1/p, with the probability p with which a row was drawn, and has no p-value then', () => {
  // b breaks 20 rows, which were certain to be drawn. Each of the other 40 rows represents 20 rows of the run.
  const isBroken = (i: number): boolean => i < 20
  const labels = { isBug: true }
  const a = Array.from({ length: 60 }, () => createRow(0.9, { labels }))
  const weightedA = a.map((row, i) => ({ ...row, p: isBroken(i) ? 1 : 0.05 }))
  const b = Array.from({ length: 60 }, (_, i) => createRow(isBroken(i) ? 0.1 : 0.9))
  const unweighted = compareToDocument(a, b).questions.isBug
  const weighted = compareToDocument(weightedA, b).questions.isBug
  assert.ok(unweighted.mcnemar_p < 1e-5)
  assert.is(weighted.mcnemar_p, null)
  assert.is(weighted.why.mcnemar_p, 'rows with different weights are not independent draws')
  // The 40 rows that agree represent 800 rows, those that differ 20.
  assert.ok(Math.abs(weighted.agreement - 800 / 820) < 1e-9)
  assert.ok(weighted.brier_score_difference < unweighted.brier_score_difference / 10)
})

test('counts a refusal as a decision without probabilities', () => {
  const refusal = { answers: { isBug: { type: 'refusal' } } }
  const labels = { isBug: true }
  const { isBug } = compareToDocument(
    [createRow(0.9, { labels }), { ...refusal, labels }, { ...refusal, labels }],
    [refusal, refusal, createRow(0.9)],
  ).questions
  assert.is(isBug.type, 'noul')
  assert.equal(isBug.flips, [
    { index: 0, a: 'yes', b: 'refusal' },
    { index: 2, a: 'refusal', b: 'yes' },
  ])
  assert.is(isBug.fixed, 1)
  assert.is(isBug.broken, 1)
  assert.is(isBug.mean_shift, null)
  assert.is(isBug.why.mean_shift, 'refusals have no probabilities')
})

test('refuses a label that is not a level', () => {
  const createScoreRows = (label: number) => [
    { answers: { urgency: createScore(0.2, 0.8) }, labels: { urgency: label } },
  ]
  const fault = 'labels.urgency: does not fit a score answer'
  assert.equal(tryCompare(createScoreRows(0.5), createScoreRows(1)), E.left(`a 1: ${fault}`))
  assert.equal(tryCompare(createScoreRows(1), createScoreRows(12)), E.left(`b 1: ${fault}`))
})

test("corrects p-values by Holm's method over the questions with labels", () => {
  const answerThree = (one: number, two: number): RecordFields => ({
    answers: { one: createNoul(one), two: createNoul(two), three: createNoul(0.5) },
  })
  // b fixes all ten rows of `one`, and breaks two of `two`. The question `three` has no labels.
  const labels = { one: true, two: true }
  const a = Array.from({ length: 10 }, () => ({ ...answerThree(0.1, 0.9), labels }))
  const b = Array.from({ length: 10 }, (_, i) => answerThree(0.9, i < 2 ? 0.1 : 0.9))
  const { one, two, three } = compareToDocument(a, b).questions
  const [pOfOne = 0, pOfTwo = 0] = adjustByHolm([
    computeMcnemarPValue(10, 0),
    computeMcnemarPValue(0, 2),
  ])
  assert.ok(Math.abs(one.mcnemar_p_holm - pOfOne) < 1e-9)
  assert.ok(Math.abs(two.mcnemar_p_holm - pOfTwo) < 1e-9)
  assert.is(three.mcnemar_p, undefined)
})

test('compares choices by label, whatever the order of the labels', () => {
  const a = [{ answers: { team: createChoice({ x: 0.7, y: 0.3 }) } }]
  const b = [{ answers: { team: createChoice({ y: 0.5, z: 0.1, x: 0.4 }) } }]
  const { mean_shift: meanShift, flips } = compareToDocument(a, b).questions.team
  assert.is(meanShift, 0.3)
  assert.equal(flips, [{ index: 0, a: 'x', b: 'y' }])
})

test('computes the Brier loss of a choice over all labels', () => {
  const a = [{ answers: { team: createChoice({ x: 0.7, y: 0.3 }) }, labels: { team: 'x' } }]
  const b = [{ answers: { team: createChoice({ x: 1, y: 0 }) } }]
  const { team } = compareToDocument(a, b).questions
  assert.is(team.brier_score_difference, -0.18, '0 − (0.3² + 0.3²)')
})

test('computes the ranked probability score for a score instead of the Brier loss', () => {
  const a = [{ answers: { urgency: createScore(1, 0) }, labels: { urgency: 1 } }]
  const b = [{ answers: { urgency: createScore(0, 1) } }]
  const { urgency } = compareToDocument(a, b).questions
  assert.is(urgency.ranked_probability_score_difference, -1)
  assert.is(urgency.brier_score_difference, undefined)
  // The difference is the loss of b minus the loss of a. b gives the right level the probability 1, and has a loss of 0.
  // a gives it the probability 0, which is clipped to 0.005. Its loss is −ln 0.005.
  assert.ok(Math.abs(urgency.log_loss_difference - Math.log(0.005)) < 1e-9)
})

test('answers without probabilities have no shift and no losses', () => {
  const answers = { team: { type: 'choice', choice: 'x', confidence: 1 } }
  const row = { answers, labels: { team: 'x' } }
  const { team } = compareToDocument([row], [row]).questions
  assert.is(team.agreement, 1)
  assert.is(team.mean_shift, null)
  assert.is(team.brier_score_difference, null)
  assert.is(team.why.mean_shift, '1 of 1 pair lacks probabilities')
})

test('scores without probabilities have no agreement', () => {
  const row = { answers: { urgency: { type: 'score', score: 1, confidence: 1 } } }
  assert.is(compareToDocument([row], [row]).questions.urgency.agreement, null)
})

test('refuses two rows with one id', () => {
  const rows = [createRow(0.5, { id: 'x' }), createRow(0.5, { id: 'x' })]
  assert.equal(
    tryCompare(rows, [], { byId: true }),
    E.left('a 2: an earlier row has the same id "x"'),
  )
})

test('refuses more labels than two wordings of a question can have', () => {
  // Three rows have 200 other labels each. Two wordings have at most 2 · 255 labels. A refusal counts as one more, so 511 are allowed.
  const rows = [0, 1, 2].map((row) => {
    const labels = Array.from({ length: 200 }, (_, i) => [`${row}-${i}`, 0] as const)
    return { answers: { team: createChoice(Object.fromEntries(labels)) } }
  })
  assert.equal(tryCompare([], rows), E.left('b 3: answers.team: there are more than 511 labels'))
})

const noBounds: CompareBounds = {
  maxFlips: undefined,
  maxShift: undefined,
  significanceLevel: undefined,
  margin: undefined,
}

/** Ten rows that are all answered rightly. */
const runA = Array.from({ length: 10 }, () => createRow(0.9, { labels: { isBug: true } }))
/** The same ten rows, of which eight are answered wrongly. */
const runB = Array.from({ length: 10 }, (_, i) => createRow(i < 8 ? 0.1 : 0.9))

/** Compares `a` with `runB`, and describes the exceeded limits. */
const listExceeded = (bounds: Partial<CompareBounds>, a = runA): ReadonlyArray<string> =>
  describeExceeded({ ...noBounds, ...bounds }, compareRuns(a, runB))

test('--max-flips limits the number of decisions that differ', () => {
  const limitFlips = (rows: number) => ({ maxFlips: { text: String(rows), allowance: { rows } } })
  assert.equal(listExceeded(limitFlips(8)), [])
  assert.equal(listExceeded(limitFlips(7)), ['--max-flips 7 (isBug: 8 of 10 decisions differ)'])
})

test('--max-shift limits the mean shift', () => {
  // Eight of ten rows shift by 0.8, a mean of 0.64.
  assert.equal(listExceeded({ maxShift: 0.65 }), [])
  assert.equal(listExceeded({ maxShift: 0.5 }), ['--max-shift 0.5 (isBug: mean_shift is 0.640)'])
})

test('--significant reports a run b that is worse than a', () => {
  // McNemar's test of eight broken rows and no fixed one: 2 · 0.5⁸ = 0.0078.
  assert.equal(listExceeded({ significanceLevel: 0.005 }), [])
  assert.equal(listExceeded({ significanceLevel: 0.05 }), [
    '--significant 0.05 (isBug: 8 broken, 0 fixed, p 0.00781)',
  ])
})

test('--significant does not report a run b that is better than a', () => {
  const wrongA = runA.map((row) => ({ ...row, labels: { isBug: false } }))
  assert.equal(listExceeded({ significanceLevel: 0.05 }, wrongA), [])
})

/** Compares 24 labelled rows, of which b breaks four and fixes none. `fields` are more members of each row. */
const compareBroken = (fields: RecordFields = {}) => {
  const a = Array.from({ length: 24 }, () => createRow(0.9, { labels: { isBug: true }, ...fields }))
  const b = Array.from({ length: 24 }, (_, i) => createRow(i < 4 ? 0.1 : 0.9))
  return [a, b] as const
}

test('measures both accuracies and the interval of their change', () => {
  const { isBug } = compareToDocument(...compareBroken()).questions
  assert.is(isBug.accuracy.a, 1)
  assert.is(isBug.accuracy.b.toFixed(4), '0.8333')
  // n = 24 and z = 1.96, so n + z² = 27.84. With added rows, (4 + z²/2)/27.84 = 0.2127 are broken and none is fixed:
  // −0.2127 − z·√((0.2127 − 0.2127²)/27.84) = −0.3647. With broken and fixed exchanged, the bound is −0.0944.
  assert.is(isBug.change.difference.toFixed(4), '-0.1667')
  assert.is(isBug.change.low.toFixed(4), '-0.3647')
  assert.is(isBug.change.high.toFixed(4), '0.0944')
})

test('a refusal is not right', () => {
  const [a, b] = compareBroken()
  const refusals = b.map((row, i) => (i < 4 ? { answers: { isBug: { type: 'refusal' } } } : row))
  const { isBug } = compareToDocument(a, refusals).questions
  assert.equal([isBug.labelled, isBug.broken], [24, 4])
  assert.is(isBug.accuracy.b.toFixed(4), '0.8333')
})

test('the change has no interval with one to nine groups', () => {
  const { isBug } = compareToDocument(...compareBroken({ group: 'x' })).questions
  assert.is(isBug.change, null)
  assert.is(isBug.why.change, 'all rows are of one group')
  assert.is(isBug.accuracy.a, 1)
})

test('--margin needs labels that show how much accuracy b loses at most', () => {
  const [a, b] = compareBroken()
  const exceed = (margin: number, rows: ReadonlyArray<RecordFields> = a) =>
    describeExceeded({ ...noBounds, margin }, compareRuns(rows, b))
  // The one-sided bound has z = 1.645, so n + z² = 26.71 and (4 + z²/2)/26.71 = 0.2004: −0.2004 − z·√(0.1603/26.71) = −0.3278.
  assert.equal(exceed(0.33), [])
  assert.equal(exceed(0.32), [
    '--margin 0.32 (isBug: the accuracy changes by -16.7 points, surely by at least -32.8)',
  ])
  const [grouped] = compareBroken({ group: 'x' })
  assert.equal(exceed(0.9, grouped), ['--margin 0.9 (isBug: change: all rows are of one group)'])
})

test('--margin fails with few labels, even if no row is broken', () => {
  const rows = Array.from({ length: 10 }, () => createRow(0.9, { labels: { isBug: true } }))
  const exceeded = describeExceeded({ ...noBounds, margin: 0.02 }, compareRuns(rows, rows))
  assert.is(exceeded.length, 1)
})

test.run()
