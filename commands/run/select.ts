import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { classify } from '../../lib/failure/classify'
import { writeStderrLines } from '../../lib/failure/envelope'
import type { Failure } from '../../lib/failure/failure'
import { access, checkDistinctFiles, filesOf, refuseFilled } from '../../lib/failure/named-files'
import { formatCount } from '../../lib/failure/text/table'
import { byteOrderMark } from '../../lib/measure/sample/table'
import { createFilter, parseSelection, type Selection } from '../../lib/measure/select/select'
import { createWriter, type SelectSink } from '../../lib/measure/select/writer'
import type { RunRecord } from '../../lib/runs/record/decode'
import { readRecords } from '../../lib/runs/record/read'
import { openSource, type Source } from '../../lib/runs/record/source'
import { createRowFinder } from '../../lib/runs/rows/find-rows'
import { findRowFault, type RowOptions } from '../../lib/runs/rows/form'
import type { Output, Replacement } from '../../lib/runtime/runtime'

interface SelectFlags extends RowOptions {
  readonly where: ReadonlyArray<string>
  readonly errors: boolean
  readonly output: string | undefined
  readonly overwrite: boolean
  readonly 'no-bom': boolean
  readonly to: 'jsonl' | 'csv' | undefined
}

type SelectContext = ContextWith<SelectFlags>

/** Runs `svc select`: takes rows out of a run. */
export const runSelect = (context: SelectContext): TE.TaskEither<Failure, CommandResult> =>
  pipe(
    TE.fromEither(parseSelection(context.flags.where, context.flags.errors)),
    TE.chainFirst(() => checkFiles(context)),
    TE.chain((selection) => {
      const { output } = context.flags
      return output === undefined
        ? printRows(context, selection)
        : replaceFile(context, output, (sink) => selectRows(context, selection, sink))
    }),
  )

/** Checks that the output would not overwrite an input, and that the flags fit each other. */
const checkFiles = ({ runtime, flags }: SelectContext): TE.TaskEither<Failure, void> => {
  const fault = findRowFault(flags)
  if (fault !== undefined) return TE.left(fault)
  const { files } = runtime
  const refused = flags.overwrite ? undefined : flags.output
  return pipe(
    checkDistinctFiles(files, filesOf(flags, 'input', 'rows'), filesOf(flags, 'output')),
    TE.chain(() => refuseFilled(files, refused, 'people may have worked in it')),
  )
}

/** Reads the run, and writes the rows that are kept, chunk by chunk, which keeps the memory constant. */
const selectRows =
  (
    { runtime, flags }: SelectContext,
    selection: Selection,
    sink: SelectSink,
  ): TE.TaskEither<Failure, void> =>
  async () => {
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

type Filter = ReturnType<typeof createFilter>
type Writer = ReturnType<typeof createWriter>

/** Writes the rows that the filter keeps until the reader goes away. Returns why that failed, if it did. */
const copyRows = async (
  source: Source,
  filter: Filter,
  writer: Writer,
  sink: SelectSink,
): Promise<Failure | undefined> => {
  for await (const records of readRecords(source)) {
    for (const record of records) {
      const failure = E.isLeft(record) ? record.left : keepRecord(record.right, filter, writer)
      if (failure !== undefined) return failure
    }
    await writer.flush()
    if (writer.failure() !== undefined || sink.isClosed()) return writer.failure()
  }
  await writer.finish()
  return writer.failure()
}

/**
 * True if any record has labels. A table then has columns for them. It reads a file once more for this. Standard
 * input can be read only once, so its table always has these columns.
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

/** Keeps a record, or passes it over. Returns why the run cannot be selected from, if it cannot. */
const keepRecord = (record: RunRecord, filter: Filter, writer: Writer): Failure | undefined => {
  if (filter.keeps(record)) writer.add(record)
  else writer.pass(record)
  return filter.failure()
}

/** Says on stderr how many rows the conditions could not judge. */
const reportLeftOut = async (
  stderr: Output,
  finished: ReturnType<Filter['finish']>,
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
 * Writes the rows to stdout. After the first row, a failure goes only to stderr, because JSON in the table would
 * spoil it.
 */
const printRows =
  (context: SelectContext, selection: Selection): TE.TaskEither<Failure, CommandResult> =>
  async () => {
    const { stdout, stderr } = context.runtime
    let hasWritten = false
    const result = await selectRows(context, selection, {
      name: 'stdout',
      write: (bytes) => {
        hasWritten = true
        return stdout.write(bytes)
      },
      isClosed: () => stdout.isClosed === true,
    })()
    if (E.isRight(result)) return E.right({})
    if (!hasWritten) return result
    await stderr.write(writeStderrLines(result.left))
    return E.right({ exit: classify(result.left).exit })
  }

/** Writes a new file, which takes the place of an old one only when everything went well. */
const replaceFile = (
  { runtime: { files }, flags }: SelectContext,
  path: string,
  work: (sink: SelectSink) => TE.TaskEither<Failure, void>,
): TE.TaskEither<Failure, CommandResult> =>
  pipe(
    access(`write ${path}`, () => files.openReplacement(path)),
    TE.chainFirst((file) =>
      access(`write ${path}`, async () => {
        if (isTable(flags) && !flags['no-bom']) await file.append(Buffer.from(byteOrderMark))
      }),
    ),
    TE.chain((file) => async () => {
      const result = await work(sinkOf(path, file))()
      if (E.isLeft(result)) {
        await file.discard()
        return result
      }
      return access(`write ${path}`, async () => {
        const written = await file.commit()
        await written.close()
        return {}
      })()
    }),
  )

const sinkOf = (path: string, file: Replacement): SelectSink => ({
  name: path,
  write: (bytes) => file.append(bytes),
  isClosed: () => false,
})
