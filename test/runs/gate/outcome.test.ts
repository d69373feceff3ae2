import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { evaluateRequirements, parseRequirements } from '../../../lib/runs/gate/requirements'
import { parseSelection, RecordFilter } from '../../../lib/runs/gate/selection'
import type { QuestionShapes } from '../../../lib/runs/gate/shape'
import { createGateTally } from '../../../lib/runs/gate/tally'
import { applyQuestionPolicy } from '../../../lib/runs/policy/apply'
import type { AnswerPolicies, UsablePolicy } from '../../../lib/runs/policy/policy'
import { decodeRecord, type RunRecord } from '../../../lib/runs/record/decode'
import { isAnswered } from '../../../lib/runs/record/outcome'
import * as fc from '../../support/fast-check'

/**
 * A policy accepts an answer or sends the row to a person: its outcome is `accept` or `review`. A row needs no answer for that. So the
 * accepted rows, the rows for a person, and the rows that failed are all rows of a run, in any order of the rows.
 */
const test = suite('runs/gate, outcomes of policies')

const policy = {
  type: 'noul',
  questionsSha256: 'a'.repeat(64),
  models: ['m'],
  map: { method: 'none' },
  scale: 'noul',
  cut: { at: 0.5 },
} as const

const usablePolicy: UsablePolicy = {
  ...policy,
  apply: (answer) => applyQuestionPolicy(policy, answer),
}

const policies: AnswerPolicies = new Map([['q', usablePolicy]])

const shapes: QuestionShapes = new Map([['q', { type: 'noul', policy: usablePolicy }]])

const refusal = { type: 'refusal', reason: 'policy' } as const
const otherType = { type: 'choice', choice: 'a', confidence: 1, probabilities: { a: 1 } } as const

/** The answers to the question `q`: `missing` without an answer to it, `failed` if the whole row was not answered. */
const rows = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.nat(100).map((p) => ({ type: 'noul', noul: p / 100 })) },
    fc.constantFrom(refusal, otherType, 'missing', 'failed'),
  ),
  { maxLength: 30 },
)

/** Creates the records that `svc batch --policy` writes. */
const createRecords = (answers: ReadonlyArray<unknown>): ReadonlyArray<RunRecord> =>
  answers.map((answer, index) => {
    const document =
      answer === 'failed'
        ? { index, error: { kind: 'server', message: 'down' } }
        : {
            index,
            model: 'm',
            answers: {
              other: { type: 'noul', noul: 0.5 },
              ...(answer !== 'missing' && { q: answer }),
            },
            usage: {},
          }
    const record = decode(document, index)
    if (!isAnswered(record.outcome)) return record
    const { outcome, calibrated } = applyQuestionPolicy(policy, record.outcome.answers.get('q'))
    return decode({ ...document, policy: { q: { outcome, calibrated } } }, index)
  })

const decode = (document: object, index: number): RunRecord => {
  const record = decodeRecord(Buffer.from(JSON.stringify(document)), index + 1, index)
  if (E.isLeft(record)) throw new Error(record.left.cause)
  return record.right
}

/** Counts the records that `svc select --where` and `svc batch --reuse-where` select. */
const countSelected = (records: ReadonlyArray<RunRecord>, condition: string): number => {
  const selection = parseSelection([condition], false)
  if (E.isLeft(selection)) throw new Error(condition)
  const filter = new RecordFilter(selection.right)
  const selected = records.filter((record) => filter.selects(record))
  const finished = filter.finish()
  assert.ok(E.isRight(finished), JSON.stringify(finished))
  return selected.length
}

/** Counts the rows that pass `svc gate --policy --require`. */
const countPassed = (records: ReadonlyArray<RunRecord>, condition: string): number => {
  const requirements = parseRequirements([condition])
  if (E.isLeft(requirements)) throw new Error(condition)
  const tally = createGateTally(
    requirements.right,
    { maxListedRows: 0, listsAllRows: false },
    policies,
  )
  for (const record of records) tally.add(record)
  const { passed, unevaluable } = tally.createVerdict()
  assert.is(unevaluable, 0)
  return passed
}

/** Counts the rows whose `gate` has passed in `svc batch --policy --require`. */
const countJudged = (records: ReadonlyArray<RunRecord>, condition: string): number => {
  const requirements = parseRequirements([condition])
  if (E.isLeft(requirements)) throw new Error(condition)
  return records.filter(
    ({ outcome }) =>
      isAnswered(outcome) &&
      evaluateRequirements(requirements.right, shapes, outcome.answers).passed,
  ).length
}

const counters = [
  ['select --where and batch --reuse-where', countSelected],
  ['gate --policy', countPassed],
  ['batch --require', countJudged],
] as const

for (const [name, count] of counters)
  test(`${name}: accepted rows, rows for a person and failed rows are all rows`, () => {
    const property = fc.property(rows, (answers) => {
      const records = createRecords(answers)
      const accepted = count(records, 'q.outcome == "accept"')
      const review = count(records, 'q.outcome == "review"')
      const failed = records.filter(({ outcome }) => !isAnswered(outcome)).length
      assert.is(accepted + review + failed, records.length)
      const expected = records.filter(
        ({ outcome }) =>
          isAnswered(outcome) &&
          applyQuestionPolicy(policy, outcome.answers.get('q')).outcome === 'accept',
      )
      assert.is(accepted, expected.length)
    })
    fc.assert(property, { numRuns: 200 * fc.inputFactor })
  })

test('a record without a policy lacks an outcome, whatever policy an earlier record has', () => {
  const [withPolicy] = createRecords([{ type: 'noul', noul: 0.9 }])
  const withoutPolicy = decode(
    { index: 1, model: 'm', answers: { q: { type: 'noul', noul: 0.9 } }, usage: {} },
    1,
  )
  if (withPolicy === undefined) return assert.unreachable('no record')
  const condition = 'q.outcome == "accept"'
  assert.is(countSelected([withPolicy, withoutPolicy], condition), 1)
  assert.is(countSelected([withoutPolicy, withPolicy], condition), 1)
})

test('a condition that does not fit names its own flag', () => {
  const selection = parseSelection(['q.noul == "x"'], false, '--reuse-where')
  if (E.isLeft(selection)) return assert.unreachable('a valid condition')
  const filter = new RecordFilter(selection.right)
  for (const record of createRecords([refusal, { type: 'noul', noul: 0.9 }])) filter.selects(record)
  const finished = filter.finish()
  assert.match(JSON.stringify(finished), /--reuse-where: q\.noul is a number, not a text/)
})

test.run()
