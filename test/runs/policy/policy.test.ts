import Ajv from 'ajv/dist/2020.js'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../lib/codec/answer'
import { encode } from '../../../lib/codec/json/draft'
import { checkRequirements, parseRequirements } from '../../../lib/runs/gate/requirements'
import { addPolicy, type Shapes } from '../../../lib/runs/gate/shape'
import { applyQuestionPolicy } from '../../../lib/runs/policy/apply'
import type { CalibrationMap } from '../../../lib/runs/policy/calibration-map'
import { decodePolicy } from '../../../lib/runs/policy/decode'
import type { QuestionPolicy, Scale, UsablePolicy } from '../../../lib/runs/policy/policy'
import schema from '../../../lib/runs/policy/svc-policy.schema.json'
import { encodePolicyOutcomes } from '../../../lib/runs/policy/write'

const test = suite('runs/policy')

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema)

const sha = 'a'.repeat(64)

/** Creates a question of a policy document as `svc calibrate` writes it. `more` overrides members. */
const createQuestion = (more: object = {}): object => ({
  type: 'noul',
  questions_sha256: sha,
  models: ['m'],
  map: { method: 'none' },
  cut: { at: 0.8, scale: 'noul', n: 60, low: 0.9, target: { figure: 'precision', value: 0.9 } },
  n: 100,
  ...more,
})

/** Decodes a policy with the question `q`. Returns its fault, if any. */
const findFault = (q: object): string | undefined => {
  const document = { questions: { q } }
  const decoded = decodePolicy(Buffer.from(JSON.stringify(document)))
  return E.isLeft(decoded) ? decoded.left : undefined
}

const createCut = (at: unknown) => ({ cut: { ...(createQuestion() as { cut: object }).cut, at } })

const faults: ReadonlyArray<readonly [more: object, fault: string]> = [
  [{ type: 'embedding' }, 'questions.q.type: must be one of noul, choice, score'],
  [
    { questions_sha256: `${sha.slice(1)}G` },
    'questions.q.questions_sha256: must be 64 hexadecimal digits',
  ],
  [createCut(1.2), 'questions.q.cut.at: must be from 0 to 1'],
  [
    { cut: { ...(createQuestion() as { cut: object }).cut, scale: 'p' } },
    'questions.q.cut.scale: must be one of noul, top',
  ],
  [{ map: { method: 'beta' } }, 'questions.q.map.method: must be one of none, platt, temperature'],
  [
    {
      type: 'score',
      map: { method: 'temperature', temperature: 1e-320 },
      cut: { ...(createQuestion() as { cut: object }).cut, scale: 'top' },
    },
    'questions.q.map.temperature: must be from 0.05 to 20',
  ],
  [
    { map: { method: 'platt', slope: 1 } },
    'questions.q.map.slope: "slope" and "intercept" must be numbers',
  ],
]

for (const [more, expected] of faults)
  test(`a policy is refused: ${expected} ${JSON.stringify(more)}`, () => {
    assert.is(findFault(createQuestion(more)), expected)
    assert.is(validate({ questions: { q: createQuestion(more) } }), false)
  })

test('refuses invalid policies that the JSON Schema accepts', () => {
  const top = { ...(createQuestion() as { cut: object }).cut, scale: 'top' }
  assert.is(
    findFault(createQuestion({ map: { method: 'temperature', temperature: 2 } })),
    'questions.q.map.method: temperature is for choice and score questions only',
  )
  assert.is(
    findFault(createQuestion({ type: 'choice' })),
    'questions.q.cut.scale: noul is for noul questions alone',
  )
  const platt = { type: 'choice', cut: top, map: { method: 'platt', slope: 1, intercept: 0 } }
  assert.is(
    findFault(createQuestion(platt)),
    'questions.q.map.method: platt is for noul questions only',
  )
  assert.equal(
    decodePolicy(Buffer.from('{"questions":{}}')),
    E.left('questions: must not be empty'),
  )
  assert.equal(decodePolicy(Buffer.from('[]')), E.left('must be an object'))
  const huge = `{"questions":{"q":${JSON.stringify(createQuestion()).replace('0.8', '1e999')}}}`
  assert.equal(decodePolicy(Buffer.from(huge)), E.left('questions.q.cut.at: must be from 0 to 1'))
})

test('keeps the order of question ids that look like indexes', () => {
  const text = ['b', '10', '__proto__'].map((id) => `"${id}":${JSON.stringify(createQuestion())}`)
  const decoded = decodePolicy(Buffer.from(`{"questions":{${text.join(',')}}}`))
  assert.ok(E.isRight(decoded))
  assert.equal([...decoded.right.keys()], ['b', '10', '__proto__'])
  assert.is(
    encode(
      encodePolicyOutcomes(decoded.right, new Map([['10', { type: 'noul', noul: 0.9 }]])),
    ).toString(),
    '{"b":{"outcome":"review","calibrated":null},"10":{"outcome":"accept","calibrated":0.9},' +
      '"__proto__":{"outcome":"review","calibrated":null}}',
  )
})

const createPolicy = (
  type: QuestionPolicy['type'],
  map: CalibrationMap | null,
  at: number | null,
  scale: Scale = type === 'noul' ? 'noul' : 'top',
): UsablePolicy => {
  const policy = { type, questionsSha256: sha, models: ['m'], map, scale, cut: { at } }
  return { ...policy, apply: (answer) => applyQuestionPolicy(policy, answer) }
}

