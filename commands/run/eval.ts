import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { type Failure, usage } from '../../lib/failure/failure'
import { listJobSummaryFiles, reportToJob } from '../../lib/failure/job-summary'
import {
  checkDistinctFiles,
  checkOutputs,
  listNamedFiles,
  runFileOperation,
} from '../../lib/failure/named-files'
import { exitCodes } from '../../lib/failure/report'
import {
  checkTextFlags,
  createStateReader,
  findErrorTexts,
} from '../../lib/measure/evaluate/error-texts'
import {
  checkGroupCount,
  type Evaluation,
  encodeEvaluation,
  evaluateRun,
} from '../../lib/measure/evaluate/evaluation'
import {
  formatEvaluationMarkdown,
  tabulateEvaluation,
} from '../../lib/measure/evaluate/evaluation-table'
import { findUnmet, type Limit, parseLimits } from '../../lib/measure/evaluate/figure-limits'
import { readLabelFile } from '../../lib/measure/labels/label-file'
import type { LabelFlags } from '../../lib/measure/labels/label-flags'
import { sampleExceedsRun } from '../../lib/measure/labels/sample-counts'
import { formatEvaluationPage } from '../../lib/measure/page/evaluation-page'
import { savePage } from '../../lib/measure/page/html-document'
import { checkLabelled } from '../../lib/measure/rows/labelled-run'
import { readLabelled } from '../../lib/measure/rows/read-labelled-run'
import { createShareCollector } from '../../lib/measure/share/collect-shares'
import { estimateShares, type RunShares } from '../../lib/measure/share/shares'
import { openSource } from '../../lib/runs/record/lines'
import type { RowOptions } from '../../lib/runs/rows/form'
import { sanitize } from '../../lib/text/sanitize'
import { chooseTextLayout } from '../../lib/text/terminal'

/** The options of `svc eval`. */
interface EvalOptions extends LabelFlags, RowOptions {
  readonly 'by-group': boolean
  readonly seed: number
  readonly min: ReadonlyArray<string>
  readonly max: ReadonlyArray<string>
  readonly table: boolean
  readonly junit: string | undefined
  readonly html: string | undefined
  readonly 'with-state': boolean
}

type EvalContext = ContextWith<EvalOptions>

/**
 * Runs `svc eval`: measures how right the answers of a run are, by its labels. A run is the file of records that `svc batch` wrote,
 * one for each row. Labels are the right answers to some of the rows. The exit code is 8 if a limit is not met.
 */
export const runEval = async (context: EvalContext): Promise<CommandOutcome> => {
  const { flags } = context
  const limits = parseMinAndMax(flags)
  if (E.isLeft(limits)) return limits
  const checked = await checkFlagsAndFiles(context)
  if (E.isLeft(checked)) return checked
  const measured = await measureRun(context)
  if (E.isLeft(measured)) return measured
  const { evaluation } = measured.right
  const unmetLimits = findUnmet(limits.right, evaluation)
  if (E.isLeft(unmetLimits)) return unmetLimits
  const written = await writeReportPage(context, measured.right)
  if (E.isLeft(written)) return written
  const reported = await writeJunit(context, limits.right, evaluation)
  if (E.isLeft(reported)) return reported
  await reportToJob(context, 'eval', formatEvaluationMarkdown(evaluation, unmetLimits.right))
  const { stdout, env } = context.runtime
  return E.right({
    stdout: flags.table
      ? { report: tabulateEvaluation(evaluation, chooseTextLayout(stdout, env)) }
      : { document: encodeEvaluation(evaluation) },
    messages: unmetLimits.right.map((text) => `svc: not met: ${sanitize(text)}`),
    exitCode: unmetLimits.right.length === 0 ? exitCodes.ok : exitCodes.flagged,
    annotations: unmetLimits.right.map((text) => `not met: ${text}`),
  })
}

const parseMinAndMax = ({ min, max }: EvalOptions): E.Either<Failure, ReadonlyArray<Limit>> => {
  const minima = parseLimits('--min', min)
  if (E.isLeft(minima)) return minima
  const maxima = parseLimits('--max', max)
  if (E.isLeft(maxima)) return maxima
  return E.right([...minima.right, ...maxima.right])
}

/**
 * Fails if flags do not fit together, if the page or the JUnit report cannot be written, or if one of them or the job summary would
 * replace another file.
 */
