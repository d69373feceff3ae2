import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer, Answers } from '../../../lib/codec/answer'
import {
  createGate,
  evaluateRequirements,
  parseRequirements,
} from '../../../lib/runs/gate/requirements'
import { learnFromAnswer, type Shapes } from '../../../lib/runs/gate/shape'

const test = suite('runs/gate/requirements')

const shapes: Shapes = new Map([
  ['billing', { type: 'noul' }],
  ['tone', { type: 'choice', labels: new Set(['calm', 'angry', '10']) }],
  ['only', { type: 'choice', labels: new Set(['one']) }],
  ['urgency', { type: 'score', levels: 3 }],
  ['vector', { type: 'other', name: 'embedding' }],
])

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

/** Checks and evaluates a requirement. Returns `true` if it holds, else why not, or why it is refused. */
const tryRequirement = (text: string, about = answers): true | string =>
  pipe(
    createGate([text]),
    E.chainFirst((gate) => gate.check(shapes)),
    E.fold(
      (failure) => (failure._tag === 'Usage' ? failure.message : failure._tag),
      (gate) => gate.describeUnmet(shapes, about)[0] ?? true,
    ),
  )

const holding = [
  'billing.noul >= 0.8',
  'not billing.noul > 0.8',
  "tone.choice in ['calm', 'angry']",
  'tone.probabilities.angry >= 0.7',
  'tone.probabilities["10"] == 0.1',
  'tone.margin >= 0.5',
  'urgency.score == 1.5',
  'urgency.margin == 0',
]
for (const text of holding)
  test(`${text} holds`, () => {
    assert.is(tryRequirement(text), true)
  })

const failing: ReadonlyArray<readonly [text: string, why: string]> = [
  ['billing.noul > 0.8', '(billing.noul is 0.8)'],
  ['billing.noul > 0.9 or tone.margin>0.6', '(billing.noul is 0.8, tone.margin is 0.5)'],
  ['tone . top > 0.9 or tone.top > 0.8', '(tone.top is 0.7)'],
]
for (const [text, why] of failing)
  test(`${text} does not hold`, () => {
    assert.is(tryRequirement(text), `${text} ${why}`)
  })

test('a requirement with a missing value is not met, even if the other side of an "or" holds', () => {
  const text = 'billing.noul > 0.1 or only.choice == "one"'
  assert.is(tryRequirement(text), `${text} (billing.noul is 0.8, only.choice is missing)`)
  const without: Answers = new Map<string, Answer>([
    ['billing', { type: 'score', score: 1, confidence: 1, probabilities: [] }],
    ['tone', { type: 'choice', choice: 'calm', confidence: 1, probabilities: [] }],
    ['urgency', { type: 'score', score: 1, confidence: 1, probabilities: [] }],
  ])
  for (const path of [
    'billing.noul',
    'tone.top',
    'tone.margin',
    'tone.probabilities.calm',
    'urgency.level',
  ])
    assert.is(tryRequirement(`${path} <= 1`, without), `${path} <= 1 (${path} is missing)`)
  assert.is(tryRequirement('tone.choice == "calm"', without), true)
})

test('a result lists the requirements that failed and those that cannot be evaluated', () => {
  const parsed = parseRequirements(['billing.noul > 0.9', 'only.top > 0.1', 'tone.top > 0.1'])
  assert.equal(E.isRight(parsed) && evaluateRequirements(parsed.right, shapes, answers), {
    passed: false,
    failed: ['billing.noul > 0.9'],
    unevaluable: ['only.top > 0.1'],
  })
})

