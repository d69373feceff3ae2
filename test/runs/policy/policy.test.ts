import Ajv from 'ajv/dist/2020.js'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../lib/codec/answer'
import { encodeText } from '../../../lib/codec/json/draft'
import { messageOf } from '../../../lib/failure/format-failure'
import { checkRequirements, parseRequirements } from '../../../lib/runs/gate/requirements'
import { addPolicy, type QuestionShapes } from '../../../lib/runs/gate/shape'
import { applyQuestionPolicy } from '../../../lib/runs/policy/apply'
import type { CalibrationMap } from '../../../lib/runs/policy/calibration-map'
import { decodePolicy } from '../../../lib/runs/policy/decode'
import type { CutScale, QuestionPolicy, UsablePolicy } from '../../../lib/runs/policy/policy'
import schema from '../../../lib/runs/policy/svc-policy.schema.json'
import { encodePolicyOutcomes } from '../../../lib/runs/policy/write'

const test = suite('runs/policy')

const isValidBySchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema)

const digest = 'a'.repeat(64)

const validCut = {
  at: 0.8,
  scale: 'noul',
  n: 60,
  low: 0.9,
  target: { figure: 'precision', value: 0.9 },
}

/** Creates a question of a policy document as `svc calibrate` writes it. `changes` overrides members. */
const createQuestion = (changes: object = {}): object => ({
  type: 'noul',
  questions_sha256: digest,
  models: ['m'],
  map: { method: 'none' },
  cut: validCut,
  n: 100,
  ...changes,
})

/** Decodes a policy with the question `q`. Returns its fault, if any. */
const findFault = (q: object): string | undefined => {
  const document = { questions: { q } }
  const decoded = decodePolicy(Buffer.from(JSON.stringify(document)))
  return E.isLeft(decoded) ? decoded.left : undefined
}

/** Changes that make a question invalid, and the message. */
const invalidChanges: ReadonlyArray<readonly [changes: object, fault: string]> = [
  [{ type: 'embedding' }, 'questions.q.type: must be one of noul, choice, score'],
  [
    { questions_sha256: `${digest.slice(1)}G` },
    'questions.q.questions_sha256: must be 64 hexadecimal digits',
  ],
  [{ cut: { ...validCut, at: 1.2 } }, 'questions.q.cut.at: must be from 0 to 1'],
  [{ cut: { ...validCut, scale: 'p' } }, 'questions.q.cut.scale: must be one of noul, top'],
  [{ map: { method: 'beta' } }, 'questions.q.map.method: must be one of none, platt, temperature'],
  [
    {
      type: 'score',
      map: { method: 'temperature', temperature: 1e-320 },
      cut: { ...validCut, scale: 'top' },
    },
    'questions.q.map.temperature: must be from 0.05 to 20',
  ],
  [
    { map: { method: 'platt', slope: 1 } },
    'questions.q.map.slope: "slope" and "intercept" must be numbers',
  ],
]

for (const [changes, fault] of invalidChanges)
  test(`the decoder and the JSON Schema refuse a policy: ${fault}`, () => {
    const question = createQuestion(changes)
    assert.is(findFault(question), fault)
    assert.is(isValidBySchema({ questions: { q: question } }), false)
  })

test('the decoder refuses a map or scale of another type of question, which the JSON Schema accepts', () => {
  const temperature = { map: { method: 'temperature', temperature: 2 } }
  assert.is(
    findFault(createQuestion(temperature)),
    'questions.q.map.method: temperature is for choice and score questions only',
  )
  assert.is(
    findFault(createQuestion({ type: 'choice' })),
    'questions.q.cut.scale: noul is for noul questions only',
  )
  const platt = {
    type: 'choice',
    cut: { ...validCut, scale: 'top' },
    map: { method: 'platt', slope: 1, intercept: 0 },
  }
  assert.is(
    findFault(createQuestion(platt)),
    'questions.q.map.method: platt is for noul questions only',
  )
})

test('refuses documents without questions, and numbers that are too large', () => {
  const decodeText = (text: string) => decodePolicy(Buffer.from(text))
  assert.equal(decodeText('{"questions":{}}'), E.left('questions: must not be empty'))
  assert.equal(decodeText('[]'), E.left('must be an object'))
  const question = JSON.stringify(createQuestion()).replace('0.8', '1e999')
  assert.equal(
    decodeText(`{"questions":{"q":${question}}}`),
    E.left('questions.q.cut.at: must be from 0 to 1'),
  )
})

const createPolicy = (
  type: QuestionPolicy['type'],
  map: CalibrationMap | null,
  at: number | null,
  scale: CutScale = type === 'noul' ? 'noul' : 'top',
): UsablePolicy => {
  const policy = { type, questionsSha256: digest, models: ['m'], map, scale, cut: { at } }
  return { ...policy, apply: (answer) => applyQuestionPolicy(policy, answer) }
}

const createNoul = (p: number): Answer => ({ type: 'noul', noul: p })
const createChoice = (...probabilities: ReadonlyArray<number>): Answer => ({
  type: 'choice',
  choice: 'l0',
  confidence: 0,
  probabilities: probabilities.map((p, i) => [`l${i}`, p]),
})

