import * as E from 'fp-ts/Either'
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

/** Creates probabilities of 0 for a number of labels. */
const createProbabilities = (labelCount: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from({ length: labelCount }, (_, i) => [`label-${i}`, 0]))

test('sorts levels, even if an answer lists them in another order', () => {
  const answer = { ...createScore(), score: 1, probabilities: { '2': 0.5, '0': 0.5 } }
  const run = collectRun([{ answers: { urgency: answer }, labels: { urgency: 1 } }])
  assert.equal(run.questions.get('urgency')?.labels, ['0', '1', '2'])
})

test('decides for the lowest of equally likely levels', () => {
  const answer = createScore(0.2, 0.4, 0.4)
  const run = collectRun([{ answers: { urgency: answer }, labels: { urgency: 1 } }])
  assert.equal(Array.from(run.questions.get('urgency')?.decisions ?? []), [1])
})

// A noul is the answer to a yes/no question, with the probability of a yes.
test('measures only the first answer to a row, and ignores rows without an answer or a label', () => {
  const run = collectRun([
    { answers: { isBug: createNoul(0.9) }, labels: { isBug: true }, run: 0 },
    { answers: { isBug: createNoul(0.1) }, labels: { isBug: true }, run: 1 },
    { error: { kind: 'server', message: 'unavailable' }, labels: { isBug: true } },
    { answers: { isBug: createNoul(0.9) }, labels: { isBug: null } },
  ])
  assert.is(run.rowCount, 3)
  assert.is(run.answeredCount, 2)
  assert.is(run.labelledCount, 1)
  assert.is(run.questions.get('isBug')?.truth.length, 1)
})

const labelledRow = { answers: { isBug: createNoul(0.9) }, labels: { isBug: true } }

test('weights a row by 1/p, with the probability p with which it was drawn', () => {
  const run = collectRun([{ ...labelledRow, p: 0.25 }, { ...labelledRow, p: 1 }, labelledRow])
  assert.equal(Array.from(run.questions.get('isBug')?.weights ?? []), [4, 1, 1])
})

// A unit is what svc draws at random when it estimates intervals.
test('makes a unit of the rows of each group, and of each row without a group', () => {
  const run = collectRun([
    { ...labelledRow, group: 'x' },
    labelledRow,
    { ...labelledRow, group: 7 },
    { ...labelledRow, group: 'x' },
  ])
  const units = run.questions.get('isBug')?.units
  assert.equal(Array.from(units?.unitOfRow ?? []), [0, 1, 2, 0])
  assert.is(units?.count, 3)
  assert.equal(run.groups, ['x', '7'])
})

const invalidRuns: ReadonlyArray<{
  readonly fault: string
  readonly rows: ReadonlyArray<RecordFields>
}> = [
  {
    fault: 'line 1: answers.team: has a probability that is not between 0 and 1',
    rows: [{ answers: { team: createChoice({ a: -1 }) } }],
  },
  {
    fault: 'line 1: answers.team: lists more than 255 labels',
    rows: [{ answers: { team: createChoice(createProbabilities(256)) } }],
  },
  {
    fault: 'line 1: answers.urgency: lists "10", which is not a level',
    rows: [{ answers: { urgency: { ...createScore(), probabilities: { 10: 1 } } } }],
  },
]

for (const { fault, rows } of invalidRuns)
  test(`refuses a record: ${fault}`, () => assert.equal(tryCollectRun(rows), E.left(fault)))

test.run()
