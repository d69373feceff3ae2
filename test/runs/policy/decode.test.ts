import Ajv from 'ajv/dist/2020.js'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../../lib/codec/json/draft'
import { applyPolicies, encodePolicyOutcomes } from '../../../lib/runs/policy/answer-policies'
import { decodePolicy } from '../../../lib/runs/policy/decode'
import schema from '../../../lib/runs/policy/svc-policy.schema.json'

const test = suite('runs/policy/decode')

const isValidBySchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema)

const digest = 'a'.repeat(64)

/**
 * The cut of a policy: answers with a probability of at least 0.8 are accepted. `scale` names this probability, here P(yes). The other
 * members say how `svc calibrate` found the cut.
 */
const validCut = {
  at: 0.8,
  scale: 'noul',
  n: 60,
  low: 0.9,
  target: { figure: 'precision', value: 0.9 },
}

/** Creates the policy of one question as `svc calibrate` writes it. Its map corrects probabilities. `changes` overrides members. */
const createQuestionDocument = (changes: object = {}): object => ({
  type: 'noul',
  questions_sha256: digest,
  models: ['m'],
  map: { method: 'none' },
  cut: validCut,
  n: 100,
  ...changes,
})

/** Decodes the policy of a question `q`. Returns the fault; `undefined` if the policy is valid. */
const findDecodeFault = (questionDocument: object): string | undefined => {
  const document = { questions: { q: questionDocument } }
  const decoded = decodePolicy(Buffer.from(JSON.stringify(document)))
  return E.isLeft(decoded) ? decoded.left : undefined
}

/** Changes that make the policy of a question invalid, and the fault that the decoder reports. */
const invalidChanges: ReadonlyArray<{ readonly changes: object; readonly fault: string }> = [
  {
    changes: { type: 'embedding' },
    fault: 'questions.q.type: must be one of noul, choice, score',
  },
  {
    changes: { questions_sha256: `${digest.slice(1)}G` },
    fault: 'questions.q.questions_sha256: must be 64 hexadecimal digits',
  },
  {
    changes: { cut: { ...validCut, at: 1.2 } },
    fault: 'questions.q.cut.at: must be from 0 to 1',
  },
  {
    changes: { cut: { ...validCut, scale: 'p' } },
    fault: 'questions.q.cut.scale: must be one of noul, top',
  },
  {
    changes: { map: { method: 'beta' } },
    fault: 'questions.q.map.method: must be one of none, platt, temperature',
  },
  {
    changes: {
      type: 'score',
      map: { method: 'temperature', temperature: 1e-320 },
      cut: { ...validCut, scale: 'top' },
    },
    fault: 'questions.q.map.temperature: must be from 0.05 to 20',
  },
  {
    changes: { map: { method: 'platt', slope: 1 } },
    fault: 'questions.q.map.slope: "slope" and "intercept" must be numbers',
  },
]

for (const { changes, fault } of invalidChanges)
  test(`the decoder and the JSON Schema refuse a policy: ${fault}`, () => {
    const question = createQuestionDocument(changes)
    assert.is(findDecodeFault(question), fault)
    assert.is(isValidBySchema({ questions: { q: question } }), false)
  })

test('the decoder refuses a map or scale of another type of question, which the JSON Schema accepts', () => {
  const temperature = { map: { method: 'temperature', temperature: 2 } }
  assert.is(
    findDecodeFault(createQuestionDocument(temperature)),
    'questions.q.map.method: temperature is for choice and score questions only',
  )
  assert.is(
    findDecodeFault(createQuestionDocument({ type: 'choice' })),
    'questions.q.cut.scale: noul is for noul questions only',
  )
  const platt = {
    type: 'choice',
    cut: { ...validCut, scale: 'top' },
    map: { method: 'platt', slope: 1, intercept: 0 },
  }
  assert.is(
    findDecodeFault(createQuestionDocument(platt)),
    'questions.q.map.method: platt is for noul questions only',
  )
})

test('refuses documents without questions', () => {
  const noQuestions = decodePolicy(Buffer.from('{"questions":{}}'))
  assert.equal(noQuestions, E.left('questions: must not be empty'))
  assert.equal(decodePolicy(Buffer.from('[]')), E.left('must be an object'))
})

test('refuses a number that is too large for a double', () => {
  const question = JSON.stringify(createQuestionDocument()).replace('0.8', '1e999')
  assert.equal(
    decodePolicy(Buffer.from(`{"questions":{"q":${question}}}`)),
    E.left('questions.q.cut.at: must be from 0 to 1'),
  )
})

test('keeps the order of question ids that look like indexes', () => {
  const question = JSON.stringify(createQuestionDocument())
  const members = ['b', '10', '__proto__'].map((id) => `"${id}":${question}`)
  const decoded = decodePolicy(Buffer.from(`{"questions":{${members.join(',')}}}`))
  assert.ok(E.isRight(decoded))
  assert.equal([...decoded.right.keys()], ['b', '10', '__proto__'])
  const outcomes = applyPolicies(
    decoded.right,
    new Map([['10', { type: 'noul', noul: 0.9 } as const]]),
  )
  assert.is(
    encodeText(encodePolicyOutcomes(outcomes)),
    '{"b":{"outcome":"review","calibrated":null},"10":{"outcome":"accept","calibrated":0.9},' +
      '"__proto__":{"outcome":"review","calibrated":null}}',
  )
})

test.run()
