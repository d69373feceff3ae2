import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Context, Result, Run } from '../../lib/cli/declaration'
import { classify } from '../../lib/failure/classify'
import { writeStderrLines } from '../../lib/failure/envelope'
import type { Failure } from '../../lib/failure/failure'
import { access, checkDistinctFiles, filesOf } from '../../lib/failure/named-files'
import { writeCount } from '../../lib/failure/text/table'
import { createFilter, parseSelection, type Selection } from '../../lib/measure/select/select'
import { createWriter, type SelectSink } from '../../lib/measure/select/writer'
import { readRun } from '../../lib/runs/record/read'
import { openSource } from '../../lib/runs/record/source'
import { createRowFinder } from '../../lib/runs/rows/find-rows'
import { findFlagFault } from '../../lib/runs/rows/flags'
import type { Replacement } from '../../lib/runtime/runtime'
import type { SelectFlags } from '../select'

type SelectContext = Context<SelectFlags>

/** Runs `svc select`: takes rows out of a run. R29 */
export const runSelect: Run<SelectFlags> = (context) =>
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

/** Checks that the output would not overwrite what is read, and that flags fit each other. D57 */
const checkFiles = ({ runtime, flags }: SelectContext): TE.TaskEither<Failure, void> => {
  const fault = findFlagFault(flags)
  if (fault !== undefined) return TE.left(fault)
  return checkDistinctFiles(
    runtime.files,
    filesOf(flags, 'input', 'rows'),
    filesOf(flags, 'output'),
  )
}

/** Reads the run, and writes the rows that are kept, chunk by chunk, so that memory does not grow with the run. */
const selectRows = (
  { runtime, flags }: SelectContext,
  selection: Selection,
  sink: SelectSink,
): TE.TaskEither<Failure, void> => {
  const { input, rows, output } = flags
  const filter = createFilter(selection)
  const asTable =
    (flags.to ??
      extname(output ?? '')
        .slice(1)
        .toLowerCase()) === 'csv'
  const findRow = rows === undefined ? undefined : createRowFinder(runtime, rows, flags.format)
  const source = openSource(input, runtime)
  const writer = createWriter(source.name, asTable, findRow, sink)
  /** Writes what a chunk of the run led to before the next one is read. */
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source.chunks) {
      yield chunk
      await writer.flush()
      if (sink.isClosed() || writer.failure() !== undefined) return
    }
  }
  return pipe(
    readRun({ ...source, chunks: chunks() }, (record) => {
      if (filter.keeps(record)) writer.add(record)
      else writer.pass(record)
      return filter.failure() === undefined ? undefined : 'the conditions are not about this run'
    }),
    TE.mapLeft((failure) => filter.failure() ?? writer.failure() ?? failure),
    TE.chainTaskK(() => () => writer.finish()),
    TE.chainEitherK(() => {
      const failure = writer.failure()
      return failure === undefined ? filter.finish() : E.left(failure)
    }),
    TE.chainTaskK(({ lacking, unanswered }) => async () => {
      if (lacking > 0)
        await runtime.stderr.write(
          `select: ${writeCount(lacking, 'row', 'lacks', 'lack')} a value that --where names\n`,
        )
      if (unanswered > 0)
        await runtime.stderr.write(
          `select: ${writeCount(unanswered, 'row', 'was', 'were')} not answered; --errors keeps them\n`,
        )
    }),
  )
}

/** Writes the rows to stdout. After the first row a failure is told on stderr alone, so that a table is not spoilt. */
const printRows =
  (context: SelectContext, selection: Selection): TE.TaskEither<Failure, Result> =>
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
  { runtime: { files } }: SelectContext,
  path: string,
  work: (sink: SelectSink) => TE.TaskEither<Failure, void>,
): TE.TaskEither<Failure, Result> =>
  pipe(
    access(`write ${path}`, () => files.openReplacement(path)),
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