const createNoul = (p: number): Answer => ({ type: 'noul', noul: p })
const createChoice = (...probabilities: ReadonlyArray<number>): Answer => ({
  type: 'choice',
  choice: 'l0',
  confidence: 0,
  probabilities: probabilities.map((p, i) => [`l${i}`, p]),
})

test('accepts an answer that equals the cut, on the corrected scale', () => {
  const none = createPolicy('noul', { method: 'none' }, 0.8)
  assert.equal(applyQuestionPolicy(none, createNoul(0.8)), { outcome: 'accept', calibrated: 0.8 })
  assert.equal(applyQuestionPolicy(none, createNoul(0.79)), { outcome: 'review', calibrated: 0.79 })
  // logit 0.8 = ln 4; halved it is ln 2, which is 2/3.
  const cooled = createPolicy('choice', { method: 'temperature', temperature: 2 }, 0.67)
  assert.equal(applyQuestionPolicy(cooled, createChoice(0.8, 0.2)).outcome, 'review')
  const platt = createPolicy('noul', { method: 'platt', slope: 0.5, intercept: 0 }, 0.66)
  assert.equal(applyQuestionPolicy(platt, createNoul(0.8)), {
    outcome: 'accept',
    calibrated: 0.666666666667,
  })
})

test('a cut on top accepts a sure no like a sure yes, and the outcome says which', () => {
  const top = createPolicy('noul', { method: 'none' }, 0.75, 'top')
  const outcomes = [1, 0.75, 0.5, 0.25].map((p) => applyQuestionPolicy(top, createNoul(p)))
  assert.equal(outcomes, [
    { outcome: 'accept', decision: true, calibrated: 1 },
    { outcome: 'accept', decision: true, calibrated: 0.75 },
    { outcome: 'review', decision: true, calibrated: 0.5 },
    { outcome: 'accept', decision: false, calibrated: 0.25 },
  ])
  assert.is(
    encode(
      encodePolicyOutcomes(new Map([['q', top]]), new Map([['q', createNoul(0.125)]])),
    ).toString(),
    '{"q":{"outcome":"accept","decision":false,"calibrated":0.125}}',
  )
  // 1 - 0.9 is 0.09999999999999998, and the top of 0.1 is still 0.9.
  assert.is(
    applyQuestionPolicy(createPolicy('noul', { method: 'none' }, 0.9, 'top'), createNoul(0.1))
      .outcome,
    'accept',
  )
  assert.equal(applyQuestionPolicy(createPolicy('noul', null, 0.75, 'top'), createNoul(1)), {
    outcome: 'review',
    calibrated: null,
  })
})

test('an answer that the policy cannot judge goes to review', () => {
  const review = { outcome: 'review', calibrated: null }
  const choice = createPolicy('choice', { method: 'none' }, 0)
  assert.equal(applyQuestionPolicy(choice, createChoice()), review)
  assert.equal(applyQuestionPolicy(choice, createNoul(1)), review)
  assert.equal(applyQuestionPolicy(choice, undefined), review)
  assert.equal(applyQuestionPolicy(choice, { type: 'refusal', reason: 'blocked' }), review)
  assert.equal(applyQuestionPolicy(createPolicy('choice', null, 0), createChoice(1)), review)
  assert.is(
    applyQuestionPolicy(createPolicy('choice', { method: 'none' }, null), createChoice(1)).outcome,
    'review',
  )
})

const shapes: Shapes = new Map([
  ['q', addPolicy({ type: 'noul' }, createPolicy('noul', { method: 'none' }, 0.8))],
  ['open', addPolicy({ type: 'noul' }, createPolicy('noul', { method: 'none' }, null))],
  ['short', addPolicy({ type: 'noul' }, createPolicy('noul', null, null))],
  [
    'tone',
    addPolicy(
      { type: 'choice', labels: new Set(['calm', 'angry']) },
      createPolicy('choice', { method: 'none' }, 0.8),
    ),
  ],
  ['bare', { type: 'noul' }],
])

/** Returns why a requirement is refused; `undefined` if it is accepted. */
const checkRequirement = (text: string): string | undefined =>
  pipe(
    parseRequirements([text]),
    E.chain((requirements) => checkRequirements(requirements, shapes)),
    E.fold(
      (failure) => (failure._tag === 'Usage' ? failure.message : failure._tag),
      () => undefined,
    ),
  )

const requirements: ReadonlyArray<readonly [text: string, fault: string | undefined]> = [
  ['q.calibrated >= 0.5 and tone.calibrated.calm < 0.5', undefined],
  ['open.outcome != "accept"', undefined],
  ['q.outcome == "yes"', 'q.outcome is "accept" or "review": this never holds at column 14'],
  ['open.outcome != "review"', 'open.outcome is "review": this never holds at column 17'],
  ['short.calibrated > 0.5', 'the policy has no map for "short" at column 7'],
  ['tone.calibrated.angri > 0.5', '"tone" has no label "angri"; did you mean angry? at column 17'],
]

for (const [text, expected] of requirements)
  test(`with a policy, ${text} is ${expected === undefined ? 'accepted' : 'refused'}`, () => {
    assert.is(checkRequirement(text), expected && `--require: ${expected}: ${text}`)
  })

test.run()
