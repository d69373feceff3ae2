import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { type CompareBounds, findExceeded } from '../../lib/measure/compare/bounds'
import { type Difference, measureDifference } from '../../lib/measure/compare/difference'
import { encodeDifference } from '../../lib/measure/compare/difference-document'
import { RunPairing } from '../../lib/measure/compare/pair-runs'
import { holm, mcnemarExact } from '../../lib/measure/statistics/hypotheses'
import { createChoice, createNoul, createRecords, createScore, type RecordFields } from './runs'

const test = suite('measure/compare')

const digest = (n: number): string => n.toString(16).padStart(64, '0')

/** Rows of one question set, each with a state of its own unless it names one. */
const rowsOf = (rows: ReadonlyArray<RecordFields>): ReadonlyArray<RecordFields> =>
  rows.map((row, i) => ({ state_sha256: digest(i), questions_sha256: digest(0), ...row }))

const difference = (
  a: ReadonlyArray<RecordFields>,
  b: ReadonlyArray<RecordFields>,
  byId = false,
): Difference | string => {
  const pairing = new RunPairing(byId)
  for (const record of createRecords(rowsOf(b))) {
    const fault = pairing.addB(record)
    if (fault !== undefined) return `b ${record.line}: ${fault}`
  }
  for (const record of createRecords(rowsOf(a))) {
    const fault = pairing.addA(record)
    if (fault !== undefined) return `a ${record.line}: ${fault}`
  }
  return measureDifference(pairing.finish(), { seed: 0, significant: undefined })
}

// biome-ignore lint/suspicious/noExplicitAny: a document is looked at as its reader would
const documentOf = (...args: Parameters<typeof difference>): any => {
  const found = difference(...args)
  if (typeof found === 'string') throw new Error(found)
  return JSON.parse(encode(encodeDifference(found)).toString())
}

const q = (p: number, more: RecordFields = {}): RecordFields => ({
  answers: { q: createNoul(p) },
  ...more,
})

test('by id, a number is another row than its text, and both are found in the other run', () => {
  const document = documentOf(
    [q(0.9, { id: 1 }), q(0.2, { id: '1' })],
    [q(0.8, { id: '1' }), q(0.1, { id: 1 })],
    true,
  )
  assert.is(document.questions.q.paired, 2)
  assert.is(document.questions.q.flipped, 2)
})

test('rows pair by both digests, equal ones in the order of their occurrence', () => {
  const same = { state_sha256: digest(9) }
  const document = documentOf(
    [q(0.9, same), q(0.2, same), q(0.1), q(0.5, { state_sha256: digest(77) })],
    [
      q(0.1),
      q(0.8, same),
      q(0.4, { ...same, questions_sha256: digest(5) }),
      q(0.1, same),
      q(0.3, same),
    ],
  )
  // 0.9 with 0.8 and 0.2 with 0.1.
  assert.is(document.paired, 2)
  assert.equal(document.questions.q.unpaired, { a: 2, b: 3 })
  assert.is(document.questions.q.mean_shift, 0.1)
  assert.is(document.questions.q.agreement, 1)
})

test('of many flips the first hundred are listed', () => {
  const rows = Array.from({ length: 150 }, () => q(0.9))
  const { flips, flipped } = documentOf(
    rows,
    rows.map(() => q(0.1)),
  ).questions.q
  assert.equal([flips.length, flipped], [100, 150])
})

test("draws groups as a whole, which McNemar's test does not allow", () => {
  const values = Array.from({ length: 40 }, (_, i) => (i % 9) / 10)
  const compareGroups = (groupOf: (i: number) => RecordFields) =>
    documentOf(
      values.map((p, i) => q(p, { labels: { q: true }, ...groupOf(i) })),
      values.map(() => q(0.5)),
    ).questions.q
  const { intervals } = compareGroups(() => ({}))
  const one = compareGroups(() => ({ group: 'all' }))
  assert.equal(one.intervals, {})
  assert.is(one.why.brier_score_difference, 'all rows are of one group')
  assert.equal(compareGroups((i) => ({ group: `g${i}` })).intervals, intervals)
  const four = compareGroups((i) => ({ group: i % 10 }))
  assert.not.equal(four.intervals, intervals)
  assert.is(four.mcnemar_p, null)
  assert.is(four.why.mcnemar_p, 'rows in groups are not independent draws')
})

