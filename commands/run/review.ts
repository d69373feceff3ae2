import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as T from 'fp-ts/Task'
import * as TE from 'fp-ts/TaskEither'
import { createCommandClient } from '../../lib/cli/client'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import type { ObservedClient } from '../../lib/client/call/call-context'
import { chooseModel } from '../../lib/client/call/client'
import { endSpan } from '../../lib/client/call/observe'
import type { ReviewUnit } from '../../lib/codec/review-config'
import { exitCode } from '../../lib/failure/classify'
import { type Failure, interrupted } from '../../lib/failure/failure'
import { reportToJob } from '../../lib/failure/job-report'
import type { NamedFile } from '../../lib/failure/named-files'
import type { Duration } from '../../lib/failure/text/duration'
import { sanitize } from '../../lib/failure/text/harmless'
import { formatCount } from '../../lib/failure/text/table'
import { resolvePath } from '../../lib/review/bundle'
import { loadReviewConfig } from '../../lib/review/config'
import { describeOutlooks, readOutlooks, writeOutlooks } from '../../lib/review/dry-run'
import { writeMarkdownReport } from '../../lib/review/markdown-report'
import { checkReports, writeOutputs, writeReportJson } from '../../lib/review/outputs'
import { showReviewProgress } from '../../lib/review/progress'
import { redactReport, type UnitReport } from '../../lib/review/report'
import { endSpanAsFlagged, runUnits } from '../../lib/review/run-units'
import type { UnitOutcome } from '../../lib/review/unit'
import { prepareSources, type Sources } from '../../lib/review/unit-state'

/** The options of `svc review`. */
interface ReviewOptions {
  readonly units: string
  readonly only: string
  readonly report: string
  readonly json: boolean
  readonly junit: string | undefined
  readonly 'min-cover': number
  readonly 'max-contradict': number
  readonly 'min-thorough': number
  readonly 'max-state-bytes': number
  readonly 'unit-timeout': Duration
  readonly concurrency: number
  readonly 'follow-links': boolean
  readonly 'dry-run': boolean
}

type ReviewContext = ContextWith<ReviewOptions>

type Units = ReadonlyArray<ReviewUnit>

/**
 * Runs `svc review`: reviews the units of a configuration. Checks everything that needs no call first (flags,
 * configuration, key, report paths).
 */
export const runReview = (context: ReviewContext): TE.TaskEither<Failure, CommandResult> => {
  const { flags } = context
  const { files, signal } = context.runtime
  return pipe(
    loadReviewConfig(files, flags.units, flags.only),
    TE.chain(({ units, folder }) => {
      const reading = { files, folder, followLinks: flags['follow-links'] }
      const from = prepareSources(reading, Math.floor(flags['max-state-bytes'] / 2), signal)
      return flags['dry-run']
        ? printDryRun(context, from, units)
        : pipe(
            createCommandClient(context),
            TE.chainFirstEitherK(({ destination }) => chooseModel(destination, undefined)),
            TE.chainFirst(() =>
              checkReports(context.runtime, flags, listFilesRead(context, folder, units)),
            ),
            TE.chain((client) => reviewUnits(context, from, units, client)),
          )
    }),
  )
}

/** The variables that name a file which a run reads. */
const fileVariables = ['SERVICE_API_KEY_FILE', 'OTEL_CONFIG_FILE'] as const

/** Lists the files that a run reads. Reports must not replace them. */
const listFilesRead = (
  { flags, runtime: { env } }: ReviewContext,
  folder: string,
  units: Units,
): ReadonlyArray<NamedFile> => [
  { name: '--units', path: flags.units },
  ...fileVariables.flatMap((name) => (env[name] ? [{ name, path: env[name] }] : [])),
  ...units.flatMap(({ spec, implementation, tests }) =>
    [spec, ...implementation, ...tests].map((path) => ({
      name: path,
      path: resolvePath(folder, path),
    })),
  ),
]

const writeLine = ({ runtime }: ReviewContext, line: string): Promise<void> =>
  runtime.stderr.write(`review: ${sanitize(line)}\n`)

/**
 * Prints how much of the budget each unit takes, without calls or reports. Exits with 8 if a unit could not
 * run. Fails if the run is interrupted.
 */
