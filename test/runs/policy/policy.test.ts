/**
 * A policy decides for each answer to a question whether it is accepted or goes to review. Its map corrects ("calibrates") the
 * probabilities of answers. Its cut is the lowest calibrated probability that is accepted, and its scale names that probability.
 */
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../lib/codec/answer'
import { encodeText } from '../../../lib/codec/json/draft'
import { messageOf } from '../../../lib/failure/report'
import { checkRequirements, parseRequirements } from '../../../lib/runs/gate/requirements'
import { addPolicy, type QuestionShapes } from '../../../lib/runs/gate/shape'
import {
  applyPolicies,
  describeOtherModels,
  encodePolicyOutcomes,
} from '../../../lib/runs/policy/answer-policies'
import { applyQuestionPolicy } from '../../../lib/runs/policy/apply'
import type {
  CalibrationMap,
  CutScale,
  QuestionPolicy,
  UsablePolicy,
} from '../../../lib/runs/policy/policy'

const test = suite('runs/policy')

const digest = 'a'.repeat(64)

/** The options of `createPolicy`. */
interface PolicyOptions {
  readonly type: QuestionPolicy['type']
  /** By default, a map that leaves probabilities unchanged. Null is a policy without a map. */
  readonly map?: CalibrationMap | null
  /** The cut. Null is a policy without a cut. */
  readonly at: number | null
  /** By default, P(yes) for a noul and the largest probability for other types. */
  readonly scale?: CutScale
}

const createPolicy = (options: PolicyOptions): UsablePolicy => {
  const { type, map = { method: 'none' }, at, scale = type === 'noul' ? 'noul' : 'top' } = options
  const policy = { type, questionsSha256: digest, models: ['m'], map, scale, cut: { at } }
  return { ...policy, apply: (answer) => applyQuestionPolicy(policy, answer) }
}

/** Creates an answer to a yes/no question (a `noul`), with the probability of a yes. */
const createNoul = (p: number): Answer => ({ type: 'noul', noul: p })

/** Creates a choice with these probabilities of `label0`, `label1` and so on. */
const createChoice = (...probabilities: ReadonlyArray<number>): Answer => ({
  type: 'choice',
  choice: 'label0',
  confidence: 0,
  probabilities: probabilities.map((p, i) => [`label${i}`, p]),
})

test('accepts an answer whose calibrated probability is at least the cut', () => {
  const policy = createPolicy({ type: 'noul', at: 0.8 })
  assert.equal(policy.apply(createNoul(0.8)), { outcome: 'accept', calibrated: 0.8 })
  assert.equal(policy.apply(createNoul(0.79)), { outcome: 'review', calibrated: 0.79 })
})

// The next two maps divide the logit of a probability, ln(p / (1 - p)), by 2: ln 4 for 0.8 becomes ln 2, which is the logit of 2/3.
test('a temperature of 2 calibrates a probability of 0.8 to 2/3', () => {
  const policy = createPolicy({
    type: 'choice',
    map: { method: 'temperature', temperature: 2 },
    at: 0.67,
  })
  assert.equal(policy.apply(createChoice(0.8, 0.2)), {
    outcome: 'review',
    // svc rounds to 12 significant digits.
    calibrated: [
      ['label0', 0.666666666667],
      ['label1', 0.333333333333],
    ],
  })
})

test('a Platt map with the slope 0.5 calibrates a probability of 0.8 to 2/3', () => {
  const policy = createPolicy({
    type: 'noul',
    map: { method: 'platt', slope: 0.5, intercept: 0 },
    at: 0.66,
  })
  assert.equal(policy.apply(createNoul(0.8)), { outcome: 'accept', calibrated: 0.666666666667 })
})

test('a cut on the scale top accepts a confident no like a confident yes', () => {
  const policy = createPolicy({ type: 'noul', at: 0.75, scale: 'top' })
  const outcomes = [1, 0.75, 0.5, 0.25].map((p) => policy.apply(createNoul(p)))
  assert.equal(outcomes, [
    { outcome: 'accept', decision: true, calibrated: 1 },
    { outcome: 'accept', decision: true, calibrated: 0.75 },
    { outcome: 'review', decision: true, calibrated: 0.5 },
    { outcome: 'accept', decision: false, calibrated: 0.25 },
  ])
})

