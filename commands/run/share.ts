import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { type Failure, usage } from '../../lib/failure/failure'
import { exitCodes } from '../../lib/failure/report'
import { parseLimits } from '../../lib/measure/evaluate/figure-limits'
import { readLabelFile } from '../../lib/measure/labels/label-file'
import type { LabelFlags } from '../../lib/measure/labels/label-flags'
import { sampleExceedsRun } from '../../lib/measure/labels/sample-counts'
import { readLabelledRecords } from '../../lib/measure/rows/read-labelled-run'
import { type CollectedRun, createShareCollector } from '../../lib/measure/share/collect-shares'
import { encodeShares, tabulateShares } from '../../lib/measure/share/share-document'
import { describeUnmetShares } from '../../lib/measure/share/share-limits'
import { encodeSharePlan, planShares, tabulateSharePlan } from '../../lib/measure/share/share-plan'
import { estimateShares } from '../../lib/measure/share/shares'
import { openSource } from '../../lib/runs/record/lines'
import { sanitize } from '../../lib/text/sanitize'
import { chooseTextLayout } from '../../lib/text/terminal'

/** The options of `svc share`. */
interface ShareOptions extends LabelFlags {
  readonly input: string
  readonly min: ReadonlyArray<string>
  readonly max: ReadonlyArray<string>
  readonly table: boolean
  readonly plan: boolean
  readonly within: number | undefined
}

type ShareContext = ContextWith<ShareOptions>

/**
 * Runs `svc share`: estimates what share of all rows of a run has each answer, such as 27 % for `yes`. A run is the file of records
 * that `svc batch` wrote, one for each row. With `--plan` it plans how many rows to label for that.
 */
export const runShare = async (context: ShareContext): Promise<CommandOutcome> => {
  const { plan, within } = context.flags
  if (!plan)
    return within === undefined
      ? estimateRunShares(context)
      : E.left(usage('--within needs --plan'))
  return within === undefined
    ? E.left(usage('--plan needs --within: how far a share may be off, such as 0.03'))
    : planLabels(context, within)
}

/** Returns the estimated shares. The exit code is 8 if a limit is not met. */
const estimateRunShares = async (context: ShareContext): Promise<CommandOutcome> => {
  const { runtime, flags } = context
  const minima = parseLimits('--min', flags.min)
  if (E.isLeft(minima)) return minima
  const maxima = parseLimits('--max', flags.max)
  if (E.isLeft(maxima)) return maxima
  const run = await readShareRun(context)
  if (E.isLeft(run)) return run
  const shares = estimateShares(run.right)
  const unmetLimits = describeUnmetShares([...minima.right, ...maxima.right], shares)
  if (E.isLeft(unmetLimits)) return unmetLimits
  const layout = chooseTextLayout(runtime.stdout, runtime.env)
  return E.right({
    stdout: flags.table
      ? { report: tabulateShares(shares, layout) }
      : { document: encodeShares(shares) },
    messages: unmetLimits.right.map((text) => `svc: not met: ${sanitize(text)}`),
    exitCode: unmetLimits.right.length === 0 ? exitCodes.ok : exitCodes.flagged,
  })
}

/** Returns how many rows to label for shares that are off by at most `within`, such as 0.03. */
const planLabels = async (context: ShareContext, within: number): Promise<CommandOutcome> => {
  const { runtime, flags } = context
  if (flags.min.length + flags.max.length > 0)
    return E.left(usage(`--plan cannot be combined with --${flags.min.length > 0 ? 'min' : 'max'}`))
  const run = await readShareRun(context)
  if (E.isLeft(run)) return run
  const plan = planShares(run.right, within)
  return E.right({
    stdout: flags.table
      ? { report: tabulateSharePlan(plan, within, chooseTextLayout(runtime.stdout, runtime.env)) }
      : { document: encodeSharePlan(plan, within) },
  })
}

/** Reads the run with its labels. Fails if it has only the rows that svc sample drew. */
const readShareRun = async ({
  runtime,
  flags,
}: ShareContext): Promise<E.Either<Failure, CollectedRun>> => {
  const labels = await readLabelFile(runtime, flags)
  if (E.isLeft(labels)) return labels
  const source = openSource(flags.input, runtime)
  const { add, finish } = createShareCollector()
  const sampleCounts = await readLabelledRecords(source, labels.right, add)
  if (E.isLeft(sampleCounts)) return sampleCounts
  // Drawn rows that represent more rows than the file has come from a larger run, whose other rows are unknown.
  return sampleExceedsRun(sampleCounts.right)
    ? E.left(
        usage(`read run: ${source.name}: it holds drawn rows only: give the run with --labels`),
      )
    : E.right(finish())
}
