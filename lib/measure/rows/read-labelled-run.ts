import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import { readRun } from '../../runs/record/read'
import { openSource, type Source } from '../../runs/record/source'
import type { Runtime } from '../../runtime/runtime'
import { createDrawCounter, type DrawnRows, explainDraws } from '../labels/drawn-rows'
import type { LabelFile } from '../labels/label-file'
import { keepLabels, type LabelledRecord } from '../labels/labelled-record'
import { Collector, type ReadText } from './collect-run'
import type { LabelledRun } from './labelled-run'

/** Further readers of each record of a run. */
export interface RecordReaders {
  /** Reads the text that a page shows. */
  readonly readText?: ReadText | undefined
  /** Takes the record, with the labels that count. A text that it returns is a fault of the record. */
  readonly visit?: ((labelled: LabelledRecord) => string | undefined) | undefined
}

/** The labelled answers of a run, and its drawn rows. */
export interface LabelledReading {
  readonly run: LabelledRun
  readonly drawn: DrawnRows
}

/**
 * Reads the labelled answers of a run, with the labels of a file if there is one. Fails with a usage error that names
 * the line of a fault.
 */
export const readLabelled = (
  runtime: Runtime,
  path: string,
  labels: LabelFile | undefined,
  { readText, visit }: RecordReaders = {},
): TE.TaskEither<Failure, LabelledReading> => {
  const collector = new Collector(readText)
  const source = openSource(path, runtime)
  const fail = (cause: string) => usage(`${nameReading(source, labels)}: ${cause}`)
  const add = (labelled: LabelledRecord): string | undefined =>
    collector.add(labelled) ?? visit?.(labelled)
  return async () => {
    const drawn = await readLabelledRecords(source, labels, add)()
    if (E.isLeft(drawn)) return drawn
    const finished = collector.finish()
    if (E.isLeft(finished)) return E.left(fail(finished.left))
    const run = finished.right
    return labels !== undefined && run.answered > 0 && run.labelled === 0
      ? E.left(fail('no label is filled in'))
      : E.right({ run, drawn: drawn.right })
  }
}

const nameReading = (source: Source, labels: LabelFile | undefined): string =>
  labels === undefined ? `read run: ${source.name}` : `read labels: ${labels.name}`

/**
 * Reads a run and calls `visit` with each record and its labels: those of the labels file if there is one, else those
 * in the record. A text that `visit` returns is a fault of that record. Fails as `readRun` does, or with a usage
 * error that names the line of a fault in the file. Also fails if the drawn rows come from several draws.
 */
export const readLabelledRecords = (
  source: Source,
  labels: LabelFile | undefined,
  visit: (labelled: LabelledRecord) => string | undefined,
): TE.TaskEither<Failure, DrawnRows> => {
  const counter = createDrawCounter()
  const fail = (cause: string): Failure => usage(`${nameReading(source, labels)}: ${cause}`)
  let fault: string | undefined
  return pipe(
    readRun(source, (record) => {
      const labelled = labels?.label(record) ?? keepLabels(record)
      if (typeof labelled === 'string') {
        fault = labelled
        return fault
      }
      counter.add(labelled.record)
      return visit(labelled)
    }),
    TE.mapLeft((failure) => (fault === undefined ? failure : fail(fault))),
    TE.chainEitherK(() => {
      const drawn = counter.finish()
      const cause = labels?.finish() ?? explainDraws(drawn)
      return cause === undefined ? E.right(drawn) : E.left(fail(cause))
    }),
  )
}