const refused: ReadonlyArray<readonly [text: string, why: string]> = [
  [
    'urgency.scor > 1',
    '"urgency" is a score question and has no "scor", but score, level, confidence, probabilities, top, margin; did you mean score? at column 9',
  ],
  ['vector.noul > 1', '"vector" is of type embedding, which has no fields at column 1'],
  ['tone.choice == "angy"', '"tone" has no label "angy"; did you mean angry? at column 16'],
  ['tone.choice == 1', 'tone.choice is a text, not a number at column 16'],
  ['tone.choice < "calm"', 'texts compare by ==, != and in only at column 13'],
  ['tone.probabilities > 0.5', '"probabilities" needs a label: probabilities["…"] at column 6'],
  ['urgency.probabilities > 0.5', '"probabilities" needs a level: probabilities["…"] at column 9'],
  [
    'urgency.probabilities["3"] > 0.5',
    '"urgency" has no level "3"; its levels are 0 to 2 at column 23',
  ],
  ['tone.top.calm > 0.5', '"top" has no parts at column 10'],
  ['billing.noul > 1', 'billing.noul is from 0 to 1: this never holds at column 14'],
  ['billing.noul < 0', 'billing.noul is from 0 to 1: this never holds at column 14'],
  [
    'urgency.level in [1.5, 3]',
    'urgency.level is a whole number from 0 to 2: this never holds at column 15',
  ],
  ['billing.noul ~ 1', 'unexpected "~" at column 14'],
]
for (const [text, why] of refused)
  test(`refuses ${text}`, () => {
    assert.is(tryRequirement(text), `--require: ${why}: ${text}`)
  })

test('a choice without probabilities counts as a label of the question', () => {
  const bare: Answer = { type: 'choice', choice: 'x', confidence: 1, probabilities: [] }
  const full: Answer = { ...bare, choice: 'y', probabilities: [['y', 1]] }
  const isRefused = (text: string, first: Answer, second: Answer) => {
    const run = new Map([['tone', learnFromAnswer(learnFromAnswer(undefined, first), second)]])
    return pipe(
      createGate([text]),
      E.chain((gate) => gate.check(run)),
      E.isLeft,
    )
  }
  for (const [first, second] of [
    [bare, full],
    [full, bare],
  ] as const) {
    assert.is(isRefused('tone.choice in ["x", "y"]', first, second), false)
    assert.is(isRefused('tone.choice == "z"', first, second), true)
    assert.is(isRefused('tone.probabilities.x > 0', first, second), true)
  }
})

test('learns the shapes of questions from the answers of a run', () => {
  const choice = (...labels: ReadonlyArray<string>): Answer => ({
    type: 'choice',
    choice: 'a',
    confidence: 1,
    probabilities: labels.map((label) => [label, 0.5] as const),
  })
  const none = learnFromAnswer(undefined, choice())
  assert.equal(none, { type: 'choice', labels: undefined, chosen: new Set(['a']) })
  assert.equal(learnFromAnswer(learnFromAnswer(none, choice('a')), choice('b', 'a')), {
    type: 'choice',
    labels: new Set(['a', 'b']),
    chosen: new Set(['a']),
  })
  const many = Array.from({ length: 300 }, (_, i) => choice(`label ${i}`))
  const full = many.reduce<ReturnType<typeof learnFromAnswer> | undefined>(
    learnFromAnswer,
    undefined,
  )
  assert.is(full?.type === 'choice' && full.labels?.size, 255)
  assert.equal(learnFromAnswer(none, { type: 'noul', noul: 1 }), none)
  const score = (levels: number): Answer => ({
    type: 'score',
    score: 1,
    confidence: 1,
    probabilities: Array.from({ length: levels }, (_, level) => [`${level}`, 0.1] as const),
  })
  assert.equal(learnFromAnswer(learnFromAnswer(undefined, score(0)), score(4)), {
    type: 'score',
    levels: 4,
  })
  const some: Answer = { type: 'score', score: 2, confidence: 1, probabilities: [['2', 1]] }
  assert.equal(learnFromAnswer(undefined, some), { type: 'score', levels: 3 })
  const odd = ['0.5', '1e400', '4000000000', '-1', '01', '10'].map((name) => [name, 1] as const)
  assert.equal(learnFromAnswer(undefined, { ...some, probabilities: odd }), {
    type: 'score',
    levels: undefined,
  })
  assert.equal(learnFromAnswer(undefined, { type: 'other', name: 'x' }), {
    type: 'other',
    name: 'x',
  })
})

test.run()
