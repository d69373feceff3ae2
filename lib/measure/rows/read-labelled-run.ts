import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import { readRun } from '../../runs/record/read'
import { openSource, type StreamSource } from '../../runs/record/source'
import type { Runtime } from '../../runtime/runtime'
import type { LabelFile } from '../labels/label-file'
import { type LabelledRecord, withRecordLabels } from '../labels/labelled-record'
import {
  createSampleCounter,
  explainSeveralSamples,
  type SampleCounts,
} from '../labels/sample-counts'
import { LabelledRunCollector, type ReadText } from './collect-run'
import type { LabelledRun } from './labelled-run'

/** Optional functions that are called with each record of a run. */
export interface RecordVisitors {
  /** Returns the text of a record for the HTML page. */
  readonly readText?: ReadText | undefined
  /** Receives each record with its labels. A returned text is a fault of the record. */
  readonly visit?: ((labelled: LabelledRecord) => string | undefined) | undefined
}

/** The labelled answers of a run, and the counts of the rows that `svc sample` drew from it. */
export interface LabelledReading {
  readonly run: LabelledRun
  readonly drawn: SampleCounts
}

/**
 * Reads the labelled answers of a run, with the labels of a file if there is one. Fails with a usage error that names the line of an
 * invalid record or label.
 */
export const readLabelled = (
  runtime: Runtime,
  path: string,
  labels: LabelFile | undefined,
  { readText, visit }: RecordVisitors = {},
): TE.TaskEither<Failure, LabelledReading> => {
  const collector = new LabelledRunCollector(readText)
  const source = openSource(path, runtime)
  const fail = (cause: string) => usage(`${describeReading(source, labels)}: ${cause}`)
  const add = (labelled: LabelledRecord): string | undefined =>
    collector.add(labelled) ?? visit?.(labelled)
  return async () => {
    const drawn = await readLabelledRecords(source, labels, add)()
    if (E.isLeft(drawn)) return drawn
    const finished = collector.finish()
    if (E.isLeft(finished)) return E.left(fail(finished.left))
    const run = finished.right
    return labels !== undefined && run.answeredCount > 0 && run.labelledCount === 0
      ? E.left(fail('no label is filled in'))
      : E.right({ run, drawn: drawn.right })
  }
}

/** Returns the beginning of error messages, which names the label file or else the run. */
const describeReading = (source: StreamSource, labels: LabelFile | undefined): string =>
  labels === undefined ? `read run: ${source.name}` : `read labels: ${labels.name}`

/**
 * Reads a run and calls `visit` with each record and its labels: those of the label file if there is one, else those in the record.
 * If `visit` returns a text, it is a fault of the record and ends the reading. Fails like `readRun`, with a usage error for an
 * invalid label, and if the drawn rows come from several samples.
 */
export const readLabelledRecords = (
  source: StreamSource,
  labels: LabelFile | undefined,
  visit: (labelled: LabelledRecord) => string | undefined,
): TE.TaskEither<Failure, SampleCounts> => {
  const counter = createSampleCounter()
  const fail = (cause: string): Failure => usage(`${describeReading(source, labels)}: ${cause}`)
  let labelFault: string | undefined
  return async () => {
    const read = await readRun(source, (record) => {
      const labelled = labels?.label(record) ?? withRecordLabels(record)
      if (typeof labelled === 'string') {
        labelFault = labelled
        return labelFault
      }
      counter.add(labelled.record)
      return visit(labelled)
    })()
    // A fault of the label file names that file and its line, not the line of the run.
    if (labelFault !== undefined) return E.left(fail(labelFault))
    if (E.isLeft(read)) return read
    const drawn = counter.finish()
    const cause = labels?.finish() ?? explainSeveralSamples(drawn)
    return cause === undefined ? E.right(drawn) : E.left(fail(cause))
  }
}
