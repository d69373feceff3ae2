import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { printHarmless } from '../codec/json/output'
import { type Failure, usage } from '../failure/failure'
import { messageOf } from '../failure/message'
import { access, checkDistinctFiles, findJobSummary, type NamedFile } from '../failure/named-files'
import type { Files, Runtime } from '../runtime/runtime'
import { formatJunitReport } from './junit'
import { describeEntry, type UnitReport } from './report'

/** The paths of a run's reports. */
interface Outputs {
  readonly report: string
  readonly junit: string | undefined
}

/** Writes the report document, without a final newline. */
export const formatReportJson = (units: ReadonlyArray<UnitReport>, pretty: boolean): Buffer =>
  printHarmless(units.map(describeEntry), pretty)

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
    TE.traverseSeqArray(({ what, path }) => access(what, () => files.checkWritable(path))),
    TE.chain(() =>
      checkDistinctFiles(files, reads, [...listOutputs(outputs), ...findJobSummary(env)]),
    ),
  )

interface Written extends NamedFile {
  readonly what: string
}

const listOutputs = ({ report, junit }: Outputs): ReadonlyArray<Written> => [
  { name: '--report', what: `write report ${report}`, path: report },
  ...(junit === undefined
    ? []
    : [{ name: '--junit', what: `write JUnit report ${junit}`, path: junit }]),
]

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
    for (const { name: flag, what, path } of listOutputs(outputs)) {
      const isReport = flag === '--report'
      const text = isReport ? `${formatReportJson(units, true)}\n` : formatJunitReport(units)
      const name = isReport ? 'report.json' : 'junit.xml'
      results.push(
        await pipe(
          access(what, () => files.replace(path, text)),
          TE.orElse((failure) => keepElsewhere(files, failure, name, text)),
        )(),
      )
    }
    return results.find(E.isLeft) ?? E.right(undefined)
  }

const keepElsewhere = (
  files: Files,
  failure: Failure,
  name: string,
  text: string,
): TE.TaskEither<Failure, void> =>
  pipe(
    TE.tryCatch(
      () => files.keep(name, text),
      () => failure,
    ),
    TE.chain((path) => TE.left(usage(`${messageOf(failure)}; it is kept in ${path}`))),
  )
