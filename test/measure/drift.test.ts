import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { DecisionCollector } from '../../lib/measure/drift/collect-decisions'
import {
  type Drift,
  describeExceededDrift,
  encodeDrift,
  tabulateDrift,
} from '../../lib/measure/drift/drift-report'
import { measureDrift } from '../../lib/measure/drift/measure-drift'
import { createRandom } from '../../lib/runtime/random'
import { countAlarms } from '../bench/drift'
import { readVectors } from '../support/vectors'
import { createChoice, createNoul, createRecords, createScore, type RecordFields } from './runs'

/** Two runs, a and b, whose rows are not the same. Their decisions are compared by how often each comes. */
const test = suite('measure/drift')

const collect = (a: ReadonlyArray<RecordFields>, b: ReadonlyArray<RecordFields>) => {
  const collector = new DecisionCollector()
  const faults = [
    ...createRecords(b).map((record) => collector.add('b', record)),
    ...createRecords(a).map((record) => collector.add('a', record)),
  ].filter((fault) => fault !== undefined)
  return { collector, faults }
}

const measure = (a: ReadonlyArray<RecordFields>, b: ReadonlyArray<RecordFields>): Drift => {
  const { collector, faults } = collect(a, b)
  assert.equal(faults, [])
  return { counts: collector, seed: 0, questions: measureDrift(collector.commonQuestions(), 0) }
}

/** Returns the document of `svc compare --unpaired`. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the document
const toDocument = (drift: Drift): any => JSON.parse(encode(encodeDrift(drift)).toString())

/** Creates rows of a yes/no question. */
const createNouls = (yes: number, no: number, fields: RecordFields = {}) =>
  Array.from({ length: yes + no }, (_, i) => ({
    answers: { billing: createNoul(i < yes ? 0.9 : 0.2) },
    ...fields,
  }))

test('the figures of a yes/no question', () => {
  const drift = measure(createNouls(54, 146), createNouls(140, 260))
  const { billing } = toDocument(drift).questions
  assert.equal(billing.n, { a: 200, b: 400 })
  assert.is(billing.decisions.yes.a, 0.27)
  assert.is(billing.decisions.yes.b, 0.35)
  assert.is(billing.shift, 0.08)
  assert.equal(billing.mean, { a: 0.389, b: 0.445 })
  assert.is(billing.p_holm, billing.p)
  assert.match(
    tabulateDrift(drift),
    /^billing: 27 % yes before, 35 % now \(\+8 points, surely \S+ to \+15\)\nbilling: p is 0\.048 if/m,
  )
})

test('the shift is that of the vectors', () => {
  const { cases } = readVectors<{
    cases: ReadonlyArray<{ a: number[]; b: number[]; shift: number }>
  }>('drift.json')
  for (const { a, b, shift } of cases.filter(({ b }) => b.length > 2 && b[0] !== undefined)) {
    const create = (counts: ReadonlyArray<number>) =>
      counts.flatMap((count, k) =>
        Array.from({ length: count }, () => ({ answers: { q: createChoice({ [`l${k}`]: 1 }) } })),
      )
    const actual = toDocument(measure(create(a), create(b))).questions.q.shift
    assert.ok(Math.abs(actual - shift) < 1e-11)
  }
})

test('a refusal is a decision of its own, and levels come in their order', () => {
  const refusal = { answers: { q: { type: 'refusal' } } }
  const low = { answers: { q: createScore(0.9, 0.1) } }
  const high = { answers: { q: createScore(0.1, 0.9) } }
  const { q } = toDocument(measure([refusal, high, low], [low, low])).questions
  assert.equal(Object.keys(q.decisions), ['0', '1', 'refusal'])
  assert.is(q.decisions.refusal.difference, -0.333333333333)
  assert.is(q.type, 'score')
})

test('a label "refusal" is not a refusal', () => {
  const label = { answers: { q: createChoice({ refusal: 0.9, other: 0.1 }) } }
  const refusal = { answers: { q: { type: 'refusal' } } }
  const { q } = toDocument(measure([label, refusal], [label])).questions
  assert.equal(Object.keys(q.decisions), ['refusal', 'other', "refusal'"])
})

test('weights count in the shares, and rule out a test', () => {
  const a = [...createNouls(10, 0, { p: 0.5 }), ...createNouls(0, 20)]
  const { billing } = toDocument(measure(a, createNouls(10, 10))).questions
  assert.is(billing.decisions.yes.a, 0.5)
  assert.is(billing.p, null)
  assert.match(billing.why.p, 'weights')
  assert.type(billing.decisions.yes.low, 'number')
})

test('groups rule out tests and intervals, and a limit is then exceeded', () => {
  const drift = measure(createNouls(10, 10, { group: 'g' }), createNouls(10, 10))
  const { billing } = toDocument(drift).questions
  assert.equal([billing.p, billing.p_holm, billing.decisions.yes.low], [null, null, null])
  assert.equal(describeExceededDrift({ significanceLevel: 0.05, maxShift: 0.1 }, drift.questions), [
    '--significant 0.05 (billing: no p: rows in groups are not independent draws)',
  ])
})

test('limits compare the corrected p and the shift', () => {
  const two = (yes: number, no: number) =>
    createNouls(yes, no).map(({ answers }) => ({
      answers: { ...answers, tone: createChoice({ calm: 1 }) },
    }))
  // p is 0.029 and twice that with two questions.
  const { questions } = measure(two(50, 150), two(70, 130))
  assert.equal(describeExceededDrift({ significanceLevel: 0.05, maxShift: 0.1 }, questions), [])
  assert.equal(
    describeExceededDrift({ significanceLevel: 0.1, maxShift: 0.09 }, questions).map((text) =>
      text.replace(/p 0.*\)/, 'p …)'),
    ),
    ['--significant 0.1 (billing: p …)', '--max-shift 0.09 (billing: shift is 0.100)'],
  )
})

test('other questions are named, and other types are a fault', () => {
  const noul = { answers: { q: createNoul(0.5) } }
  const both = { answers: { q: createNoul(0.5), r: createNoul(0.5) } }
  const choice = { answers: { q: createChoice({ a: 1 }) } }
  assert.is(
    collect([both], [noul]).collector.explainOtherQuestions(),
    'only one run has the question "r": it is not in b',
  )
  const digest = (digit: string) => ({ ...noul, questions_sha256: digit.repeat(64) })
  assert.is(
    collect([digest('a')], [digest('b')]).collector.explainOtherQuestions(),
    'the questions of the runs differ, but not their ids',
  )
  assert.is(collect([digest('a')], [digest('a')]).collector.explainOtherQuestions(), undefined)
  assert.match(collect([noul], [choice]).faults[0] ?? '', 'is a noul answer')
  assert.is(
    collect([noul], [{ answers: { z: createNoul(1) } }]).collector.commonQuestions().size,
    0,
  )
})

test('if nothing changes, at most 5 % of the comparisons raise an alarm at 0.05', () => {
  // With 1,000 rows, no decision is so rare that a permutation test is needed, which would take long.
  for (const [questionCount, rowCount] of [
    [2, 200],
    [20, 1000],
  ] as const) {
    const draws = 300
    const alarms = countAlarms({ questionCount, rowCount, change: 0, draws }, createRandom(7))
    // Three standard errors above 5 % of 300.
    assert.ok(alarms <= 15 + 3 * Math.sqrt(300 * 0.05 * 0.95), `${questionCount}: ${alarms}`)
    assert.ok(alarms > 0, 'a test that never raises an alarm shows nothing')
  }
})

test.run()
