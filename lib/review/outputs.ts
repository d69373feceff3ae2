import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { printEscaped } from '../codec/json/output'
import { type Failure, usage } from '../failure/failure'
import { messageOf } from '../failure/format-failure'
import { findJobSummary } from '../failure/job-summary'
import { checkDistinctFiles, type NamedFile, runFileOperation } from '../failure/named-files'
import type { Files, Runtime } from '../runtime/runtime'
import { formatJunitReport } from './junit'
import { encodeUnitReport, type UnitReport } from './report'

/** The paths of the reports. */
interface Outputs {
  readonly report: string
  readonly junit: string | undefined
}

/** Encodes the report document, without a final newline. */
export const encodeReport = (units: ReadonlyArray<UnitReport>, pretty: boolean): Buffer =>
  printEscaped(units.map(encodeUnitReport), pretty)

/**
 * Checks that the reports can be written. Also checks that the reports, the job summary, and the files that the review reads are
 * all different files. Fails with a usage error.
 */
export const checkReviewOutputs =
  (
    { files, env }: Pick<Runtime, 'files' | 'env'>,
    outputs: Outputs,
    reads: ReadonlyArray<NamedFile>,
  ): TE.TaskEither<Failure, void> =>
  async () => {
    const reports = listOutputs(outputs)
    for (const { operation, path } of reports) {
      const writable = await runFileOperation(operation, () => files.checkWritable(path))()
      if (E.isLeft(writable)) return writable
    }
    return checkDistinctFiles(files, reads, [...reports, ...findJobSummary(env)])()
  }

/** A report file. */
interface ReportFile extends NamedFile {
  /** The beginning of the message if it cannot be written. */
  readonly operation: string
}

const listOutputs = ({ report, junit }: Outputs): ReadonlyArray<ReportFile> => {
  const files = [{ name: '--report', operation: `write report ${report}`, path: report }]
  if (junit !== undefined)
    files.push({ name: '--junit', operation: `write JUnit report ${junit}`, path: junit })
  return files
}

/**
 * Writes the reports, even if one of them fails. A report that cannot be written is saved in a temporary file, because its calls
 * were paid for. The failure names that file.
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
      const temporaryName = isReport ? 'report.json' : 'junit.xml'
      if (E.isRight(written)) results.push(written)
      else results.push(await saveElsewhere(files, written.left, temporaryName, text))
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
  if (path === undefined) return E.left(failure)
  return E.left(usage(`${messageOf(failure)}; it was saved in ${path}`))
}
