import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { printEscaped } from '../codec/json/output'
import { type Failure, usage } from '../failure/failure'
import { messageOf } from '../failure/format-failure'
import { findJobSummary } from '../failure/job-summary'
import { checkDistinctFiles, type NamedFile, runFileOperation } from '../failure/named-files'
import type { Files, Runtime } from '../runtime/runtime'
import { formatJunitReport } from './junit'
import { encodeUnitReport, type UnitReport } from './report'

/** The paths of a run's reports. */
interface Outputs {
  readonly report: string
  readonly junit: string | undefined
}

/** Encodes the report document, without a final newline. */
export const encodeReport = (units: ReadonlyArray<UnitReport>, pretty: boolean): Buffer =>
  printEscaped(units.map(encodeUnitReport), pretty)

/**
 * Checks, before any call, that both reports can be written, and that the reports and the job summary are distinct
 * files that the run does not read. Fails with a usage error.
 */
export const checkReviewOutputs = (
  { files, env }: Pick<Runtime, 'files' | 'env'>,
  outputs: Outputs,
  reads: ReadonlyArray<NamedFile>,
): TE.TaskEither<Failure, void> =>
  pipe(
    listOutputs(outputs),
    TE.traverseSeqArray(({ operation, path }) =>
      runFileOperation(operation, () => files.checkWritable(path)),
    ),
    TE.chain(() =>
      checkDistinctFiles(files, reads, [...listOutputs(outputs), ...findJobSummary(env)]),
    ),
  )

/** A report file. `operation` is what messages say of writing it. */
interface ReportFile extends NamedFile {
  readonly operation: string
}

const listOutputs = ({ report, junit }: Outputs): ReadonlyArray<ReportFile> => {
  const files = [{ name: '--report', operation: `write report ${report}`, path: report }]
  if (junit !== undefined)
    files.push({ name: '--junit', operation: `write JUnit report ${junit}`, path: junit })
  return files
}

/**
 * Writes both reports, even if one of them fails. A report that cannot be written is saved in a temporary file, which
 * the failure names, because its calls have been paid for.
 */
export const writeOutputs =
  (
    files: Files,
    outputs: Outputs,
    units: ReadonlyArray<UnitReport>,
  ): TE.TaskEither<Failure, void> =>
  async () => {
    const results: Array<E.Either<Failure, void>> = []
    for (const { name, operation, path } of listOutputs(outputs)) {
      const isReport = name === '--report'
      const text = isReport ? `${encodeReport(units, true)}\n` : formatJunitReport(units)
      const written = await runFileOperation(operation, () => files.replace(path, text))()
      results.push(
        E.isRight(written)
          ? written
          : await saveElsewhere(files, written.left, isReport ? 'report.json' : 'junit.xml', text),
      )
    }
    return results.find(E.isLeft) ?? E.right(undefined)
  }

/** Saves a report in a temporary file, and adds its path to the failure. */
const saveElsewhere = async (
  files: Files,
  failure: Failure,
  name: string,
  text: string,
): Promise<E.Either<Failure, never>> => {
  const path = await files.saveTemporary(name, text).catch(() => undefined)
  return E.left(
    path === undefined ? failure : usage(`${messageOf(failure)}; it is kept in ${path}`),
  )
}
