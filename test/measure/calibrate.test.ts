import Ajv from 'ajv/dist/2020.js'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import type { Failure } from '../../lib/failure/failure'
import { type CalibrateOptions, calibrate } from '../../lib/measure/calibrate/calibrate'
import {
  encodePolicyWithEvidence,
  type PolicyWithEvidence,
  type QuestionPolicyWithEvidence,
} from '../../lib/measure/calibrate/policy-document'
import { parseTargets } from '../../lib/measure/calibrate/targets'
import schema from '../../lib/runs/policy/svc-policy.schema.json'
import { createRandom } from '../../lib/runtime/random'
import { collectRun, createChoice, createNoul, createScore, type RecordFields } from './runs'

const test = suite('measure/calibrate')

const matchesSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema)

const questionsSha256 = 'a'.repeat(64)

/**
 * Creates labelled rows with a noul `q`, a choice `t` and a score `u`. `chanceOf` returns the chance that an answer with a given
 * probability is right. By default both are equal: the answers are calibrated.
 */
const createRows = (
  count: number,
  chanceOf = (probability: number): number => probability,
): ReadonlyArray<RecordFields> => {
  const random = createRandom(1)
  return Array.from({ length: count }, () => {
    const yes = random.nextFloat()
    const top = 0.5 + yes / 2
    return {
      questions_sha256: questionsSha256,
      answers: {
        q: createNoul(yes),
        t: createChoice({ a: top, b: 1 - top }),
        u: createScore(1 - top, top),
      },
      labels: {
        q: random.nextFloat() < chanceOf(yes),
        t: random.nextFloat() < chanceOf(top) ? 'a' : 'b',
        u: random.nextFloat() < chanceOf(top) ? 1 : 0,
      },
    }
  })
}

/** Runs `svc calibrate` on rows. */
const tryCalibrate = (
  rows: ReadonlyArray<RecordFields>,
  targets: ReadonlyArray<string>,
  options: Partial<CalibrateOptions> = {},
): E.Either<Failure, PolicyWithEvidence> => {
  const parsed = parseTargets(targets)
  if (E.isLeft(parsed)) return parsed
  return calibrate(collectRun(rows), {
    targets: parsed.right,
    confidence: 0.95,
    method: 'auto',
    seed: 0,
    ...options,
  })
}

/** Runs `svc calibrate` on rows. Asserts that it succeeds, and that the policy matches its JSON Schema. */
const calibrateRows = (...args: Parameters<typeof tryCalibrate>): PolicyWithEvidence => {
  const policy = tryCalibrate(...args)
  assert.ok(E.isRight(policy), JSON.stringify(policy))
  const document = JSON.parse(encode(encodePolicyWithEvidence(policy.right)).toString())
  assert.ok(matchesSchema(document), JSON.stringify(matchesSchema.errors))
  return policy.right
}

const findPolicy = (policy: PolicyWithEvidence, question: string): QuestionPolicyWithEvidence => {
  const found = policy.get(question)
  assert.ok(found, question)
  return found
}

test('does not change calibrated probabilities, and finds a cut that reaches its target', () => {
  const policy = calibrateRows(createRows(2000), ['precision=0.85', 'accuracy=0.85'])
  for (const id of ['q', 't', 'u']) {
    const { map, cut, labelledRows } = findPolicy(policy, id)
    assert.equal(map, { method: 'none' })
    assert.is(labelledRows, 2000)
    assert.is(cut.minRowsForProof, 19)
    assert.ok(cut.threshold !== null && cut.lowerBound !== null && cut.lowerBound >= 0.85)
    // The accepted probabilities are uniform from the cut to 1, and calibrated: their mean is the share that is right.
    const shareOfRight = (cut.threshold + 1) / 2
    assert.ok(shareOfRight >= 0.85, `${id} at ${cut.threshold}`)
  }
})

test('corrects overconfident probabilities, and cuts on the corrected scale', () => {
  const slope = 0.4
  const chanceOf = (p: number): number => 1 / (1 + (1 / p - 1) ** slope)
  const { map, cut } = findPolicy(calibrateRows(createRows(3000, chanceOf), ['precision=0.6']), 'q')
  assert.ok(map?.method === 'platt')
  assert.ok(Math.abs(map.slope - slope) < 0.1)
  assert.ok(cut.threshold !== null && cut.threshold < 0.9)
})

const methodCases = [
  { method: 'none', noul: 'none', others: 'none' },
  { method: 'temperature', noul: 'none', others: 'temperature' },
  { method: 'platt', noul: 'platt', others: 'none' },
] as const

for (const { method, noul, others } of methodCases)
  test(`applies --method ${method} only to the question types that it fits`, () => {
    const policy = calibrateRows(createRows(300), [], { method })
    assert.is(policy.get('q')?.map?.method, noul)
    assert.is(policy.get('t')?.map?.method, others)
    assert.is(policy.get('u')?.map?.method, others)
  })

