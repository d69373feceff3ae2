import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer, Answers } from '../../../lib/codec/answer'
import type { Failure } from '../../../lib/failure/failure'
import {
  checkRequirements,
  describeUnmetRequirements,
  evaluateRequirements,
  parseRequirements,
} from '../../../lib/runs/gate/requirements'
import {
  learnFromAnswer,
  type QuestionShape,
  type QuestionShapes,
} from '../../../lib/runs/gate/shape'

const test = suite('runs/gate/requirements')

// `top` is the largest probability of an answer, and `margin` its distance to the second largest.

/** The shapes (types, labels and levels) of the questions in the first tests. The row of `answers` has no answer to `only`. */
const shapes: QuestionShapes = new Map([
  ['billing', { type: 'noul' }],
  ['tone', { type: 'choice', labels: new Set(['calm', 'angry', '10']) }],
  ['only', { type: 'choice', labels: new Set(['one']) }],
  ['urgency', { type: 'score', levelCount: 3 }],
  // svc does not know the type `embedding`.
  ['vector', { type: 'other', name: 'embedding' }],
])

/** The answers of one row. */
const answers: Answers = new Map<string, Answer>([
  ['billing', { type: 'noul', noul: 0.8 }],
  [
    'tone',
    {
      type: 'choice',
      choice: 'angry',
      confidence: 0.55,
      probabilities: [
        ['calm', 0.2],
        ['angry', 0.7],
        ['10', 0.1],
      ],
    },
  ],
  [
    'urgency',
    {
      type: 'score',
      score: 1.5,
      confidence: 0.1,
      probabilities: [
        ['2', 0.4],
        ['1', 0.4],
        ['0', 0.2],
      ],
    },
  ],
])

const describeFailure = (failure: Failure): string =>
  failure._tag === 'Usage' ? failure.message : failure._tag

/** Evaluates a requirement. Returns the reason why it is not met, or is refused. `undefined` if it is met. */
const findUnmetReason = (text: string, rowAnswers = answers): string | undefined => {
  const requirements = parseRequirements([text])
  if (E.isLeft(requirements)) return describeFailure(requirements.left)
  const checked = checkRequirements(requirements.right, shapes)
  if (E.isLeft(checked)) return describeFailure(checked.left)
  return describeUnmetRequirements(requirements.right, shapes, rowAnswers)[0]
}

const metRequirements = [
  'billing.noul >= 0.8',
  'not billing.noul > 0.8',
  "tone.choice in ['calm', 'angry']",
  'tone.probabilities.angry >= 0.7',
  'tone.probabilities["10"] == 0.1',
  'tone.margin >= 0.5',
  'urgency.score == 1.5',
  'urgency.margin == 0',
]
for (const text of metRequirements)
  test(`${text} is met`, () => {
    assert.is(findUnmetReason(text), undefined)
  })

const unmetRequirements: ReadonlyArray<{ readonly text: string; readonly reason: string }> = [
  { text: 'billing.noul > 0.8', reason: '(billing.noul is 0.8)' },
  {
    text: 'billing.noul > 0.9 or tone.margin>0.6',
    reason: '(billing.noul is 0.8, tone.margin is 0.5)',
  },
  { text: 'tone . top > 0.9 or tone.top > 0.8', reason: '(tone.top is 0.7)' },
]
for (const { text, reason } of unmetRequirements)
  test(`${text} is not met`, () => {
    assert.is(findUnmetReason(text), `${text} ${reason}`)
  })

test('a requirement with a missing value is not met, even if the other side of an "or" holds', () => {
  const text = 'billing.noul > 0.1 or only.choice == "one"'
  assert.is(findUnmetReason(text), `${text} (billing.noul is 0.8, only.choice is missing)`)
})

const answersWithoutProbabilities: Answers = new Map<string, Answer>([
  ['tone', { type: 'choice', choice: 'calm', confidence: 1, probabilities: [] }],
  ['urgency', { type: 'score', score: 1, confidence: 1, probabilities: [] }],
])
for (const path of ['tone.top', 'tone.margin', 'tone.probabilities.calm', 'urgency.level'])
  test(`${path} is missing if the answer has no probabilities`, () => {
    const text = `${path} <= 1`
    const reason = findUnmetReason(text, answersWithoutProbabilities)
    assert.is(reason, `${text} (${path} is missing)`)
  })

test('a field is missing if the answer has another type than the question', () => {
  const scoreAnswer: Answer = { type: 'score', score: 1, confidence: 1, probabilities: [] }
  const reason = findUnmetReason('billing.noul <= 1', new Map([['billing', scoreAnswer]]))
  assert.is(reason, 'billing.noul <= 1 (billing.noul is missing)')
})

test('the choice of an answer without probabilities is not missing', () => {
  assert.is(findUnmetReason('tone.choice == "calm"', answersWithoutProbabilities), undefined)
})

test('a result lists the requirements that failed and those that cannot be evaluated', () => {
  const parsed = parseRequirements(['billing.noul > 0.9', 'only.top > 0.1', 'tone.top > 0.1'])
  assert.equal(E.isRight(parsed) && evaluateRequirements(parsed.right, shapes, answers), {
    passed: false,
    failed: ['billing.noul > 0.9'],
    unevaluable: ['only.top > 0.1'],
  })
})

