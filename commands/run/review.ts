import * as E from 'fp-ts/Either'
import type { EngineCallFlag, EngineCallFlags } from '../../lib/cli/client'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { openClient } from '../../lib/cli/open-client'
import type { ObservedClient } from '../../lib/client/call/client'
import { chooseModel } from '../../lib/client/call/encode-call'
import { endSpan } from '../../lib/client/call/observe'
import type { ReviewUnit } from '../../lib/codec/review-config'
import { type Failure, interrupted } from '../../lib/failure/failure'
import { reportToJob } from '../../lib/failure/job-summary'
import type { NamedFile } from '../../lib/failure/named-files'
import { exitCodes } from '../../lib/failure/report'
import { resolvePath } from '../../lib/review/bundle'
import { loadReviewConfig } from '../../lib/review/config'
import { encodeForecasts, forecastUnits, formatForecasts } from '../../lib/review/dry-run'
import { formatMarkdownReport } from '../../lib/review/markdown-report'
import { checkReviewOutputs, encodeReportDocument, writeOutputs } from '../../lib/review/outputs'
import { showReviewProgress } from '../../lib/review/progress'
import { redactReport, type UnitReport } from '../../lib/review/report'
import { endSpanAsFlagged, runUnits } from '../../lib/review/run-units'
import type { UnitOutcome } from '../../lib/review/unit'
import { prepareSources, type Sources } from '../../lib/review/unit-state'
import type { Duration } from '../../lib/text/duration'
import { sanitize } from '../../lib/text/sanitize'

/** The flags of `svc review`. */
interface ReviewOptions extends EngineCallFlags {
  readonly units: string
  readonly only: string
  readonly report: string
  readonly json: boolean
  readonly junit: string | undefined
  // Limits of answers. An answer beyond its limit raises a flag, which is a finding in the report.
  readonly 'min-cover': number
  readonly 'max-contradict': number
  readonly 'min-thorough': number
  readonly 'max-state-bytes': number
  readonly 'unit-timeout': Duration
  readonly concurrency: number
  readonly 'follow-links': boolean
  readonly 'dry-run': boolean
}

type ReviewContext = ContextWith<ReviewOptions, EngineCallFlag>

type Units = ReadonlyArray<ReviewUnit>

/**
 * Runs `svc review`: reviews the units of a configuration. A unit is a section of a spec with its implementation and tests. Checks
 * options and files before the first call.
 */
export const runReview = async (context: ReviewContext): Promise<CommandOutcome> => {
  const { runtime, flags } = context
  const { files, signal } = runtime
  const config = await loadReviewConfig(files, flags.units, flags.only)
  if (E.isLeft(config)) return config
  const { units, folder } = config.right
  const fileAccess = { files, folder, followLinks: flags['follow-links'] }
  // Implementation and tests get half of the bytes each.
  const sources = prepareSources(fileAccess, Math.floor(flags['max-state-bytes'] / 2), signal)
  if (flags['dry-run']) return printDryRun(context, sources, units)
  const client = await openClient(context)
  if (E.isLeft(client)) return client
  // Units name no model. This fails now, instead of in each call, if the service has no default model.
  const model = chooseModel(client.right.destination, undefined)
  if (E.isLeft(model)) return model
  const writable = await checkReviewOutputs(runtime, flags, listFilesRead(context, folder, units))
  if (E.isLeft(writable)) return writable
  return reviewUnits(context, sources, units, client.right)
}

/** The environment variables with the path of a file that svc reads. */
const fileVariables = ['SERVICE_API_KEY_FILE', 'OTEL_CONFIG_FILE'] as const

/** Lists the files that a review reads. Reports must not replace them. */
const listFilesRead = (
  { flags, runtime }: ReviewContext,
  folder: string,
  units: Units,
): ReadonlyArray<NamedFile> => {
  const filesRead: NamedFile[] = [{ name: '--units', path: flags.units }]
  for (const name of fileVariables) {
    const path = runtime.env[name]
    if (path) filesRead.push({ name, path })
  }
  for (const { spec, implementation, tests } of units)
    for (const path of [spec, ...implementation, ...tests])
      filesRead.push({ name: path, path: resolvePath(folder, path) })
  return filesRead
}

const writeStatus = ({ runtime }: ReviewContext, line: string): Promise<void> =>
  runtime.stderr.write(`review: ${sanitize(line)}\n`)