const targetCases: ReadonlyArray<{
  readonly title: string
  readonly targets: ReadonlyArray<string>
  readonly expected: Readonly<Record<string, string>>
}> = [
  {
    title: 'the target of a question overrides the one for all questions',
    targets: ['accuracy=0.8', 't:coverage=0.5', 'q:recall=0.8'],
    expected: { q: 'recall', t: 'coverage', u: 'accuracy' },
  },
  {
    title: 'recall of a noul overrides its coverage',
    targets: ['coverage=0.5', 'precision=0.8', 'q:coverage=0.4', 'q:recall=0.7'],
    expected: { q: 'recall', t: 'coverage', u: 'coverage' },
  },
  {
    title: 'precision of a noul overrides its accuracy',
    targets: ['accuracy=0.5', 'precision=0.8'],
    expected: { q: 'precision', t: 'accuracy', u: 'accuracy' },
  },
]

for (const { title, targets, expected } of targetCases)
  test(title, () => {
    const policy = calibrateRows(createRows(500), targets)
    for (const [id, figure] of Object.entries(expected))
      assert.is(policy.get(id)?.target?.figure, figure, id)
  })

test('reaches the target of a coverage', () => {
  const { cut } = findPolicy(calibrateRows(createRows(500), ['t:coverage=0.5']), 't')
  assert.ok(cut.lowerBound !== null && cut.lowerBound >= 0.5)
})

test('accepts a sure no like a sure yes if the target of a noul is accuracy', () => {
  const rows = 2000
  const { threshold, acceptedRows, lowerBound } = findPolicy(
    calibrateRows(createRows(rows), ['accuracy=0.85']),
    'q',
  ).cut
  assert.ok(threshold !== null && lowerBound !== null && lowerBound >= 0.85)
  const shareOfRight = (1 + threshold) / 2
  assert.ok(shareOfRight >= 0.85)
  // P(yes) is uniform, so a share of 1 − at is at or above the cut, and as many are at or below 1 − at.
  const shareOfAccepted = 2 * (1 - threshold)
  assert.ok(Math.abs(acceptedRows / rows - shareOfAccepted) < 0.05)
})

test('finds no map and no cut for answers that point the wrong way', () => {
  const rows = createRows(400, (p) => 1 - p)
  const { map, cut } = findPolicy(calibrateRows(rows, ['precision=0.7', 'accuracy=0.7']), 'q')
  assert.is(map, null)
  assert.is(
    cut.reason,
    'the answers point the wrong way: rows with a larger P(yes) are less often a yes',
  )
})

test('finds a cut only if there are at least 30 groups', () => {
  const findCut = (groups: number) => {
    const rows = createRows(2000).map((row, i) => ({ ...row, group: i % groups }))
    return findPolicy(calibrateRows(rows, ['accuracy=0.8']), 't').cut
  }
  assert.is(
    findCut(29).reason,
    'a cut takes 30 groups, and these rows are worth 28; accuracy 0.8 takes at least 2 more groups',
  )
  assert.ok(findCut(100).threshold !== null)
})

test('does not calibrate answers without probabilities', () => {
  const withoutProbabilities = { type: 'choice', choice: 'a', confidence: 1 }
  const rows = Array.from({ length: 40 }, () => ({
    questions_sha256: questionsSha256,
    answers: { t: withoutProbabilities },
    labels: { t: 'a' },
  }))
  const { map, cut } = findPolicy(calibrateRows(rows, ['accuracy=0.5']), 't')
  assert.is(map, null)
  assert.is(cut.reason, '40 of 40 answers have no probabilities')
})

const invalidTargets: ReadonlyArray<readonly [message: string, targets: ReadonlyArray<string>]> = [
  [
    '--target "f1=0.9": expected [question:]precision|recall|accuracy|coverage=<number>',
    ['f1=0.9'],
  ],
  ['--target "precision=1": precision must be above 0 and below 1', ['precision=1']],
  ['--target "recall=0": recall must be above 0 and below 1', ['recall=0']],
  [
    '--target "coverage=0.9": question "q" has the target accuracy=0.9 already',
    ['accuracy=0.9', 'coverage=0.9'],
  ],
  [
    '--target "q:recall=0.9": question "q" has the target q:recall=0.8 already',
    ['q:recall=0.8', 'q:recall=0.9'],
  ],
]

for (const [message, targets] of invalidTargets)
  test(`refuses a target: ${message}`, () => {
    const policy = tryCalibrate(createRows(40), targets)
    assert.ok(E.isLeft(policy) && 'message' in policy.left)
    assert.is(policy.left.message, message)
  })

test('accepts a target for a question whose id has a colon', () => {
  const rows = Array.from({ length: 40 }, (_, i) => ({
    questions_sha256: questionsSha256,
    answers: { 'a:b': createNoul(i / 40) },
    labels: { 'a:b': i >= 20 },
  }))
  const policy = calibrateRows(rows, ['a:b:recall=0.5'])
  assert.is(policy.get('a:b')?.target?.figure, 'recall')
})

test.run()
