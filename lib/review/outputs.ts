import * as E from 'fp-ts/Either'
import { printEscaped } from '../codec/json/draft'
import { type Failure, usage } from '../failure/failure'
import { listJobSummaryFiles } from '../failure/job-summary'
import { checkDistinctFiles, type NamedFile, runFileOperation } from '../failure/named-files'
import { messageOf } from '../failure/report'
import type { Files, Runtime } from '../runtime/runtime'
import { formatJunitReport } from './junit'
import { encodeUnitReport, type UnitReport } from './report'

/** The paths of the report document and the JUnit report, as passed with `--report` and `--junit`. */
interface ReportPaths {
  readonly report: string
  readonly junit: string | undefined
}

/** Encodes the report document, without a final newline. */
export const encodeReportDocument = (units: ReadonlyArray<UnitReport>, pretty: boolean): Buffer =>
  printEscaped(units.map(encodeUnitReport), pretty)

/**
 * Checks that the reports can be written, and that the reports, the job summary and `filesRead` are all different files. Fails with
 * a usage error.
 */
export const checkReviewOutputs = async (
  { files, env }: Pick<Runtime, 'files' | 'env'>,
  paths: ReportPaths,
  filesRead: ReadonlyArray<NamedFile>,
): Promise<E.Either<Failure, void>> => {
  const reports = listReportFiles(paths)
  for (const { operation, path } of reports) {
    const writable = await runFileOperation(operation, () => files.checkWritable(path))()
    if (E.isLeft(writable)) return writable
  }
  return checkDistinctFiles(files, filesRead, [...reports, ...listJobSummaryFiles(env)])()
}

/** A report file. */
interface ReportFile extends NamedFile {
  /** The beginning of the message if it cannot be written. */
  readonly operation: string
  /** The name of the temporary file that is written instead. */
  readonly temporaryName: string
  readonly format: (units: ReadonlyArray<UnitReport>) => string
}

const listReportFiles = ({ report, junit }: ReportPaths): ReadonlyArray<ReportFile> => {
  const documentFile: ReportFile = {
    name: '--report',
    path: report,
    operation: `write report ${report}`,
    temporaryName: 'report.json',
    format: (units) => `${encodeReportDocument(units, true)}\n`,
  }
  if (junit === undefined) return [documentFile]
  const junitFile: ReportFile = {
    name: '--junit',
    path: junit,
    operation: `write JUnit report ${junit}`,
    temporaryName: 'junit.xml',
    format: formatJunitReport,
  }
  return [documentFile, junitFile]
}

/**
 * Writes all reports, even if one of them cannot be written. Saves such a report in a temporary file, because the requests for it were
 * paid for. Fails for the first such report. The message names the temporary file, if that could be written.
 */
export const writeOutputs = async (
  files: Files,
  paths: ReportPaths,
  units: ReadonlyArray<UnitReport>,
): Promise<E.Either<Failure, void>> => {
  const results: Array<E.Either<Failure, void>> = []
  for (const { path, operation, temporaryName, format } of listReportFiles(paths)) {
    const text = format(units)
    const written = await runFileOperation(operation, () => files.replace(path, text))()
    if (E.isRight(written)) results.push(written)
    else results.push(await saveTemporarily(files, written.left, temporaryName, text))
  }
  return results.find(E.isLeft) ?? E.right(undefined)
}

/** Saves a report in a temporary file, and adds its path to the failure. If that fails too, the failure stays as it is. */
const saveTemporarily = async (
  files: Files,
  failure: Failure,
  name: string,
  text: string,
): Promise<E.Either<Failure, never>> => {
  const path = await files.saveTemporary(name, text).catch(() => undefined)
  if (path === undefined) return E.left(failure)
  // `failure` is a usage error too, as that of every operation on a file that the user named.
  return E.left(usage(`${messageOf(failure)}; it was saved in ${path}`))
}
