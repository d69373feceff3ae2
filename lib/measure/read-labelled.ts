import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import type { RunRecord } from '../runs/record/decode'
import { readRun } from '../runs/record/read'
import { openSource, type Source } from '../runs/record/source'
import type { Runtime } from '../runtime/runtime'
import { createCollector, type ReadText } from './collect'
import type { LabelFile } from './label-file'
import type { LabelledRun } from './labelled'

/**
 * Reads the labelled answers of a run, with the labels of a file where one is given. Fails with a usage error that names
 * the line of a fault. R1, R18, R30
 */
export const readLabelled = (
  runtime: Runtime,
  path: string,
  labels: LabelFile | undefined,
  readText?: ReadText,
): TE.TaskEither<Failure, LabelledRun> => {
  const { add, finish } = createCollector(readText)
  const source = openSource(path, runtime)
  const name = labels === undefined ? `read run: ${source.name}` : `read labels: ${labels.name}`
  return pipe(
    readRelabelled(source, labels, add),
    TE.chainEitherK(() =>
      pipe(
        finish(),
        E.filterOrElse(
          ({ answered, labelled }) => labels === undefined || answered === 0 || labelled > 0,
          () => 'no label is filled in',
        ),
        E.mapLeft((cause) => usage(`${name}: ${cause}`)),
      ),
    ),
  )
}

/**
 * Reads a run and calls `visit` with each record, which has the labels of the file where one is given, and with the line
 * of these labels. Fails as `readRun` does, or with a usage error that names the line of a fault in the file. R30
 */
export const readRelabelled = (
  source: Source,
  labels: LabelFile | undefined,
  visit: (record: RunRecord, labelLine?: number) => string | undefined,
): TE.TaskEither<Failure, void> => {
  if (labels === undefined)
    return TE.map(() => undefined)(readRun(source, (record) => visit(record)))
  let fault: string | undefined
  const fail = (cause: string): Failure => usage(`read labels: ${labels.name}: ${cause}`)
  return pipe(
    readRun(source, (record) => {
      const relabelled = labels.relabel(record)
      if (typeof relabelled !== 'string') return visit(relabelled.record, relabelled.line)
      fault = relabelled
      return relabelled
    }),
    TE.mapLeft((failure) => (fault === undefined ? failure : fail(fault))),
    TE.chainEitherK(() => {
      const cause = labels.finish()
      return cause === undefined ? E.right(undefined) : E.left(fail(cause))
    }),
  )
}
