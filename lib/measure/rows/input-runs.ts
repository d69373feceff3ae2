import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { checkDistinctFiles, listNamedFiles, type NamedFile } from '../../failure/named-files'
import { openSource, type StreamSource } from '../../runs/record/lines'
import type { Runtime } from '../../runtime/runtime'
import { type LabelFile, readLabelFile } from '../labels/label-file'
import type { LabelFlags } from '../labels/label-flags'
import { readLabelledRecords, type VisitRecord } from './read-labelled-run'

/** The two runs that a command compares: its arguments `a` and `b`. */
export interface InputRuns {
  readonly a: StreamSource
  readonly b: StreamSource
}

/** Opens both runs. Fails if a path is empty, if both are stdin, or if a file of `filesWritten` is also an input. */
export const openInputRuns = async (
  runtime: Runtime,
  args: ReadonlyArray<string>,
  flags: LabelFlags,
  filesWritten: ReadonlyArray<NamedFile>,
): Promise<E.Either<Failure, InputRuns>> => {
  const [a = '', b = ''] = args
  if (a === '-' && b === '-') return E.left(usage('only one of the runs can be read from stdin'))
  if (a === '') return E.left(usage('the path of a must not be empty'))
  if (b === '') return E.left(usage('the path of b must not be empty'))
  const filesRead = [
    { name: 'a', path: a },
    { name: 'b', path: b },
    ...listNamedFiles(flags, 'labels'),
  ]
  const distinct = await checkDistinctFiles(runtime.files, filesRead, filesWritten)()
  if (E.isLeft(distinct)) return distinct
  return E.right({ a: openSource(a, runtime), b: openSource(b, runtime) })
}

/** Receives the records of both runs. */
export interface InputRunsVisitor {
  readonly visitA: VisitRecord
  readonly visitB: VisitRecord
}

/**
 * Reads the label file, then run b, then run a. The rows of b wait in memory for the rows of a. The labels of the file replace those
 * in run a, but not those in run b. `createVisitor` gets the label file, or `undefined` without `--labels`.
 */
export const readInputRuns = async (
  runtime: Runtime,
  { a, b }: InputRuns,
  flags: LabelFlags,
  createVisitor: (labels: LabelFile | undefined) => InputRunsVisitor,
): Promise<E.Either<Failure, void>> => {
  const labels = await readLabelFile(runtime, flags)
  if (E.isLeft(labels)) return labels
  const { visitA, visitB } = createVisitor(labels.right)
  const readB = await readLabelledRecords(b, undefined, visitB)
  if (E.isLeft(readB)) return readB
  const readA = await readLabelledRecords(a, labels.right, visitA)
  return E.isLeft(readA) ? readA : E.right(undefined)
}
