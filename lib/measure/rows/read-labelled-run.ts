import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { openSource, type StreamSource } from '../../runs/record/lines'
import { readRun } from '../../runs/record/read'
import type { Runtime } from '../../runtime/runtime'
import type { LabelFile } from '../labels/label-file'
import { type LabelledRecord, withRecordLabels } from '../labels/labelled-record'
import {
  createSampleCounter,
  explainSeveralSamples,
  type SampleCounts,
} from '../labels/sample-counts'
import { LabelledRunCollector } from './collect-run'
import type { LabelledRun } from './labelled-run'
import type { ReadText } from './question-rows'

/** Receives a record with its labels. If it returns a text, which describes a fault of the record, the reading ends. */
export type VisitRecord = (labelled: LabelledRecord) => string | undefined

/** Optional functions that are called with each record of a run. */
interface RecordVisitors {
  /** Returns the text of a record for the HTML page. */
  readonly readText?: ReadText | undefined
  readonly visit?: VisitRecord | undefined
}

/** The labelled answers of a run, and the counts of the rows that `svc sample` drew from it. */
interface LabelledReading {
  readonly run: LabelledRun
  readonly drawn: SampleCounts
}

/**
 * Reads the labelled answers of a run. Fails with a usage error if a record or label is invalid, if the drawn rows come from several
 * samples, or if the label file has only empty labels.
 */
export const readLabelled = async (
  runtime: Runtime,
  path: string,
  labels: LabelFile | undefined,
  { readText, visit }: RecordVisitors = {},
): Promise<E.Either<Failure, LabelledReading>> => {
  const collector = new LabelledRunCollector(readText)
  const source = openSource(path, runtime)
  const drawn = await readLabelledRecords(
    source,
    labels,
    (labelled) => collector.add(labelled) ?? visit?.(labelled),
  )
  if (E.isLeft(drawn)) return drawn
  const finished = collector.finish()
  if (E.isLeft(finished)) return E.left(createFailure(source, labels, finished.left))
  const run = finished.right
  return labels !== undefined && run.answeredCount > 0 && run.labelledCount === 0
    ? E.left(createFailure(source, labels, 'no label is filled in'))
    : E.right({ run, drawn: drawn.right })
}

/** Creates a usage error about the label file, or about the run if there is no label file. */
const createFailure = (source: StreamSource, labels: LabelFile | undefined, cause: string) => {
  const subject = labels === undefined ? `read run: ${source.name}` : `read labels: ${labels.name}`
  return usage(`${subject}: ${cause}`)
}

/**
 * Reads a run and calls `visit` with each record and its labels: those of the label file if there is one, else those in the record.
 * A text that `visit` returns is a fault of the record, and ends the reading. Fails with a usage error that names the line of an
 * invalid record or label, or if the drawn rows come from several samples.
 */
export const readLabelledRecords = async (
  source: StreamSource,
  labels: LabelFile | undefined,
  visit: VisitRecord,
): Promise<E.Either<Failure, SampleCounts>> => {
  const counter = createSampleCounter()
  let labelFault: string | undefined
  const read = await readRun(source, (record) => {
    const labelled = labels?.label(record) ?? E.right(withRecordLabels(record))
    if (E.isLeft(labelled)) {
      labelFault = labelled.left
      return labelFault
    }
    counter.add(labelled.right.record)
    return visit(labelled.right)
  })()
  // A fault of the label file names that file and its line, not the line of the run.
  if (labelFault !== undefined) return E.left(createFailure(source, labels, labelFault))
  if (E.isLeft(read)) return read
  const drawn = counter.finish()
  const cause = labels?.finish() ?? explainSeveralSamples(drawn)
  return cause === undefined ? E.right(drawn) : E.left(createFailure(source, labels, cause))
}
