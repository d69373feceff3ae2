import Ajv from 'ajv/dist/2020.js'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { type CalibrateOptions, calibrate } from '../../lib/measure/calibrate/calibrate'
import { encodeFoundPolicy, type FoundPolicy } from '../../lib/measure/calibrate/policy-document'
import { parseTargets } from '../../lib/measure/calibrate/targets'
import schema from '../../lib/runs/policy/svc-policy.schema.json'
import { createRandom } from '../../lib/runtime/random'
import { collectRun, createChoice, createNoul, createScore, type RecordFields } from './runs'

const test = suite('measure/calibrate')

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema)

const sha = 'a'.repeat(64)

/** Rows that say p and come true as often as `chance` of it; choices and scores likewise. */
const rowsOf = (n: number, chance = (p: number): number => p): ReadonlyArray<RecordFields> => {
  const random = createRandom(1)
  return Array.from({ length: n }, () => {
    const p = random.unit()
    const top = 0.5 + p / 2
    return {
      questions_sha256: sha,
      answers: {
        q: createNoul(p),
        t: createChoice({ a: top, b: 1 - top }),
        u: createScore(1 - top, top),
      },
      labels: {
        q: random.unit() < chance(p),
        t: random.unit() < chance(top) ? 'a' : 'b',
        u: random.unit() < chance(top) ? 1 : 0,
      },
    }
  })
}

const policyOf = (
  rows: ReadonlyArray<RecordFields>,
  targets: ReadonlyArray<string>,
  more: Partial<CalibrateOptions> = {},
): FoundPolicy | string => {
  const parsed = parseTargets(targets)
  if (E.isLeft(parsed)) return (parsed.left as { readonly message: string }).message
  const options = {
    targets: parsed.right,
    confidence: 0.95,
    method: 'auto',
    seed: 0,
    ...more,
  } as const
  const policy = calibrate(collectRun(rows), options)
  return E.isLeft(policy) ? (policy.left as { readonly message: string }).message : policy.right
}

const made = (...args: Parameters<typeof policyOf>): FoundPolicy => {
  const policy = policyOf(...args)
  if (typeof policy === 'string') throw new Error(policy)
  const document = JSON.parse(encode(encodeFoundPolicy(policy)).toString())
  assert.ok(validate(document), JSON.stringify(validate.errors))
  return policy
}

/** The policy of one question. */
const of = (found: FoundPolicy, id: string) => {
  const policy = found.get(id)
  if (policy === undefined) throw new Error(`no question ${id}`)
  return policy
}

test('a calibrated source keeps its probabilities and gets the cut that its target needs', () => {
  const policy = made(rowsOf(2000), ['precision=0.85', 'accuracy=0.85'])
  for (const id of ['q', 't', 'u']) {
    const { map, cut, n } = of(policy, id)
    assert.equal(map, { method: 'none' })
    assert.is(n, 2000)
    assert.is(cut.needs, 19)
    assert.ok(cut.at !== null && cut.low !== null && cut.low >= 0.85)
    // Half of what is left of the scale above the cut is wrong.
    assert.ok((1 + cut.at) / 2 >= 0.85, `${id} at ${cut.at}`)
  }
})

test('corrects an overconfident source, and its cut is on the corrected scale', () => {
  const flat = (p: number): number => 1 / (1 + (1 / p - 1) ** 0.4)
  const policy = made(rowsOf(3000, flat), ['precision=0.6'])
  const { map, cut } = of(policy, 'q')
  assert.ok(map !== null && map.method !== 'none')
  if (map.method === 'platt') assert.ok(Math.abs(map.slope - 0.4) < 0.1)
  assert.ok(cut.at !== null && cut.at < 0.9)
})

for (const method of ['none', 'temperature', 'platt'] as const)
  test(`--method ${method} is taken where it fits`, () => {
    const policy = made(rowsOf(300), [], { method })
    assert.is(policy.get('q')?.map?.method, method === 'platt' ? method : 'none')
    const other = method === 'temperature' ? method : 'none'
    assert.equal([policy.get('t')?.map?.method, policy.get('u')?.map?.method], [other, other])
  })

test('the target of a question overrides the general one', () => {
  const policy = made(rowsOf(500), ['accuracy=0.8', 't:coverage=0.5', 'q:recall=0.8'])
  assert.is(policy.get('u')?.target?.figure, 'accuracy')
  assert.is(policy.get('t')?.target?.figure, 'coverage')
  assert.ok((policy.get('t')?.cut.low ?? 0) >= 0.5)
  assert.is(policy.get('q')?.target?.figure, 'recall')
})

test('a noul takes accuracy and coverage on the larger of yes and no, after precision and recall', () => {
  const policy = made(rowsOf(2000), ['accuracy=0.85'])
  const { at, n, low } = of(policy, 'q').cut
  assert.ok(at !== null && low !== null && low >= 0.85)
  // A calibrated source is right in (1 + at) / 2 of those that say at least `at` of either, 2 - 2·at of all.
  assert.ok((1 + at) / 2 >= 0.85 && Math.abs(n / 2000 - (2 - 2 * at)) < 0.05)
  const both = made(rowsOf(500), [
    'coverage=0.5',
    'precision=0.8',
    'q:coverage=0.4',
    'q:recall=0.7',
  ])
  assert.is(both.get('q')?.target?.figure, 'recall')
  assert.is(both.get('t')?.target?.figure, 'coverage')
  assert.is(
    made(rowsOf(500), ['accuracy=0.5', 'precision=0.8']).get('q')?.target?.figure,
    'precision',
  )
})

test('answers that point the wrong way get neither map nor cut', () => {
  const policy = made(
    rowsOf(400, (p) => 1 - p),
    ['precision=0.7', 'accuracy=0.7'],
  )
  assert.is(of(policy, 'q').map, null)
  assert.is(
    of(policy, 'q').cut.why,
    'the answers point the wrong way: rows with a larger P(yes) are less often a yes',
  )
})

test('a cut takes 30 groups', () => {
  const inGroups = (groups: number) =>
    of(
      made(
        rowsOf(2000).map((row, i) => ({ ...row, group: i % groups })),
        ['accuracy=0.8'],
      ),
      't',
    ).cut
  assert.is(
    inGroups(29).why,
    'a cut takes 30 groups, and these rows are worth 28; accuracy 0.8 takes at least 2 more groups',
  )
  assert.ok(inGroups(100).at !== null)
})

test('answers without probabilities are not calibrated', () => {
  const rows = rowsOf(40).map((row) => ({
    ...row,
    answers: {
      t: { type: 'choice', choice: 'a', confidence: 1 },
      q: (row.answers as RecordFields).q,
    },
    labels: { t: 'a', q: (row.labels as RecordFields).q },
  }))
  const { map, cut } = of(made(rows, ['accuracy=0.5']), 't')
  assert.is(map, null)
  assert.is(cut.why, '40 of 40 answers have no probabilities')
})

const refused: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
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

for (const [message, targets] of refused)
  test(message, () => {
    assert.is(policyOf(rowsOf(40), targets), message)
  })

test('an id may hold a colon', () => {
  const rows = rowsOf(40).map((row) => ({
    ...row,
    answers: { 'a:b': (row.answers as RecordFields).q },
    labels: { 'a:b': (row.labels as RecordFields).q },
  }))
  assert.is(made(rows, ['a:b:recall=0.5']).get('a:b')?.target?.figure, 'recall')
})

test.run()
