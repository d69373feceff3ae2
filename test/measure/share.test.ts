import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { withRecordLabels } from '../../lib/measure/labels/labelled-record'
import { comeFromSeveralSamples, createSampleCounter } from '../../lib/measure/labels/sample-counts'
import { planShares } from '../../lib/measure/share/share-plan'
import { createShareCollector } from '../../lib/measure/share/share-rows'
import { estimateShares, type QuestionShares } from '../../lib/measure/share/shares'
import { z95 } from '../../lib/measure/statistics/intervals'
import type { ShareEstimate } from '../../lib/measure/statistics/share'
import { createNoul, createRecords, type RecordFields } from './runs'
import { assertNear } from './statistics/vectors'

/** A row of a case: the members of its answer, with its label and the chance `p` of its draw. */
interface VectorRow {
  readonly unanswered?: boolean
  readonly label?: boolean | string | number
  readonly p?: number
  readonly group?: string
}

interface VectorCase {
  readonly name: string
  readonly type: string
  readonly rows: ReadonlyArray<VectorRow>
  readonly expected: {
    readonly rows: number
    readonly unanswered: number
    readonly labelled: number
    readonly shares: Readonly<Record<string, ShareEstimate>> | null
    readonly mean?: ShareEstimate
    /** The beginning of the reason why `shares` is null. */
    readonly why?: string
  }
}

const { cases } = JSON.parse(readFileSync('test/vectors/share.json', 'utf8')) as {
  readonly cases: ReadonlyArray<VectorCase>
}

const createRecordFields = (type: string, row: VectorRow): RecordFields => {
  const { unanswered, label, p, group, ...answer } = row
  if (unanswered) return { error: { kind: 'server', message: 'away' }, model: undefined }
  const labels = label === undefined ? {} : { labels: { q: label } }
  return { p, group, ...labels, answers: { q: { type, confidence: 0.5, ...answer } } }
}

const collectShareRun = (rows: ReadonlyArray<RecordFields>) => {
  const { add, finish } = createShareCollector()
  const drawCounter = createSampleCounter()
  for (const record of createRecords(rows)) {
    drawCounter.add(record)
    const fault = add(withRecordLabels(record))
    if (fault !== undefined) throw new Error(fault)
  }
  return { run: finish(), drawn: drawCounter.finish() }
}

const assertShare = (
  actual: ShareEstimate | undefined,
  expected: ShareEstimate,
  name: string,
): void => {
  for (const figure of ['estimate', 'low', 'high', 'slope'] as const)
    assertNear(actual?.[figure], expected[figure], `${figure} of ${name}`)
}

const test = suite('shares against a Python reference')

for (const { name, type, rows, expected } of cases)
  test(name, () => {
    const { run, drawn } = collectShareRun(rows.map((row) => createRecordFields(type, row)))
    if (expected.why === 'more than one draw') {
      assert.ok(comeFromSeveralSamples(drawn))
      return
    }
    const actual = estimateShares(run).questions.get('q') as QuestionShares
    assert.is(actual.rows, expected.rows)
    assert.is(actual.unanswered, expected.unanswered)
    assert.is(actual.labelled, expected.labelled)
    if (expected.why !== undefined) assert.ok(actual.why?.startsWith(expected.why), actual.why)
    assert.is(actual.shares === null, expected.shares === null)
    for (const [label, share] of Object.entries(expected.shares ?? {}))
      assertShare(actual.shares?.get(label), share, label)
    if (expected.mean !== undefined) assertShare(actual.mean, expected.mean, 'the mean')
  })

/** Plans the labels for the share of yes, in a run whose answers are P(yes) = 0.9 in every fourth row, else 0.05. */
const planYes = (rows: number, within: number) => {
  const answers = Array.from({ length: rows }, (_, i) => createNoul(i % 4 === 0 ? 0.9 : 0.05))
  const { run } = collectShareRun(answers.map((answer) => ({ answers: { q: answer } })))
  const needs = planShares(run, within).get('q')?.labels.get('yes')
  assert.ok(needs)
  return needs
}

test('plans fewer labels for calibrated answers than for useless ones', () => {
  const { alone, atBest } = planYes(1000, 0.03)
  assert.ok(atBest < alone)
})

test('plans the smallest number of labels whose interval is narrow enough', () => {
  const share = (0.9 + 3 * 0.05) / 4
  const computeHalfWidth = (n: number): number =>
    (z95 * Math.sqrt((1 - n / 1000) * (n * share * (1 - share) + 1))) / (n + 4)
  const { alone } = planYes(1000, 0.03)
  assert.ok(computeHalfWidth(alone) <= 0.03)
  assert.ok(computeHalfWidth(alone - 1) > 0.03)
})

test('plans at most as many labels as there are rows', () => {
  assert.is(planYes(20, 0.001).alone, 20)
})

test.run()
