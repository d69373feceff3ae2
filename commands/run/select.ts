import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { classify } from '../../lib/failure/classify'
import { formatStderrLines } from '../../lib/failure/envelope'
import type { Failure } from '../../lib/failure/failure'
import {
  access,
  checkDistinctFiles,
  checkOverwrite,
  listNamedFiles,
} from '../../lib/failure/named-files'
import { formatCount } from '../../lib/failure/text/table'
import { byteOrderMark } from '../../lib/measure/sample/sample-table'
import { createFilter, parseSelection, type Selection } from '../../lib/measure/select/selection'
import { createWriter, type SelectSink } from '../../lib/measure/select/selection-writer'
import type { RunRecord } from '../../lib/runs/record/decode'
import { readRecords } from '../../lib/runs/record/read'
import { openSource, type Source } from '../../lib/runs/record/source'
import { createRowFinder } from '../../lib/runs/rows/find-rows'
import { findRowFault, type RowOptions } from '../../lib/runs/rows/form'
import type { Output, Replacement } from '../../lib/runtime/runtime'

/** The options of `svc select`. */
interface SelectOptions extends RowOptions {
  readonly where: ReadonlyArray<string>
  readonly errors: boolean
  readonly output: string | undefined
  readonly overwrite: boolean
  readonly 'no-bom': boolean
  readonly to: 'jsonl' | 'csv' | undefined
}

type SelectContext = ContextWith<SelectOptions>

/** Runs `svc select`: takes rows out of a run. */
export const runSelect =
  (context: SelectContext) => async (): Promise<E.Either<Failure, CommandResult>> => {
    const { where, errors, output } = context.flags
    const selection = parseSelection(where, errors)
    if (E.isLeft(selection)) return selection
    const checked = await checkFiles(context)
    if (E.isLeft(checked)) return checked
    return output === undefined
      ? printRows(context, selection.right)
      : replaceFile(context, output, selection.right)
  }

/** Checks that the flags fit together, and that the output replaces neither an input nor a file with content. */
const checkFiles = async ({ runtime, flags }: SelectContext): Promise<E.Either<Failure, void>> => {
  const rowFault = findRowFault(flags)
  if (rowFault !== undefined) return E.left(rowFault)
  const { files } = runtime
  const reads = listNamedFiles(flags, 'input', 'rows')
  const distinct = await checkDistinctFiles(files, reads, listNamedFiles(flags, 'output'))()
  return E.isLeft(distinct) ? distinct : checkOverwrite(files, flags)()
}

/** Reads the run in chunks, and writes the selected rows of each chunk. The memory does not grow with the run. */
const selectRows = async (
  { runtime, flags }: SelectContext,
  selection: Selection,
  sink: SelectSink,
): Promise<E.Either<Failure, void>> => {
  const { input, rows } = flags
  const filter = createFilter(selection)
  const findRow = rows === undefined ? undefined : createRowFinder(runtime, rows, flags)
  const source = openSource(input, runtime)
  const hasLabels = isTable(flags) ? await hasAnyLabel(input, source, runtime) : undefined
  if (hasLabels !== undefined && E.isLeft(hasLabels)) return hasLabels
  const table = hasLabels && { hasLabels: hasLabels.right }
  const writer = createWriter(source.name, table, findRow, sink)
  const failure = await copyRows(source, filter, writer, sink)
  if (failure !== undefined) return E.left(failure)
  return sink.isClosed() ? E.right(undefined) : reportLeftOut(runtime.stderr, filter.finish())
}

type RecordFilter = ReturnType<typeof createFilter>
type RecordWriter = ReturnType<typeof createWriter>