const refusedRequirements: ReadonlyArray<{ readonly text: string; readonly reason: string }> = [
  {
    text: 'urgency.scor > 1',
    reason:
      '"urgency" is a score question and has no "scor", but score, level, confidence, probabilities, top, margin; did you mean score? at column 9',
  },
  {
    text: 'vector.noul > 1',
    reason: '"vector" is of type embedding, which has no fields at column 1',
  },
  {
    text: 'tone.choice == "angy"',
    reason: '"tone" has no label "angy"; did you mean angry? at column 16',
  },
  { text: 'tone.choice == 1', reason: 'tone.choice is a text, not a number at column 16' },
  { text: 'tone.choice < "calm"', reason: 'texts compare by ==, != and in only at column 13' },
  {
    text: 'tone.probabilities > 0.5',
    reason: '"probabilities" needs a label: probabilities["…"] at column 6',
  },
  {
    text: 'urgency.probabilities > 0.5',
    reason: '"probabilities" needs a level: probabilities["…"] at column 9',
  },
  {
    text: 'urgency.probabilities["3"] > 0.5',
    reason: '"urgency" has no level "3"; its levels are 0 to 2 at column 23',
  },
  { text: 'tone.top.calm > 0.5', reason: '"top" takes no label or level at column 10' },
  {
    text: 'billing.noul > 1',
    reason: 'billing.noul is from 0 to 1: this never holds at column 14',
  },
  {
    text: 'billing.noul < 0',
    reason: 'billing.noul is from 0 to 1: this never holds at column 14',
  },
  {
    text: 'urgency.level in [1.5, 3]',
    reason: 'urgency.level is a whole number from 0 to 2: this never holds at column 15',
  },
  { text: 'billing.noul ~ 1', reason: 'unexpected "~" at column 14' },
]
for (const { text, reason } of refusedRequirements)
  test(`refuses ${text}`, () => {
    assert.is(findUnmetReason(text), `--require: ${reason}: ${text}`)
  })

/** Learns the shape of a question from these answers, in their order. `undefined` without answers. */
const learnShape = (...learned: ReadonlyArray<Answer>): QuestionShape | undefined => {
  let shape: QuestionShape | undefined
  for (const answer of learned) shape = learnFromAnswer(shape, answer)
  return shape
}

/** Returns `true` if a requirement about `tone` is refused for a run with these answers to it. */
const isRefusedForAnswers = (text: string, ...toneAnswers: ReadonlyArray<Answer>): boolean => {
  const shape = learnShape(...toneAnswers)
  assert.ok(shape)
  const requirements = parseRequirements([text])
  assert.ok(E.isRight(requirements))
  return E.isLeft(checkRequirements(requirements.right, new Map([['tone', shape]])))
}

test('a chosen label is a label of the question, even if no probabilities list it', () => {
  const withoutProbabilities: Answer = {
    type: 'choice',
    choice: 'x',
    confidence: 1,
    probabilities: [],
  }
  const withProbabilities: Answer = {
    ...withoutProbabilities,
    choice: 'y',
    probabilities: [['y', 1]],
  }
  for (const [first, second] of [
    [withoutProbabilities, withProbabilities],
    [withProbabilities, withoutProbabilities],
  ] as const) {
    assert.is(isRefusedForAnswers('tone.choice in ["x", "y"]', first, second), false)
    assert.is(isRefusedForAnswers('tone.choice == "z"', first, second), true)
    assert.is(isRefusedForAnswers('tone.probabilities.x > 0', first, second), true)
  }
})

/** Creates a choice of the label `a`, with probabilities of these labels. */
const createChoice = (...labels: ReadonlyArray<string>): Answer => ({
  type: 'choice',
  choice: 'a',
  confidence: 1,
  probabilities: labels.map((label) => [label, 0.5] as const),
})

/** Creates a score with probabilities of these levels. */
const createScore = (...levels: ReadonlyArray<string>): Answer => ({
  type: 'score',
  score: 1,
  confidence: 1,
  probabilities: levels.map((level) => [level, 0.1] as const),
})

test('learns the labels of a choice from its probabilities, and without them from the chosen label', () => {
  assert.equal(learnShape(createChoice()), {
    type: 'choice',
    labels: undefined,
    chosen: new Set(['a']),
  })
  assert.equal(learnShape(createChoice(), createChoice('a'), createChoice('b', 'a')), {
    type: 'choice',
    labels: new Set(['a', 'b']),
    chosen: new Set(['a']),
  })
})

test('ignores an answer of another type than the first one', () => {
  const shape = learnShape(createChoice('a'), { type: 'noul', noul: 1 })
  assert.equal(shape, { type: 'choice', labels: new Set(['a']), chosen: undefined })
})

test('learns at most 255 labels of a choice', () => {
  const choices = Array.from({ length: 300 }, (_, index) => createChoice(`label ${index}`))
  const shape = learnShape(...choices)
  assert.is(shape?.type === 'choice' && shape.labels?.size, 255)
})

test('learns the number of levels of a score from the highest level in its probabilities', () => {
  const fourLevels = { type: 'score', levelCount: 4 }
  assert.equal(learnShape(createScore(), createScore('0', '1', '2', '3')), fourLevels)
  assert.equal(learnShape(createScore('2')), { type: 'score', levelCount: 3 })
})

test('ignores probabilities of a score whose names are not levels', () => {
  // A question has at most ten levels, 0 to 9.
  const score = createScore('0.5', '1e400', '4000000000', '-1', '01', '10')
  assert.equal(learnShape(score), { type: 'score', levelCount: undefined })
})

test('learns only the type of a question that svc does not know', () => {
  assert.equal(learnShape({ type: 'other', name: 'x' }), { type: 'other', name: 'x' })
})

test.run()
