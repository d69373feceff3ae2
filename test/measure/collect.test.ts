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

test('sorts levels, even if an answer lists them in another order', () => {
  const answer = { ...createScore(), score: 1, probabilities: { '2': 0.5, '0': 0.5 } }
  const run = collectRun([{ answers: { u: answer }, labels: { u: 1 } }])
  const rows = run.questions.get('u')
  assert.equal(rows?.labels, ['0', '1', '2'])
  // The lowest of equally likely levels.
  assert.equal([...Array.from(rows?.decided ?? [])], [0])
})

test('does not measure error rows and repeats, and null is not a label', () => {
  const run = collectRun([
    { answers: { q: createNoul(0.9) }, labels: { q: true }, run: 0 },
    { answers: { q: createNoul(0.1) }, labels: { q: true }, run: 1 },
    { error: { kind: 'server', message: 'no' }, labels: { q: true } },
    { answers: { q: createNoul(0.9) }, labels: { q: null } },
  ])
  assert.equal([run.rows, run.answered, run.labelled], [3, 2, 1])
  assert.is(run.questions.get('q')?.truth.length, 1)
})

test('the chance of being sampled becomes a weight, and groups become units', () => {
  const run = collectRun([
    { answers: { q: createNoul(0.9) }, labels: { q: true }, p: 0.25, group: 'x' },
    { answers: { q: createNoul(0.9) }, labels: { q: true }, p: 1 },
    { answers: { q: createNoul(0.9) }, labels: { q: true }, group: 7 },
    { answers: { q: createNoul(0.9) }, labels: { q: true }, group: 'x' },
  ])
  const rows = run.questions.get('q')
  assert.equal([...Array.from(rows?.weights ?? [])], [4, 1, 1, 1])
  assert.equal([...Array.from(rows?.units.unitOf ?? [])], [0, 1, 2, 0])
  assert.is(rows?.units.units, 3)
  assert.equal(run.groups, ['x', '7'])
})

const faults: ReadonlyArray<readonly [string, ReadonlyArray<RecordFields>]> = [
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
    [
      {
        answers: {
          t: createChoice(Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`l${i}`, 0]))),
        },
      },
    ],
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

for (const [message, rows] of faults) test(message, () => assert.is(tryCollectRun(rows), message))

test.run()