test('weights weigh every figure, and the interval takes the place of the test', () => {
  const rows = (p: (i: number) => number, weighted: boolean) =>
    Array.from({ length: 60 }, (_, i) =>
      q(p(i), { labels: { q: true }, ...(weighted && { p: i < 20 ? 1 : 0.05 }) }),
    )
  // The 20 rows that b breaks were certain to be drawn: 1 in 41 of the whole run.
  const b = rows((i) => (i < 20 ? 0.1 : 0.9 - (i % 3) / 100), false).map(
    ({ labels: _, ...row }) => row,
  )
  const plain = documentOf(
    rows(() => 0.9, false),
    b,
  ).questions.q
  const weighted = documentOf(
    rows(() => 0.9, true),
    b,
  ).questions.q
  assert.ok(plain.mcnemar_p < 1e-5)
  assert.is(weighted.mcnemar_p, null)
  assert.is(weighted.why.mcnemar_p, 'rows with different weights are not independent draws')
  assert.ok(Math.abs(weighted.agreement - 40 / 41) < 1e-9)
  assert.ok(weighted.brier_score_difference < plain.brier_score_difference / 10)
})

test('a refusal counts as a separate decision', () => {
  const refused = { answers: { q: { type: 'refusal' } } }
  const labels = { q: true }
  const found = documentOf(
    [q(0.9, { labels }), { ...refused, labels }, { ...refused, labels }],
    [refused, refused, q(0.9)],
  ).questions.q
  assert.is(found.type, 'noul')
  assert.equal(found.flips, [
    { index: 0, a: 'yes', b: 'refusal' },
    { index: 2, a: 'refusal', b: 'yes' },
  ])
  assert.equal([found.fixed, found.broken, found.mean_shift], [1, 1, null])
  assert.is(found.why.mean_shift, 'refusals have no probabilities')
})

test('refuses a label that is not a level', () => {
  const rows = (u: number) => [{ answers: { u: createScore(0.2, 0.8) }, labels: { u } }]
  assert.is(difference(rows(0.5), rows(1)), 'a 1: labels.u: does not fit a score answer')
  assert.is(difference(rows(1), rows(12)), 'b 1: labels.u: does not fit a score answer')
})

test("Holm's correction is over the questions with labels", () => {
  const row = (one: number, two: number, labels: RecordFields = {}): RecordFields => ({
    answers: { one: createNoul(one), two: createNoul(two), three: createNoul(0.5) },
    labels,
  })
  const labels = { one: true, two: true }
  const a = Array.from({ length: 10 }, () => row(0.1, 0.9, labels))
  const b = Array.from({ length: 10 }, (_, i) => row(0.9, i < 2 ? 0.1 : 0.9))
  const { one, two, three } = documentOf(a, b).questions
  const [first, second] = holm([mcnemarExact(10, 0), mcnemarExact(0, 2)])
  assert.ok(Math.abs(one.mcnemar_p_holm - (first as number)) < 1e-9)
  assert.ok(Math.abs(two.mcnemar_p_holm - (second as number)) < 1e-9)
  assert.is(three.mcnemar_p, undefined)
})

test('choices are compared by label, whatever the order', () => {
  const a = [{ answers: { t: createChoice({ x: 0.7, y: 0.3 }) } }]
  const b = [{ answers: { t: createChoice({ y: 0.5, z: 0.1, x: 0.4 }) } }]
  const { mean_shift: shift, flips } = documentOf(a, b).questions.t
  assert.is(shift, 0.3)
  assert.equal(flips, [{ index: 0, a: 'x', b: 'y' }])
})

