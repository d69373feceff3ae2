import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import type { Failure } from '../../lib/failure/failure'
import {
  checkDistinctFiles,
  checkOverwrite,
  listNamedFiles,
  runFileOperation,
} from '../../lib/failure/named-files'
import { classify, formatStderrLines } from '../../lib/failure/report'
import { byteOrderMark } from '../../lib/measure/sample/sample-document'
import { SelectionTable } from '../../lib/measure/select/selection-table'
import { type SelectionOutput, SelectionWriter } from '../../lib/measure/select/selection-writer'
import {
  parseSelection,
  RecordFilter,
  type Selection,
  type UnevaluatedRows,
} from '../../lib/runs/gate/selection'
import type { RunRecord } from '../../lib/runs/record/decode'
import { openSource, type StreamSource } from '../../lib/runs/record/lines'
import { readRecords } from '../../lib/runs/record/read'
import { createRowFinder, writeRemark } from '../../lib/runs/rows/find-rows'
import { checkRowOptions, type RowOptions } from '../../lib/runs/rows/form'
import { describeBrokenTexts } from '../../lib/runs/tables/guards'
import type { Output } from '../../lib/runtime/runtime'
import { formatCount } from '../../lib/text/table'

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

/** Runs `svc select`: writes the records of a run that meet conditions. A run is the file of records that `svc batch` wrote. */
export const runSelect = async (context: SelectContext): Promise<CommandOutcome> => {
  const { where, errors, output } = context.flags
  const selection = parseSelection(where, errors)
  if (E.isLeft(selection)) return selection
  const checked = await checkFlagsAndFiles(context)
  if (E.isLeft(checked)) return checked
  return output === undefined
    ? printRecords(context, selection.right)
    : replaceFile(context, output, selection.right)
}

/**
 * Fails if flags do not fit together, if the output would replace an input, or if it would replace a file that is not empty
 * without `--overwrite`.
 */
const checkFlagsAndFiles = async ({
  runtime,
  flags,
}: SelectContext): Promise<E.Either<Failure, void>> => {
  const rowFault = checkRowOptions(flags)
  if (rowFault !== undefined) return E.left(rowFault)
  const { files } = runtime
  const filesRead = listNamedFiles(flags, 'input', 'rows')
  const distinct = await checkDistinctFiles(files, filesRead, listNamedFiles(flags, 'output'))()
  return E.isLeft(distinct) ? distinct : checkOverwrite(files, flags)()
}

/** Reads the run in chunks, and writes the selected records of each chunk, so that memory does not grow with the run. */
const selectRecords = async (
  context: SelectContext,
  selection: Selection,
  output: SelectionOutput,
): Promise<E.Either<Failure, void>> => {
  const { runtime, flags } = context
  const { input, rows } = flags
  const filter = new RecordFilter(selection)
  const rowFinder = rows === undefined ? undefined : createRowFinder(runtime, rows, flags)
  const source = openSource(input, runtime)
  const table = await createTable(context)
  if (E.isLeft(table)) return table
  const writer = new SelectionWriter(source.name, table.right, rowFinder, output)
  const failure = await copyRecords(source, filter, writer, output)
  if (failure !== undefined) return E.left(failure)
  if (output.isClosed()) return E.right(undefined)
  await writeRemark(runtime.stderr, rowFinder?.remark())
  await writeRemark(runtime.stderr, describeBrokenTexts('select', table.right?.brokenTexts ?? 0))
  return reportUnevaluatedRows(runtime.stderr, filter.finish())
}

/** Writes the selected records until the run ends or the output is closed. Resolves with the first failure, if any. */
const copyRecords = async (
  source: StreamSource,
  filter: RecordFilter,
  writer: SelectionWriter,
  output: SelectionOutput,
): Promise<Failure | undefined> => {
  for await (const records of readRecords(source)) {
    for (const record of records) {
      if (E.isLeft(record)) return record.left
      const filterFailure = filterRecord(record.right, filter, writer)
      if (filterFailure !== undefined) return filterFailure
    }
    const writeFailure = await writer.flush()
    if (writeFailure !== undefined || output.isClosed()) return writeFailure
  }
  return writer.finish()
}

