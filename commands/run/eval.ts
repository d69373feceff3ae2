import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { exitCode } from '../../lib/failure/classify'
import type { Failure } from '../../lib/failure/failure'
import { reportToJob } from '../../lib/failure/job-report'
import {
  checkDistinctFiles,
  checkOutputs,
  filesOf,
  jobSummaryOf,
} from '../../lib/failure/named-files'
import { sanitize } from '../../lib/failure/text/harmless'
import { findErrorTexts, findTextFault, readStateText } from '../../lib/measure/error-texts'
import { tabulateEvaluation } from '../../lib/measure/eval-table'
import {
  describeEvaluation,
  type Evaluation,
  evaluate,
  refuseGroups,
} from '../../lib/measure/evaluate'
import { writeEvaluationMarkdown } from '../../lib/measure/job-summary'
import { refuseUnlabelled } from '../../lib/measure/labelled'
import { isSeveralDraws } from '../../lib/measure/labels/draw'
import type { LabelFlags } from '../../lib/measure/labels/flags'
import { readLabelFile } from '../../lib/measure/labels/label-file'
import { readLabelled } from '../../lib/measure/labels/read-labelled'
import { findUnmet, parseLimits } from '../../lib/measure/limits'
import { savePage } from '../../lib/measure/page/outputs'
import { writePage } from '../../lib/measure/page/page'
import { createShareCollector } from '../../lib/measure/share/share-rows'
import { estimateShares, type RunShares } from '../../lib/measure/share/shares'
import { openSource } from '../../lib/runs/record/source'
import type { RowOptions } from '../../lib/runs/rows/form'

interface EvalFlags extends LabelFlags, RowOptions {
  readonly 'by-group': boolean
  readonly seed: number
  readonly min: ReadonlyArray<string>
  readonly max: ReadonlyArray<string>
  readonly table: boolean
  readonly html: string | undefined
  readonly 'with-state': boolean
}

type EvalContext = ContextWith<EvalFlags>

/** Runs `svc eval`: measures a run against its labels. */
export const runEval = (context: EvalContext): TE.TaskEither<Failure, CommandResult> => {
  const { runtime, flags } = context
  const reads = filesOf(flags, 'input', 'labels', 'rows')
  return pipe(
    TE.Do,
    TE.bind('minima', () => TE.fromEither(parseLimits('--min', flags.min))),
    TE.bind('maxima', () => TE.fromEither(parseLimits('--max', flags.max))),
    TE.chainFirstEitherK(() => checkTextFlags(context)),
    TE.chainFirst(() => checkOutputs(runtime.files, reads, filesOf(flags, 'html'), 'page')),
    TE.chainFirst(() => checkDistinctFiles(runtime.files, reads, jobSummaryOf(runtime.env))),
    TE.bind('measured', () => () => measureRun(context)),
    TE.bind('evaluation', ({ measured }) => TE.right(measured.evaluation)),
    TE.bind('unmet', ({ minima, maxima, evaluation }) =>
      TE.fromEither(findUnmet([...minima, ...maxima], evaluation)),
    ),
    TE.chainFirst(({ measured }) => writeReportPage(context, measured)),
    TE.chainFirst(({ unmet }) => TE.fromTask(() => reportUnmet(context, unmet))),
    TE.chainFirstTaskK(({ evaluation, unmet }) => () => {
      const markdown = writeEvaluationMarkdown(evaluation, unmet)
      return reportToJob(context, 'eval', markdown)
    }),
    TE.map(({ evaluation, unmet }) => ({
      stdout: flags.table
        ? tabulateEvaluation(evaluation)
        : { document: describeEvaluation(evaluation) },
      exit: unmet.length === 0 ? exitCode.ok : exitCode.flagged,
      annotations: unmet.map((text) => `not met: ${text}`),
    })),
  )
}

const checkTextFlags = ({ flags }: EvalContext): E.Either<Failure, void> => {
  const fault = findTextFault(flags)
  return fault === undefined ? E.right(undefined) : E.left(fault)
}

/** The figures of a run, and the shares of all its rows if a page shows them. */
interface MeasuredRun {
  readonly evaluation: Evaluation
  readonly shares: RunShares | undefined
}

const measureRun = async (context: EvalContext): Promise<E.Either<Failure, MeasuredRun>> => {
  const { runtime, flags, redact } = context
  const labels = await readLabelFile(runtime, flags)()
  if (E.isLeft(labels)) return labels
  const shareRows = flags.html === undefined ? undefined : createShareCollector()
  const readText = flags['with-state'] ? readStateText(redact) : undefined
  const readers = { readText, visit: shareRows?.add }
  const reading = await readLabelled(runtime, flags.input, labels.right, readers)()
  if (E.isLeft(reading)) return reading
  const { run, drawn } = reading.right
  const unlabelled = refuseUnlabelled('eval', run)
  if (E.isLeft(unlabelled)) return unlabelled
  const tooMany = flags['by-group'] ? refuseGroups(run) : E.right(undefined)
  if (E.isLeft(tooMany)) return tooMany
  const evaluation = evaluate(run, { seed: flags.seed, byGroup: flags['by-group'] })
  // A file with only the drawn rows does not describe the rows that were not drawn.
  const hasAllRows = shareRows !== undefined && !isSeveralDraws(drawn)
  const shares = hasAllRows ? estimateShares(shareRows.finish()) : undefined
  return E.right({ evaluation, shares })
}

/** Writes the page, and its path to stderr. */
const writeReportPage =
  ({ runtime, flags, build, redact }: EvalContext, { evaluation, shares }: MeasuredRun) =>
  async (): Promise<E.Either<Failure, void>> => {
    if (flags.html === undefined) return E.right(undefined)
    const textOf = await findErrorTexts(runtime, flags, evaluation.run, redact)()
    if (E.isLeft(textOf)) return textOf
    const run = openSource(flags.input, runtime).name
    const origin = { run, labels: flags.labels, version: build.version }
    const provenance = { ...origin, textOf: textOf.right, shares }
    const saved = await savePage(
      runtime,
      flags.html,
      () => writePage(evaluation, provenance),
      redact,
    )()
    if (E.isRight(saved))
      await runtime.stderr.write(`eval: the page is ${sanitize(redact(flags.html))}\n`)
    return saved
  }

const reportUnmet = async (
  { runtime }: EvalContext,
  unmet: ReadonlyArray<string>,
): Promise<void> => {
  for (const text of unmet) await runtime.stderr.write(`svc: not met: ${sanitize(text)}\n`)
}