/** Writes the rows that pass the filter, until the output is closed. Resolves with the first failure. */
const copyRows = async (
  source: Source,
  filter: RecordFilter,
  writer: RecordWriter,
  sink: SelectSink,
): Promise<Failure | undefined> => {
  for await (const records of readRecords(source)) {
    for (const record of records) {
      const failure = E.isLeft(record) ? record.left : writeKept(record.right, filter, writer)
      if (failure !== undefined) return failure
    }
    await writer.flush()
    if (writer.failure() !== undefined || sink.isClosed()) return writer.failure()
  }
  await writer.finish()
  return writer.failure()
}

/**
 * Resolves with `true` if any record has labels, for which a table needs columns. This reads the file one more time. Stdin
 * can be read only once, so its table always has these columns.
 */
const hasAnyLabel = async (
  input: string,
  { name }: Source,
  runtime: SelectContext['runtime'],
): Promise<E.Either<Failure, boolean>> => {
  if (input === '-') return E.right(true)
  for await (const records of readRecords({ ...openSource(input, runtime), name }))
    for (const record of records) {
      if (E.isLeft(record)) return record
      if (record.right.labels.size > 0) return E.right(true)
    }
  return E.right(false)
}

const isTable = ({ to, output }: SelectContext['flags']): boolean =>
  (to ??
    extname(output ?? '')
      .slice(1)
      .toLowerCase()) === 'csv'

/** Writes a record if it passes the filter. Returns a failure if the conditions do not fit the run. */
const writeKept = (
  record: RunRecord,
  filter: RecordFilter,
  writer: RecordWriter,
): Failure | undefined => {
  if (filter.keeps(record)) writer.add(record)
  else writer.pass(record)
  return filter.failure()
}

/** Reports on stderr how many rows the conditions could not judge. */
const reportLeftOut = async (
  stderr: Output,
  finished: ReturnType<RecordFilter['finish']>,
): Promise<E.Either<Failure, void>> => {
  if (E.isLeft(finished)) return finished
  const { lacking, unanswered } = finished.right
  if (lacking > 0)
    await stderr.write(
      `select: ${formatCount(lacking, 'row', 'lacks', 'lack')} a value that --where names\n`,
    )
  if (unanswered > 0)
    await stderr.write(
      `select: ${formatCount(unanswered, 'row', 'was', 'were')} not answered; --errors keeps them\n`,
    )
  return E.right(undefined)
}

/**
 * Writes the rows to stdout. A failure after the first row is reported only on stderr, because JSON in the middle of a table
 * would make it unreadable.
 */
const printRows = async (
  context: SelectContext,
  selection: Selection,
): Promise<E.Either<Failure, CommandResult>> => {
  const { stdout, stderr } = context.runtime
  let hasWritten = false
  const result = await selectRows(context, selection, {
    name: 'stdout',
    write: (bytes) => {
      hasWritten = true
      return stdout.write(bytes)
    },
    isClosed: () => stdout.isClosed === true,
  })
  if (E.isRight(result)) return E.right({})
  if (!hasWritten) return result
  await stderr.write(formatStderrLines(result.left))
  return E.right({ exitCode: classify(result.left).exitCode })
}

/** Writes the rows to a new file, which replaces an old one only after everything succeeded. */
const replaceFile = async (
  context: SelectContext,
  path: string,
  selection: Selection,
): Promise<E.Either<Failure, CommandResult>> => {
  const { runtime, flags } = context
  const needsMark = isTable(flags) && !flags['no-bom']
  const opened = await access(`write ${path}`, async () => {
    const file = await runtime.files.openReplacement(path)
    if (needsMark) await file.append(Buffer.from(byteOrderMark))
    return file
  })()
  if (E.isLeft(opened)) return opened
  const file = opened.right
  const selected = await selectRows(context, selection, createFileSink(path, file))
  if (E.isLeft(selected)) {
    await file.discard()
    return selected
  }
  return access(`write ${path}`, async () => {
    const written = await file.commit()
    await written.close()
    return {}
  })()
}

const createFileSink = (path: string, file: Replacement): SelectSink => ({
  name: path,
  write: (bytes) => file.append(bytes),
  isClosed: () => false,
})
