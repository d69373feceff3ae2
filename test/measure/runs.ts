import * as E from 'fp-ts/Either'
import { withRecordLabels } from '../../lib/measure/labels/labelled-record'
import { LabelledRunCollector } from '../../lib/measure/rows/collect-run'
import type { LabelledRun } from '../../lib/measure/rows/labelled-run'
import { decodeRecord, type RunRecord } from '../../lib/runs/record/decode'

/**
 * The members of a run record that matter to a test. `createRecords` adds the others. A run is the file of answers that
 * `svc batch` writes, with a record for each row of its input.
 */
export type RecordFields = Readonly<Record<string, unknown>>

/** Creates a noul, the answer to a yes/no question. It has the probability of a yes. */
export const createNoul = (probability: number) => ({ type: 'noul', noul: probability })

/** Creates an answer to a choice question. It chooses the label with the largest probability unless `chosen` is passed. */
export const createChoice = (probabilities: Readonly<Record<string, number>>, chosen?: string) => ({
  type: 'choice',
  choice: chosen ?? findLikeliest(probabilities),
  confidence: 0.5,
  probabilities,
})

/** Creates an answer to a score question, with the probability of each level from 0 on. Its score is the expected level. */
export const createScore = (...probabilities: ReadonlyArray<number>) => ({
  type: 'score',
  score: probabilities.reduce((total, p, level) => total + p * level, 0),
  confidence: 0.5,
  probabilities: Object.fromEntries(probabilities.entries()),
})

/** Returns the label with the largest probability, and the first of several such labels. Returns `''` if there are no labels. */
const findLikeliest = (probabilities: Readonly<Record<string, number>>): string => {
  let likeliest = ''
  let maxProbability = Number.NEGATIVE_INFINITY
  for (const [label, probability] of Object.entries(probabilities)) {
    if (probability <= maxProbability) continue
    likeliest = label
    maxProbability = probability
  }
  return likeliest
}

/** Decodes records as if they were the lines of a run file. Throws if one is invalid. */
export const createRecords = (rows: ReadonlyArray<RecordFields>): ReadonlyArray<RunRecord> =>
  rows.map((row, index) => {
    const line = JSON.stringify({ index, model: 'm', usage: {}, ...row })
    const lineNumber = index + 1
    const record = decodeRecord(Buffer.from(line), lineNumber, index)
    if (E.isLeft(record)) throw new Error(record.left.cause)
    return record.right
  })

/** Collects records and their labels into a labelled run. Fails with the message of the first fault. */
export const tryCollectRun = (rows: ReadonlyArray<RecordFields>): E.Either<string, LabelledRun> => {
  const collector = new LabelledRunCollector()
  for (const record of createRecords(rows)) {
    const fault = collector.add(withRecordLabels(record))
    if (fault !== undefined) return E.left(`line ${record.line}: ${fault}`)
  }
  return collector.finish()
}

/** Collects records and their labels into a labelled run. Throws on a fault. */
export const collectRun = (rows: ReadonlyArray<RecordFields>): LabelledRun => {
  const run = tryCollectRun(rows)
  if (E.isLeft(run)) throw new Error(run.left)
  return run.right
}