test('keeps the order of question ids that look like indexes', () => {
  const question = JSON.stringify(createQuestion())
  const members = ['b', '10', '__proto__'].map((id) => `"${id}":${question}`)
  const decoded = decodePolicy(Buffer.from(`{"questions":{${members.join(',')}}}`))
  assert.ok(E.isRight(decoded))
  assert.equal([...decoded.right.keys()], ['b', '10', '__proto__'])
  const outcomes = encodePolicyOutcomes(decoded.right, new Map([['10', createNoul(0.9)]]))
  assert.is(
    encodeText(outcomes),
    '{"b":{"outcome":"review","calibrated":null},"10":{"outcome":"accept","calibrated":0.9},' +
      '"__proto__":{"outcome":"review","calibrated":null}}',
  )
})

test('accepts an answer whose corrected probability is at least the cut', () => {
  const uncorrected = createPolicy('noul', { method: 'none' }, 0.8)
  assert.equal(uncorrected.apply(createNoul(0.8)), { outcome: 'accept', calibrated: 0.8 })
  assert.equal(uncorrected.apply(createNoul(0.79)), { outcome: 'review', calibrated: 0.79 })
  // Both maps halve logit 0.8 = ln 4 to ln 2, which is the logit of 2/3.
  const temperature = createPolicy('choice', { method: 'temperature', temperature: 2 }, 0.67)
  assert.is(temperature.apply(createChoice(0.8, 0.2)).outcome, 'review')
  const platt = createPolicy('noul', { method: 'platt', slope: 0.5, intercept: 0 }, 0.66)
  assert.equal(platt.apply(createNoul(0.8)), { outcome: 'accept', calibrated: 0.666666666667 })
})

test('a cut on the scale top accepts a confident no like a confident yes', () => {
  const policy = createPolicy('noul', { method: 'none' }, 0.75, 'top')
  const outcomes = [1, 0.75, 0.5, 0.25].map((p) => policy.apply(createNoul(p)))
  assert.equal(outcomes, [
    { outcome: 'accept', decision: true, calibrated: 1 },
    { outcome: 'accept', decision: true, calibrated: 0.75 },
    { outcome: 'review', decision: true, calibrated: 0.5 },
    { outcome: 'accept', decision: false, calibrated: 0.25 },
  ])
  const encoded = encodePolicyOutcomes(
    new Map([['q', policy]]),
    new Map([['q', createNoul(0.125)]]),
  )
  assert.is(encodeText(encoded), '{"q":{"outcome":"accept","decision":false,"calibrated":0.125}}')
})

test('a yes of 0.1 is a no of exactly 0.9, despite the rounding errors of binary fractions', () => {
  const policy = createPolicy('noul', { method: 'none' }, 0.9, 'top')
  assert.is(policy.apply(createNoul(0.1)).outcome, 'accept')
})

test('an answer that the policy cannot judge goes to review', () => {
  const review = { outcome: 'review', calibrated: null }
  const policy = createPolicy('choice', { method: 'none' }, 0)
  assert.equal(policy.apply(createChoice()), review)
  assert.equal(policy.apply(createNoul(1)), review)
  assert.equal(policy.apply(undefined), review)
  assert.equal(policy.apply({ type: 'refusal', reason: 'blocked' }), review)
})

test('a policy without a map or without a cut sends every answer to review', () => {
  const review = { outcome: 'review', calibrated: null }
  assert.equal(createPolicy('choice', null, 0).apply(createChoice(1)), review)
  assert.equal(createPolicy('noul', null, 0.75, 'top').apply(createNoul(1)), review)
  const withoutCut = createPolicy('choice', { method: 'none' }, null)
  assert.is(withoutCut.apply(createChoice(1)).outcome, 'review')
})

const shapes: QuestionShapes = new Map([
  ['q', addPolicy({ type: 'noul' }, createPolicy('noul', { method: 'none' }, 0.8))],
  ['no-cut', addPolicy({ type: 'noul' }, createPolicy('noul', { method: 'none' }, null))],
  ['no-map', addPolicy({ type: 'noul' }, createPolicy('noul', null, null))],
  [
    'tone',
    addPolicy(
      { type: 'choice', labels: new Set(['calm', 'angry']) },
      createPolicy('choice', { method: 'none' }, 0.8),
    ),
  ],
])

/** Returns the message for a requirement that is refused; `undefined` if it is accepted. */
const checkRequirement = (text: string): string | undefined => {
  const requirements = parseRequirements([text])
  assert.ok(E.isRight(requirements))
  const checked = checkRequirements(requirements.right, shapes)
  return E.isLeft(checked) ? messageOf(checked.left) : undefined
}

const requirements: ReadonlyArray<readonly [text: string, fault: string | undefined]> = [
  ['q.calibrated >= 0.5 and tone.calibrated.calm < 0.5', undefined],
  ['no-cut.outcome != "accept"', undefined],
  ['q.outcome == "yes"', 'q.outcome is "accept" or "review": this never holds at column 14'],
  ['no-cut.outcome != "review"', 'no-cut.outcome is "review": this never holds at column 19'],
  ['no-map.calibrated > 0.5', 'the policy has no map for "no-map" at column 8'],
  ['tone.calibrated.angri > 0.5', '"tone" has no label "angri"; did you mean angry? at column 17'],
]

for (const [text, fault] of requirements)
  test(`with a policy, ${text} is ${fault === undefined ? 'accepted' : 'refused'}`, () => {
    assert.is(checkRequirement(text), fault && `--require: ${fault}: ${text}`)
  })

test.run()