const checkFlagsAndFiles = async ({
  runtime,
  flags,
}: EvalContext): Promise<E.Either<Failure, unknown>> => {
  const textFault = checkTextFlags(flags)
  if (textFault !== undefined) return E.left(textFault)
  if (flags.junit !== undefined && flags.min.length + flags.max.length === 0)
    return E.left(usage('--junit needs --min or --max: each of them is a test case'))
  const filesRead = listNamedFiles(flags, 'input', 'labels', 'rows')
  const page = listNamedFiles(flags, 'html')
  const writable = await checkOutputs(runtime.files, filesRead, page, 'page')()
  if (E.isLeft(writable)) return writable
  const junit = listNamedFiles(flags, 'junit')
  const otherFiles = [...filesRead, ...page]
  const junitWritable = await checkOutputs(runtime.files, otherFiles, junit, 'JUnit report')()
  if (E.isLeft(junitWritable)) return junitWritable
  const jobSummary = listJobSummaryFiles(runtime.env)
  return checkDistinctFiles(runtime.files, [...otherFiles, ...junit], jobSummary)()
}

/** The figures of a run. */
interface MeasuredRun {
  readonly evaluation: Evaluation
  /** The share of all rows that each answer has, for the page of `--html`. `undefined` without the flag, or if rows are missing. */
  readonly shares: RunShares | undefined
}

/** Reads the run with its labels, and measures it. Fails if it has no answers or no labels, or too many groups for `--by-group`. */
const measureRun = async (context: EvalContext): Promise<E.Either<Failure, MeasuredRun>> => {
  const { runtime, flags, redact } = context
  const labels = await readLabelFile(runtime, flags)
  if (E.isLeft(labels)) return labels
  const shareCollector = flags.html === undefined ? undefined : createShareCollector()
  const readText = flags['with-state'] ? createStateReader(redact) : undefined
  const readers = { readText, visit: shareCollector?.add }
  const labelledRun = await readLabelled(runtime, flags.input, labels.right, readers)
  if (E.isLeft(labelledRun)) return labelledRun
  const { run, drawn } = labelledRun.right
  const labelCheck = checkLabelled('eval', run)
  if (E.isLeft(labelCheck)) return labelCheck
  const groupCheck = flags['by-group'] ? checkGroupCount(run) : E.right(undefined)
  if (E.isLeft(groupCheck)) return groupCheck
  const evaluation = evaluateRun(run, { seed: flags.seed, byGroup: flags['by-group'] })
  // Drawn rows that represent more rows than the file has come from a larger run, whose other rows are unknown.
  const hasAllRows = shareCollector !== undefined && !sampleExceedsRun(drawn)
  const shares = hasAllRows ? estimateShares(shareCollector.finish()) : undefined
  return E.right({ evaluation, shares })
}

/** Writes the page of `--html`, and its path to stderr. Does nothing without the flag. */
const writeReportPage = async (
  context: EvalContext,
  { evaluation, shares }: MeasuredRun,
): Promise<E.Either<Failure, void>> => {
  const { runtime, flags, build, redact } = context
  const { html, labels } = flags
  if (html === undefined) return E.right(undefined)
  const textOf = await findErrorTexts(runtime, flags, evaluation.run, redact)()
  if (E.isLeft(textOf)) return textOf
  const run = openSource(flags.input, runtime).name
  const origin = { run, labels, version: build.version, textOf: textOf.right, shares }
  const formatPage = () => formatEvaluationPage(evaluation, origin)
  const saved = await savePage(runtime, html, formatPage, redact)
  if (E.isLeft(saved)) return saved
  await runtime.stderr.write(`eval: the page is ${sanitize(redact(html))}\n`)
  return saved
}

/** Writes the JUnit report of `--junit`. Does nothing without the flag. */
const writeJunit = async (
  { runtime, flags, redact }: EvalContext,
  limits: ReadonlyArray<Limit>,
  evaluation: Evaluation,
): Promise<E.Either<Failure, void>> => {
  const { junit: path } = flags
  if (path === undefined) return E.right(undefined)
  const { formatLimitsJunit } = await import('../../lib/measure/evaluate/limits-junit')
  const xml = formatLimitsJunit(limits, evaluation)
  if (E.isLeft(xml)) return xml
  return runFileOperation(`write JUnit report ${path}`, () =>
    runtime.files.replace(path, redact(xml.right)),
  )()
}