test('encodes the decision of a policy on the scale top', () => {
  const policy = createPolicy({ type: 'noul', at: 0.75, scale: 'top' })
  const outcomes = applyPolicies(new Map([['q', policy]]), new Map([['q', createNoul(0.125)]]))
  assert.is(
    encodeText(encodePolicyOutcomes(outcomes)),
    '{"q":{"outcome":"accept","decision":false,"calibrated":0.125}}',
  )
})

test('a yes of 0.1 is a no of exactly 0.9, despite the rounding errors of binary fractions', () => {
  const policy = createPolicy({ type: 'noul', at: 0.9, scale: 'top' })
  assert.is(policy.apply(createNoul(0.1)).outcome, 'accept')
})

test('an answer that the policy cannot judge goes to review', () => {
  const review = { outcome: 'review', calibrated: null }
  const policy = createPolicy({ type: 'choice', at: 0 })
  assert.equal(policy.apply(createChoice()), review)
  assert.equal(policy.apply(createNoul(1)), review)
  assert.equal(policy.apply(undefined), review)
  assert.equal(policy.apply({ type: 'refusal', reason: 'blocked' }), review)
})

test('a policy without a map or without a cut sends every answer to review', () => {
  const review = { outcome: 'review', calibrated: null }
  const choiceWithoutMap = createPolicy({ type: 'choice', map: null, at: 0 })
  assert.equal(choiceWithoutMap.apply(createChoice(1)), review)
  const noulWithoutMap = createPolicy({ type: 'noul', map: null, at: 0.75, scale: 'top' })
  assert.equal(noulWithoutMap.apply(createNoul(1)), review)
  const withoutCut = createPolicy({ type: 'choice', at: null })
  assert.is(withoutCut.apply(createChoice(1)).outcome, 'review')
})

test('describes a model that the policy of the second question was not derived from', () => {
  const policy = createPolicy({ type: 'noul', at: 0.8 })
  const policies = new Map([
    ['first', { ...policy, models: ['m', 'n'] }],
    ['second', { ...policy, models: ['m'] }],
  ])
  // An iterator can be read only once.
  const models = new Map([['n', 1]]).keys()
  assert.is(
    describeOtherModels({ path: 'policy.json', policies, pin: false }, models),
    'the policy policy.json is for m, but n answered',
  )
})

/** Questions with policies, for requirements. */
const shapes: QuestionShapes = new Map([
  ['q', addPolicy({ type: 'noul' }, createPolicy({ type: 'noul', at: 0.8 }))],
  ['no-cut', addPolicy({ type: 'noul' }, createPolicy({ type: 'noul', at: null }))],
  ['no-map', addPolicy({ type: 'noul' }, createPolicy({ type: 'noul', map: null, at: null }))],
  [
    'tone',
    addPolicy(
      { type: 'choice', labels: new Set(['calm', 'angry']) },
      createPolicy({ type: 'choice', at: 0.8 }),
    ),
  ],
])

/** Returns the message about a requirement that is refused; `undefined` if it is accepted. */
const findRequirementFault = (text: string): string | undefined => {
  const requirements = parseRequirements([text])
  assert.ok(E.isRight(requirements))
  const checked = checkRequirements(requirements.right, shapes)
  return E.isLeft(checked) ? messageOf(checked.left) : undefined
}

const acceptedRequirements = [
  'q.calibrated >= 0.5 and tone.calibrated.calm < 0.5',
  'no-cut.outcome != "accept"',
]
for (const text of acceptedRequirements)
  test(`with a policy, ${text} is accepted`, () => {
    assert.is(findRequirementFault(text), undefined)
  })

const refusedRequirements: ReadonlyArray<{ readonly text: string; readonly fault: string }> = [
  {
    text: 'q.outcome == "yes"',
    fault: 'q.outcome is "accept" or "review": this never holds at column 14',
  },
  {
    text: 'no-cut.outcome != "review"',
    fault: 'no-cut.outcome is "review": this never holds at column 19',
  },
  {
    text: 'no-map.calibrated > 0.5',
    fault: 'the policy has no map for "no-map" at column 8',
  },
  {
    text: 'tone.calibrated.angri > 0.5',
    fault: '"tone" has no label "angri"; did you mean angry? at column 17',
  },
]
for (const { text, fault } of refusedRequirements)
  test(`with a policy, ${text} is refused`, () => {
    assert.is(findRequirementFault(text), `--require: ${fault}: ${text}`)
  })

test.run()
