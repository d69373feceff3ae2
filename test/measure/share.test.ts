import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { withRecordLabels } from '../../lib/measure/labels/labelled-record'
import {
  createSampleCounter,
  explainSeveralSamples,
  sampleExceedsRun,
} from '../../lib/measure/labels/sample-counts'
import { createShareCollector } from '../../lib/measure/share/collect-shares'
import { planShares } from '../../lib/measure/share/share-plan'
import { estimateShares, type QuestionShares } from '../../lib/measure/share/shares'
import { z95 } from '../../lib/measure/statistics/intervals'
import type { ShareEstimate } from '../../lib/measure/statistics/share'
import { readVectors } from '../support/vectors'
import { createNoul, createRecords, type RecordFields } from './runs'
import { assertNear } from './statistics/vectors'

/** A row of a case. The other members are those of its answer, such as `noul`. */
interface VectorRow {
  readonly unanswered?: boolean
  readonly label?: boolean | string | number
  /** The chance with which the row was drawn. */
  readonly p?: number
  readonly group?: string
}

/** The answers and labels of a run, and the expected share of each label: the fraction of all rows that have the label. */
interface VectorCase {
  readonly name: string
  /** The type of the question. A yes/no question has the type `noul`. */
  readonly type: string
  readonly rows: ReadonlyArray<VectorRow>
  readonly expected: {
    readonly rows: number
    readonly unanswered: number
    readonly labelled: number
    readonly shares: Readonly<Record<string, ShareEstimate>> | null
    /** The mean level of a score question. */
    readonly mean?: ShareEstimate
    /** The beginning of the reason why `shares` is null. */
    readonly why?: string
  }
}

const { cases } = readVectors<{ readonly cases: ReadonlyArray<VectorCase> }>('share.json')

/** Creates a record with an answer to the question `topic`, or an error if the row was not answered. */
const createRecordFields = (type: string, row: VectorRow): RecordFields => {
  const { unanswered, label, p, group, ...answer } = row
  // A record of an error names no model.
  if (unanswered) return { error: { kind: 'server', message: 'unavailable' }, model: undefined }
  const labels = label === undefined ? {} : { labels: { topic: label } }
  return { p, group, ...labels, answers: { topic: { type, confidence: 0.5, ...answer } } }
}

/** Collects records for `svc share`. Returns the run, and how many rows each sample drew. */
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
    // svc share refuses rows of several draws before it estimates any share, so such a case has no other figures.
    if (expected.why === 'more than one draw') {
      assert.ok(sampleExceedsRun(drawn))
      return
    }
    const actual = estimateShares(run).questions.get('topic') as QuestionShares
    assert.is(actual.rowCount, expected.rows)
    assert.is(actual.answerCounts.rowCount - actual.rowCount, expected.unanswered)
    assert.is(actual.labelledCount, expected.labelled)
    const { noSharesReason } = actual
    if (expected.why !== undefined)
      assert.ok(noSharesReason?.startsWith(expected.why), noSharesReason)
    assert.is(actual.shares === null, expected.shares === null)
    for (const [label, share] of Object.entries(expected.shares ?? {}))
      assertShare(actual.shares?.get(label), share, label)
    if (expected.mean !== undefined) assertShare(actual.mean, expected.mean, 'the mean')
  })

/**
 * Plans the labels for the share of yes, so that it is off by at most `within`. The run has a yes/no question. P(yes) is 0.9 in
 * every fourth row, and 0.05 in the others.
 */
const planYes = (rowCount: number, within: number) => {
  const answers = Array.from({ length: rowCount }, (_, i) => createNoul(i % 4 === 0 ? 0.9 : 0.05))
  const { run } = collectShareRun(answers.map((answer) => ({ answers: { isBug: answer } })))
  const rowsToLabel = planShares(run, within).get('isBug')?.labels.get('yes')
  assert.ok(rowsToLabel)
  return rowsToLabel
}

test('plans fewer labels for calibrated answers than for useless ones', () => {
  const { ifUseless, ifCalibrated } = planYes(1000, 0.03)
  assert.ok(ifCalibrated < ifUseless)
})

test('plans the smallest number of labels whose interval is narrow enough', () => {
  const rowCount = 1000
  const within = 0.03
  const share = (0.9 + 3 * 0.05) / 4
  const variance = share * (1 - share)
  // The half width of a 95 % interval. As in the interval of Agresti and Coull, four rows are added to the labelled ones. Their
  // variance adds 1.
  const computeHalfWidth = (labelledCount: number): number =>
    (z95 * Math.sqrt((1 - labelledCount / rowCount) * (labelledCount * variance + 1))) /
    (labelledCount + 4)
  const { ifUseless } = planYes(rowCount, within)
  assert.ok(computeHalfWidth(ifUseless) <= within)
  assert.ok(computeHalfWidth(ifUseless - 1) > within)
})

test('plans to label every row if fewer labels are not enough', () => {
  assert.is(planYes(20, 0.001).ifUseless, 20)
})

test('drawn rows come from several draws if they represent more than 1.25 times the answered rows', () => {
  const answeredRows = 1000
  assert.not.ok(sampleExceedsRun({ answeredRows, sampledRows: 100, representedRows: 1250 }))
  assert.ok(sampleExceedsRun({ answeredRows, sampledRows: 100, representedRows: 1250.1 }))
  const explain = (sampledRows: number, representedRows: number) =>
    explainSeveralSamples({ answeredRows, sampledRows, representedRows })
  assert.is(explain(100, 1250), undefined)
  assert.match(explain(100, 1260) ?? '', 'the 100 drawn rows represent 1260 rows, but only 1000')
  // A run of only drawn rows was drawn from a larger one.
  assert.is(explain(1000, 5000), undefined)
})

test.run()
