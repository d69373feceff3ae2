import { normalize } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import { printHarmless } from '../json/shown'
import { reasonOf } from '../runtime/reason'
import type { Files } from '../runtime/runtime'
import { reportEntry, type UnitReport } from './report'

/** Where a run leaves its reports. */
export interface Outputs {
  readonly report: string
  readonly junit: string | undefined
}

/** The report document, without a final newline. spec: Review report; D59 */
export const reportJson = (units: ReadonlyArray<UnitReport>, pretty: boolean): Buffer =>
  printHarmless(units.map(reportEntry), pretty)

const access = (what: string, act: () => Promise<void>): TE.TaskEither<Failure, void> =>
  TE.tryCatch(act, (error) => usage(`${what}: ${reasonOf(error)}`))

const reportAt = (path: string): string => `write report ${path}`
const junitAt = (path: string): string => `write JUnit report ${path}`

/**
 * Fails where a report could not be written, or would overwrite another or the configuration: before calls are
 * paid for. D29
 */
export const checkOutputs = (
  files: Files,
  { report, junit }: Outputs,
  units: string,
): TE.TaskEither<Failure, void> =>
  pipe(
    TE.fromEither(distinct({ '--units': units, '--report': report, '--junit': junit })),
    TE.chain(() => access(reportAt(report), () => files.checkWritable(report))),
    TE.chain(() =>
      junit === undefined
        ? TE.right(undefined)
        : access(junitAt(junit), () => files.checkWritable(junit)),
    ),
  )

/** Refuses to write over the configuration, or one report over the other. */
const distinct = (paths: Readonly<Record<string, string | undefined>>): E.Either<Failure, void> => {
  const seen = new Map<string, string>()
  for (const [flag, path] of Object.entries(paths)) {
    if (path === undefined) continue
    const other = seen.get(normalize(path))
    if (other !== undefined) return E.left(usage(`${flag} and ${other} name the same file ${path}`))
    seen.set(normalize(path), flag)
  }
  return E.right(undefined)
}

/** Writes the reports. D29 */
export const writeOutputs = (
  files: Files,
  { report, junit }: Outputs,
  units: ReadonlyArray<UnitReport>,
): TE.TaskEither<Failure, void> =>
  pipe(
    access(reportAt(report), () => files.replace(report, `${reportJson(units, true)}\n`)),
    TE.chain(() =>
      junit === undefined
        ? TE.right(undefined)
        : access(junitAt(junit), async () => {
            const { junitReport } = await import('./junit')
            await files.replace(junit, junitReport(units))
          }),
    ),
  )

/** Appends Markdown to the file of a CI system's job summary. */
export const appendSummary = (
  files: Files,
  path: string,
  markdown: string,
): TE.TaskEither<Failure, void> =>
  access('write job summary', () => files.append(path, `${markdown}\n`))