test('losses of choices and scores are over all labels', () => {
  const a = [
    {
      answers: { t: createChoice({ x: 0.7, y: 0.3 }), u: createScore(1, 0) },
      labels: { t: 'x', u: 1 },
    },
  ]
  const b = [{ answers: { t: createChoice({ x: 1, y: 0 }), u: createScore(0, 1) } }]
  const { t, u } = documentOf(a, b).questions
  assert.is(t.brier_score_difference, -0.18)
  // One of two levels is off by one level.
  assert.is(u.ranked_probability_score_difference, -1)
  assert.is(u.brier_score_difference, undefined)
  assert.ok(Math.abs(u.log_loss_difference - Math.log(0.005)) < 1e-9)
})

test('by id, two wordings pair', () => {
  const a = [q(0.9, { id: 'x', questions_sha256: digest(1) }), q(0.9, { id: 2 }), q(0.9)]
  const b = [q(0.1, { id: 2 }), q(0.2, { id: 'x' }), q(0.9)]
  const document = documentOf(a, b, true)
  assert.is(document.paired, 2)
  assert.equal(document.questions.q.unpaired, { a: 1, b: 1 })
})

test('answers without probabilities have no shift and no losses', () => {
  const bare = {
    answers: { t: { type: 'choice', choice: 'x', confidence: 1 } },
    labels: { t: 'x' },
  }
  const found = documentOf([bare], [bare]).questions.t
  assert.equal([found.agreement, found.mean_shift, found.brier_score_difference], [1, null, null])
  assert.is(found.why.mean_shift, '1 of 1 pair lacks probabilities')
  const level = { answers: { u: { type: 'score', score: 1, confidence: 1 } } }
  assert.is(documentOf([level], [level]).questions.u.agreement, null)
})

const faults: ReadonlyArray<
  readonly [string, ReadonlyArray<RecordFields>, ReadonlyArray<RecordFields>, boolean?]
> = [
  [
    'b 3: answers.t: there are more than 511 labels',
    [],
    [0, 1, 2].map((row) => {
      const labels = Array.from({ length: 200 }, (_, i) => [`${row}-${i}`, 0] as const)
      return { answers: { t: createChoice(Object.fromEntries(labels)) } }
    }),
  ],
  ['a 2: an earlier row has the same id "x"', [q(0.5, { id: 'x' }), q(0.5, { id: 'x' })], [], true],
]

for (const [message, a, b, byId] of faults)
  test(message, () => {
    assert.is(difference(a, b, byId), message)
  })

const within = (
  bounds: Partial<CompareBounds>,
  a: ReadonlyArray<RecordFields>,
  b: ReadonlyArray<RecordFields>,
) => {
  const found = difference(a, b)
  if (typeof found === 'string') throw new Error(found)
  return findExceeded(
    { flips: undefined, shift: undefined, significant: undefined, ...bounds },
    found,
  )
}

test('bounds', () => {
  const a = Array.from({ length: 10 }, () => q(0.9, { labels: { q: true } }))
  const b = Array.from({ length: 10 }, (_, i) => q(i < 8 ? 0.1 : 0.9))
  const flips = (rows: number) => ({ flips: { text: String(rows), allowance: { rows } } })
  assert.equal(within(flips(8), a, b), [])
  assert.equal(within(flips(7), a, b), ['--max-flips 7 (q: 8 of 10 decisions differ)'])
  assert.equal(within({ shift: 0.65 }, a, b), [])
  assert.equal(within({ shift: 0.5 }, a, b), ['--max-shift 0.5 (q: mean_shift is 0.640)'])
  assert.equal(within({ significant: 0.005 }, a, b), [])
  assert.equal(within({ significant: 0.05 }, a, b), [
    '--significant 0.05 (q: 8 broken, 0 fixed, p 0.00781)',
  ])
  // An improvement is not a worsening.
  const fixed = a.map(({ labels: _, ...row }) => ({ ...row, labels: { q: false } }))
  assert.equal(within({ significant: 0.05 }, fixed, b), [])
})

test.run()