/**
 * Prints how much of the size budget each unit takes, without calls or reports. Exits with 8 if a unit could not run. Fails
 * if the run is interrupted.
 */
const printDryRun = async (
  context: ReviewContext,
  sources: Sources,
  units: Units,
): Promise<CommandOutcome> => {
  const { signal } = context.runtime
  const forecasts = await forecastUnits(sources, units, signal)
  if (signal.aborted) return E.left(interrupted)
  const failingCount = forecasts.filter(({ sizes }) => E.isLeft(sizes)).length
  // As a review counts them.
  const unitCountText = `${forecasts.length} units`
  await writeStatus(context, `checked ${unitCountText}, no call made`)
  if (failingCount > 0) await writeStatus(context, `${failingCount} of ${unitCountText} cannot run`)
  const stdout = context.flags.json
    ? { document: encodeForecasts(forecasts, sources.maxBundleBytes) }
    : formatForecasts(forecasts, sources.maxBundleBytes)
  return E.right(failingCount === 0 ? { stdout } : { stdout, exitCode: exitCodes.flagged })
}

/** Reviews the units and reports on them, inside a span of the trace. */
const reviewUnits = async (
  context: ReviewContext,
  sources: Sources,
  units: Units,
  client: ObservedClient,
): Promise<CommandOutcome> => {
  const { runtime, flags, tracer } = context
  const span = tracer.start('svc.review', {
    attributes: { 'gen_ai.operation.name': 'review', 'svc.review.units': units.length },
  })
  const environment = {
    sources,
    thresholds: {
      minCover: flags['min-cover'],
      maxContradict: flags['max-contradict'],
      minThorough: flags['min-thorough'],
    },
    timeout: flags['unit-timeout'],
    client,
  }
  const progress = showReviewProgress(runtime.stderr, runtime.clock, units.length)
  const settings = { concurrency: flags.concurrency, parent: span, progress }
  const outcomes = await runUnits(environment, units, settings)
  await progress?.stop()
  const result = await reportOutcomes(context, units.length, outcomes)
  if (E.isLeft(result)) endSpan(span, result.left)
  else if (result.right.exitCode === undefined) span.end()
  else endSpanAsFlagged(span, 'units are failing')
  return result
}

/** Writes the reports, and decides output and exit code. `requestedCount` is the number of units that should have run. */
const reportOutcomes = async (
  context: ReviewContext,
  requestedCount: number,
  outcomes: ReadonlyArray<UnitOutcome>,
): Promise<CommandOutcome> => {
  const { runtime, flags, globals, redact } = context
  const reports = outcomes.map(({ report }) => redactReport(report, redact))
  const failingReports = reports.filter((report) => report.failing)
  const markdown = formatMarkdownReport(reports, flags['min-cover'])
  await writeStatus(context, `ran ${reports.length} units`)
  const written = await writeOutputs(runtime.files, flags, reports)
  if (E.isLeft(written)) return written
  await reportToJob(context, 'review', markdown)
  if (failingReports.length > 0)
    await writeStatus(context, `${failingReports.length} of ${reports.length} units failing`)
  const failure = findDecidingFailure(outcomes, requestedCount)
  if (failure !== undefined) return E.left(failure)
  const stdout = flags.json ? encodeReportDocument(reports, globals.pretty) : markdown
  if (failingReports.length === 0) return E.right({ stdout })
  return E.right({
    stdout,
    exitCode: exitCodes.flagged,
    annotations: failingReports.map(describeFailingUnit),
  })
}

/** Describes a failing unit by its error, or by the flags in its report that the configuration does not accept. */
const describeFailingUnit = ({ name, error, flags: reportFlags }: UnitReport): string => {
  const messages = reportFlags.filter((flag) => !flag.accepted).map((flag) => flag.message)
  return `${name}: ${error === '' ? messages.join('; ') : error}`
}

/**
 * Finds the failure that decides the exit code: an interrupt, else the first failed call in the order of the
 * configuration. If units are missing, an interrupt has stopped the review.
 */
const findDecidingFailure = (
  outcomes: ReadonlyArray<UnitOutcome>,
  requestedCount: number,
): Failure | undefined => {
  if (outcomes.length < requestedCount) return interrupted
  // An outcome without a failure adds nothing.
  const failures = outcomes.flatMap(({ failure }) => failure ?? [])
  return failures.find(({ _tag }) => _tag === 'Interrupted') ?? failures[0]
}
