import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createDrawCounter, isSeveralDraws } from '../../lib/measure/labels/drawn-rows'
import { withRecordLabels } from '../../lib/measure/labels/labelled-record'
import { planShares } from '../../lib/measure/share/share-plan'
import { createShareCollector } from '../../lib/measure/share/share-rows'
import { estimateShares, type QuestionShares } from '../../lib/measure/share/shares'
import type { ShareEstimate } from '../../lib/measure/statistics/share'
import { noul, type Row, records } from './runs'
import { near } from './statistics/vectors'

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
    readonly why?: string
  }
}

const { cases } = JSON.parse(readFileSync('test/vectors/share.json', 'utf8')) as {
  readonly cases: ReadonlyArray<VectorCase>
}

const toRecord = (type: string, row: VectorRow): Row => {
  const { unanswered, label, p, group, ...answer } = row
  if (unanswered) return { error: { kind: 'server', message: 'away' }, model: undefined }
  const labels = label === undefined ? {} : { labels: { q: label } }
  return { p, group, ...labels, answers: { q: { type, confidence: 0.5, ...answer } } }
}

const readRows = (rows: ReadonlyArray<Row>) => {
  const { add, finish } = createShareCollector()
  const counter = createDrawCounter()
  for (const record of records(rows)) {
    counter.add(record)
    const fault = add(withRecordLabels(record))
    if (fault !== undefined) throw new Error(fault)
  }
  return { run: finish(), drawn: counter.finish() }
}

const compareShare = (
  actual: ShareEstimate | undefined,
  expected: ShareEstimate,
  name: string,
): void => {
  for (const figure of ['estimate', 'low', 'high', 'slope'] as const)
    near(actual?.[figure], expected[figure], `${figure} of ${name}`)
}

const test = suite('shares against a Python reference')

for (const { name, type, rows, expected } of cases)
  test(name, () => {
    const { run, drawn } = readRows(rows.map((row) => toRecord(type, row)))
    if (expected.why === 'more than one draw') {
      assert.ok(isSeveralDraws(drawn))
      return
    }
    const actual = estimateShares(run).questions.get('q') as QuestionShares
    assert.is(actual.rows, expected.rows)
    assert.is(actual.unanswered, expected.unanswered)
    assert.is(actual.labelled, expected.labelled)
    if (expected.why !== undefined) assert.ok(actual.why?.startsWith(expected.why), actual.why)
    assert.is(actual.shares === null, expected.shares === null)
    for (const [label, share] of Object.entries(expected.shares ?? {}))
      compareShare(actual.shares?.get(label), share, label)
    if (expected.mean !== undefined) compareShare(actual.mean, expected.mean, 'the mean')
  })

test('a plan needs fewer labels the better the answers are, and at most all rows', () => {
  const rows = Array.from({ length: 1000 }, (_, i) => ({
    answers: { q: noul(i % 4 ? 0.05 : 0.9) },
  }))
  const needs = planShares(readRows(rows).run, 0.03).get('q')?.labels.get('yes')
  assert.ok((needs?.atBest ?? 0) < (needs?.alone ?? 0))
  const half = (n: number, variance: number) =>
    (1.959963984540054 * Math.sqrt((1 - n / 1000) * (n * variance + 1))) / (n + 4)
  const mean = 0.2625
  const n = needs?.alone ?? 0
  assert.ok(half(n, mean * (1 - mean)) <= 0.03 && half(n - 1, mean * (1 - mean)) > 0.03)
  assert.is(
    planShares(readRows(rows.slice(0, 20)).run, 0.001)
      .get('q')
      ?.labels.get('yes')?.alone,
    20,
  )
})

test.run()