/** Creates the table, with columns for labels if any record has some. Resolves with `undefined` if the output is no table. */
const createTable = async ({
  runtime,
  flags,
}: SelectContext): Promise<E.Either<Failure, SelectionTable | undefined>> => {
  if (!isTable(flags)) return E.right(undefined)
  const hasLabels = await hasAnyLabel(flags.input, runtime)
  return E.isLeft(hasLabels) ? hasLabels : E.right(new SelectionTable(hasLabels.right))
}

/**
 * Resolves with `true` if any record has labels. A table then needs columns for labels. Reads the file a first time, before
 * `copyRecords` reads it again. Stdin can be read only once, so `true` is the result for any stdin.
 */
const hasAnyLabel = async (
  input: string,
  runtime: SelectContext['runtime'],
): Promise<E.Either<Failure, boolean>> => {
  if (input === '-') return E.right(true)
  for await (const records of readRecords(openSource(input, runtime)))
    for (const record of records) {
      if (E.isLeft(record)) return record
      if (record.right.labels.size > 0) return E.right(true)
    }
  return E.right(false)
}

/** Returns `true` if the output is a table: by `--to`, else by the ending of `--output`. */
const isTable = ({ to, output = '' }: SelectOptions): boolean =>
  to === undefined ? extname(output).toLowerCase() === '.csv' : to === 'csv'

/** Passes a record to the writer if it is selected. Returns a failure if the conditions do not fit the run. */
const filterRecord = (
  record: RunRecord,
  filter: RecordFilter,
  writer: SelectionWriter,
): Failure | undefined => {
  if (filter.selects(record)) writer.add(record)
  else writer.skip(record)
  return filter.failure
}

/** Reports on stderr for how many rows the conditions could not be evaluated. Returns the failure of the filter, if any. */
const reportUnevaluatedRows = async (
  stderr: Output,
  unevaluated: E.Either<Failure, UnevaluatedRows>,
): Promise<E.Either<Failure, void>> => {
  if (E.isLeft(unevaluated)) return unevaluated
  const { lacking, unanswered } = unevaluated.right
  if (lacking > 0)
    await stderr.write(
      `select: ${formatCount(lacking, 'row', 'lacks', 'lack')} a value that --where names\n`,
    )
  if (unanswered > 0)
    await stderr.write(
      `select: ${formatCount(unanswered, 'row', 'was', 'were')} not answered; --errors selects them\n`,
    )
  return E.right(undefined)
}

/**
 * Writes the records to stdout. A failure after the first record is reported only on stderr, because an error document among
 * records would make stdout unreadable.
 */
const printRecords = async (
  context: SelectContext,
  selection: Selection,
): Promise<CommandOutcome> => {
  const { stdout, stderr } = context.runtime
  let hasWritten = false
  const result = await selectRecords(context, selection, {
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

/** Writes the records to a new file, which replaces an old one only if everything succeeds. */
const replaceFile = async (
  context: SelectContext,
  path: string,
  selection: Selection,
): Promise<CommandOutcome> => {
  const { runtime, flags } = context
  // By the byte order mark, spreadsheets know that a table is UTF-8.
  const needsByteOrderMark = isTable(flags) && !flags['no-bom']
  const opened = await runFileOperation(`write ${path}`, async () => {
    const file = await runtime.files.openReplacement(path)
    if (needsByteOrderMark) await file.append(Buffer.from(byteOrderMark))
    return file
  })()
  if (E.isLeft(opened)) return opened
  const file = opened.right
  const output: SelectionOutput = {
    name: path,
    write: (bytes) => file.append(bytes),
    isClosed: () => false,
  }
  const selected = await selectRecords(context, selection, output)
  if (E.isLeft(selected)) {
    await file.discard()
    return selected
  }
  return runFileOperation(`write ${path}`, async () => {
    const committed = await file.commit()
    await committed.close()
    return {}
  })()
}