const printDryRun =
  (context: ReviewContext, from: Sources, units: Units): TE.TaskEither<Failure, CommandResult> =>
  async () => {
    const { signal } = context.runtime
    const list = await readOutlooks(from, units, signal)()
    if (signal.aborted) return E.left(interrupted)
    const failing = list.filter(({ sizes }) => E.isLeft(sizes)).length
    await writeLine(context, `checked ${formatCount(list.length, 'unit')}, no call made`)
    if (failing > 0)
      await writeLine(context, `${failing} of ${formatCount(list.length, 'unit')} cannot run`)
    const stdout = context.flags.json
      ? { document: describeOutlooks(list, from.bundleBytes) }
      : writeOutlooks(list, from.bundleBytes)
    return E.right(failing === 0 ? { stdout } : { stdout, exit: exitCode.flagged })
  }

/** Runs the units and reports on them, inside a span. */
const reviewUnits = (
  context: ReviewContext,
  from: Sources,
  units: Units,
  client: ObservedClient,
): TE.TaskEither<Failure, CommandResult> => {
  const { runtime, flags, tracer } = context
  const span = tracer.start('svc.review', {
    attributes: { 'gen_ai.operation.name': 'review', 'svc.review.units': units.length },
  })
  const env = {
    sources: from,
    thresholds: {
      minCover: flags['min-cover'],
      maxContradict: flags['max-contradict'],
      minThorough: flags['min-thorough'],
    },
    timeout: flags['unit-timeout'],
    client,
  }
  const progress = showReviewProgress(runtime.stderr, runtime.clock, units.length)
  const running = { concurrency: flags.concurrency, parent: span, progress }
  return pipe(
    TE.fromTask(runUnits(env, units, running)),
    TE.chainFirstTaskK(() => async () => progress?.stop()),
    TE.chain((outcomes) => reportOutcomes(context, units.length, outcomes)),
    TE.mapLeft((failure) => {
      endSpan(span, failure)
      return failure
    }),
    TE.map((result) => {
      if (result.exit === undefined) span.end()
      else endSpanAsFlagged(span, 'units are failing')
      return result
    }),
  )
}

/** Writes the reports, and decides output and exit code. */
const reportOutcomes = (
  context: ReviewContext,
  wanted: number,
  outcomes: ReadonlyArray<UnitOutcome>,
): TE.TaskEither<Failure, CommandResult> => {
  const { runtime, flags, globals } = context
  const units = outcomes.map((outcome) => redactReport(outcome.report, context.redact))
  const failing = units.filter((unit) => unit.failing).length
  const markdown = writeMarkdownReport(units, flags['min-cover'])
  return pipe(
    TE.fromTask(() => writeLine(context, `ran ${units.length} units`)),
    TE.chain(() => writeOutputs(runtime.files, flags, units)),
    TE.chainTaskK(() => () => reportToJob(context, 'review', markdown)),
    TE.chainTaskK(() =>
      failing === 0
        ? T.of(undefined)
        : () => writeLine(context, `${failing} of ${units.length} units failing`),
    ),
    TE.chain((): TE.TaskEither<Failure, CommandResult> => {
      const failure = findFirstFailure(outcomes, wanted)
      if (failure !== undefined) return TE.left(failure)
      const stdout = flags.json ? writeReportJson(units, globals.pretty) : markdown
      if (failing === 0) return TE.right({ stdout })
      const annotations = units.filter((unit) => unit.failing).map(describeFailing)
      return TE.right({ stdout, exit: exitCode.flagged, annotations })
    }),
  )
}

/** Describes a failing unit by its error, or by the flags that make it fail. */
const describeFailing = ({ name, error, flags }: UnitReport): string => {
  const messages = flags.filter((flag) => !flag.accepted).map((flag) => flag.message)
  return `${name}: ${error === '' ? messages.join('; ') : error}`
}

/**
 * Finds the failure that decides the exit code: an interrupt, else the first failed call in the order of the
 * configuration.
 */
const findFirstFailure = (
  outcomes: ReadonlyArray<UnitOutcome>,
  wanted: number,
): Failure | undefined => {
  const failures = outcomes.flatMap(({ failure }) => failure ?? [])
  return outcomes.length < wanted
    ? interrupted
    : (failures.find(({ _tag }) => _tag === 'Interrupted') ?? failures[0])
}
