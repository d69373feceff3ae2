import * as E from 'fp-ts/Either'
import { withRecordLabels } from '../../lib/measure/labels/labelled-record'
import { LabelledRunCollector } from '../../lib/measure/rows/collect-run'
import type { LabelledRun } from '../../lib/measure/rows/labelled-run'
import { decodeRecord, type RunRecord } from '../../lib/runs/record/decode'

/** One record of a run, put together from what a test is about. */
export type Row = Readonly<Record<string, unknown>>

/** A noul answer. */
export const noul = (p: number) => ({ type: 'noul', noul: p })

/** A choice answer for the likeliest label. */
export const choice = (probabilities: Readonly<Record<string, number>>, chosen?: string) => ({
  type: 'choice',
  choice: chosen ?? likeliest(probabilities),
  confidence: 0.5,
  probabilities,
})

/** A score answer for levels from 0 on. */
export const score = (...probabilities: ReadonlyArray<number>) => ({
  type: 'score',
  score: probabilities.reduce((total, p, level) => total + p * level, 0),
  confidence: 0.5,
  probabilities: Object.fromEntries(probabilities.entries()),
})

const likeliest = (probabilities: Readonly<Record<string, number>>): string =>
  Object.entries(probabilities).reduce((a, b) => (b[1] > a[1] ? b : a))[0]

/** The rows as records, as a file would have them. */
export const records = (rows: ReadonlyArray<Row>): ReadonlyArray<RunRecord> =>
  rows.map((row, index) => {
    const text = JSON.stringify({ index, model: 'm', usage: {}, ...row })
    const record = decodeRecord(Buffer.from(text), index + 1, index)
    if (E.isLeft(record)) throw new Error(record.left.cause)
    return record.right
  })

/** The rows as measuring takes them, or what is wrong with them. */
export const collect = (rows: ReadonlyArray<Row>): LabelledRun | string => {
  const collector = new LabelledRunCollector()
  for (const record of records(rows)) {
    const fault = collector.add(withRecordLabels(record))
    if (fault !== undefined) return `line ${record.line}: ${fault}`
  }
  const run = collector.finish()
  return E.isLeft(run) ? run.left : run.right
}

/** The rows as measuring takes them. */
export const collectRun = (rows: ReadonlyArray<Row>): LabelledRun => {
  const run = collect(rows)
  if (typeof run === 'string') throw new Error(run)
  return run
}
