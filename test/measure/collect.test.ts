import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  collectRun,
  createChoice,
  createNoul,
  createScore,
  type RecordFields,
  tryCollectRun,
} from './runs'

const test = suite('measure/collect')

const createLabels = (count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`label-${i}`, 0]))

test('sorts levels, even if an answer lists them in another order', () => {
  const answer = { ...createScore(), score: 1, probabilities: { '2': 0.5, '0': 0.5 } }
  const run = collectRun([{ answers: { u: answer }, labels: { u: 1 } }])
  assert.equal(run.questions.get('u')?.labels, ['0', '1', '2'])
})

test('decides for the lowest of equally likely levels', () => {
  const run = collectRun([{ answers: { u: createScore(0.2, 0.4, 0.4) }, labels: { u: 1 } }])
  const rows = run.questions.get('u')
  assert.equal(Array.from(rows?.decisions ?? []), [1])
})

test('counts only the first answer to a row, and no errors and null labels', () => {
  const run = collectRun([
    { answers: { q: createNoul(0.9) }, labels: { q: true }, run: 0 },
    { answers: { q: createNoul(0.1) }, labels: { q: true }, run: 1 },
    { error: { kind: 'server', message: 'no' }, labels: { q: true } },
    { answers: { q: createNoul(0.9) }, labels: { q: null } },
  ])
  assert.is(run.rowCount, 3)
  assert.is(run.answeredCount, 2)
  assert.is(run.labelledCount, 1)
  assert.is(run.questions.get('q')?.truth.length, 1)
})

const right = { answers: { q: createNoul(0.9) }, labels: { q: true } }

test('weights a row by 1/p', () => {
  const run = collectRun([{ ...right, p: 0.25 }, { ...right, p: 1 }, right])
  assert.equal(Array.from(run.questions.get('q')?.weights ?? []), [4, 1, 1])
})

test('makes each group a unit, and each row without a group', () => {
  const run = collectRun([
    { ...right, group: 'x' },
    right,
    { ...right, group: 7 },
    { ...right, group: 'x' },
  ])
  const units = run.questions.get('q')?.units
  assert.equal(Array.from(units?.unitOfRow ?? []), [0, 1, 2, 0])
  assert.is(units?.count, 3)
  assert.equal(run.groups, ['x', '7'])
})

const faults: ReadonlyArray<readonly [message: string, rows: ReadonlyArray<RecordFields>]> = [
  [
    'line 1: labels.q: must be true or false',
    [{ answers: { q: createNoul(0.5) }, labels: { q: 'yes' } }],
  ],
  [
    'line 2: answers.q: is a choice answer, in lines before a noul answer',
    [{ answers: { q: createNoul(0.5) } }, { answers: { q: createChoice({ a: 1 }) } }],
  ],
  [
    'line 1: answers.t: has a probability that is not between 0 and 1',
    [{ answers: { t: createChoice({ a: -1 }) } }],
  ],
  [
    'line 1: answers.t: lists more than 255 labels',
    [{ answers: { t: createChoice(createLabels(256)) } }],
  ],
  [
    'line 1: answers.u: lists "10", which is not a level',
    [{ answers: { u: { ...createScore(), probabilities: { 10: 1 } } } }],
  ],
  [
    'line 1: labels.v: svc cannot measure answers of type "vector"',
    [{ answers: { v: { type: 'vector' } }, labels: { v: true } }],
  ],
]

for (const [message, rows] of faults)
  test(`refuses a record: ${message}`, () => assert.is(tryCollectRun(rows), message))

test.run()
