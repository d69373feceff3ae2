import * as E from 'fp-ts/Either'
import { findDestination, findDryRunDestination } from '../../lib/cli/client'
import type { CommandOutcome, CommandResult } from '../../lib/cli/command-result'
import { openClientAt } from '../../lib/cli/open-client'
import { encodeAsk } from '../../lib/client/call/encode-call'
import type { Destination } from '../../lib/client/providers/destination'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { listJobSummaryFiles, reportToJob } from '../../lib/failure/job-summary'
import { checkDistinctFiles, listNamedFiles, runFileOperation } from '../../lib/failure/named-files'
import { type PackingOptions, preparePacking } from '../../lib/measure/compare/pack-proof'
import { createBudget } from '../../lib/runs/batch/cost'
import { forecastBatch } from '../../lib/runs/batch/dry-run'
import { createPacedSetup } from '../../lib/runs/batch/pace'
import type { Packing } from '../../lib/runs/batch/pack/packing'
import { type BatchPlan, createBatchPlan, createBatchRequest } from '../../lib/runs/batch/plan'
import { openItems } from '../../lib/runs/batch/read-items'
import { formatBatchMarkdown, type RunReport, reportRun } from '../../lib/runs/batch/report-run'
import { createFileReuse, indexRuns, type Reuse } from '../../lib/runs/batch/reuse'
import type { RunOptions } from '../../lib/runs/batch/run-options'
import { createSummaryBuilder } from '../../lib/runs/batch/summary'
import { writeRunOutput } from '../../lib/runs/batch/write-output'
import { parseRequirements } from '../../lib/runs/gate/requirements'
import { parseSelection, RecordFilter } from '../../lib/runs/gate/selection'
import { readPolicyFlag } from '../../lib/runs/policy/answer-policies'
import { writeRemark } from '../../lib/runs/rows/find-rows'
import { describeSpanningCells } from '../../lib/runs/tables/table-rows'
import { parseLabelFields, readTemplate } from '../request/read-questions'
import {
  type BatchContext,
  type CheckedOptions,
  checkOptions,
  type PackFlags,
  parsePackFlags,
} from './batch-options'

/** The questions about each row, and the options for reading and writing. */
interface PreparedBatch {
  readonly plan: BatchPlan
  readonly options: RunOptions
  /** `undefined` if each row is asked alone. */
  readonly pack: PackFlags | undefined
}

/**
 * Runs `svc batch`: asks the questions about every row of an input. Checks options and files before the first call. With
 * `--record` it also saves the run as a scenario.
 */
export const runBatch = async (context: BatchContext): Promise<CommandOutcome> => {
  const { record } = context.flags
  if (record === undefined) return runRows(context)
  const { runRecorded } = await import('../../lib/replay/record/record-run')
  return runRecorded(record, context, runRows)
}

/** Asks about the rows, or with `--dry-run` forecasts what would be asked. */
const runRows = async (context: BatchContext): Promise<CommandOutcome> => {
  const prepared = await prepareBatch(context)
  if (E.isLeft(prepared)) return prepared
  return context.flags['dry-run']
    ? forecastRows(context, prepared.right)
    : askRows(context, prepared.right)
}

/** Checks the options, and reads all files except the rows. Fails at the first fault. */
const prepareBatch = async (context: BatchContext): Promise<E.Either<Failure, PreparedBatch>> => {
  const { runtime, flags, isPassed } = context
  const checkedOptions = checkOptions(flags)
  if (E.isLeft(checkedOptions)) return checkedOptions
  const pack = parsePackFlags(context)
  if (E.isLeft(pack)) return pack
  const distinct = await checkFiles(context, checkedOptions.right)
  if (E.isLeft(distinct)) return distinct
  const requirements = parseRequirements(flags.require)
  if (E.isLeft(requirements)) return requirements
  const template = await readTemplate(flags, runtime)
  if (E.isLeft(template)) return template
  const policy = await readPolicyFlag(flags, runtime.files, template.right.questions)()
  if (E.isLeft(policy)) return policy
  const labels = parseLabelFields(flags.label, template.right, flags['state-field'])
  if (E.isLeft(labels)) return labels
  const plan = createBatchPlan({
    template: template.right,
    requirements: requirements.right,
    policies: policy.right?.policies,
    orders: flags.permute,
    model: isPassed('model') ? undefined : template.right.model,
    withState: flags['with-state'],
  })
  if (E.isLeft(plan)) return plan
  const { form, shard, output, price } = checkedOptions.right
  const fields = {
    stateField: flags['state-field'],
    idField: flags['id-field'],
    groupField: flags['group-field'],
    labelFields: labels.right,
    imageFields: flags['image-field'],
  }
  const { input: path, limit, repeat } = flags
  const options: RunOptions = {
    input: { path, form, fields, followLinks: flags['follow-links'], limit, shard, repeat },
    output,
    price,
    maxCost: flags['max-cost'],
    policy: policy.right,
    reusesAnswers: flags.reuse.length > 0,
  }
  return E.right({ plan: plan.right, options, pack: pack.right })
}

/** Checks that no file that the run reads is replaced: by the output, or by the job summary, which only `--require` writes. */
const checkFiles = ({ runtime, flags }: BatchContext, { output }: CheckedOptions) => {
  const filesRead = listNamedFiles(flags, 'input', 'file', 'policy', 'reuse')
  const jobSummary = flags.require.length === 0 ? [] : listJobSummaryFiles(runtime.env)
  const filesWritten = [...listNamedFiles({ output: output?.path }, 'output'), ...jobSummary]
  return checkDistinctFiles(runtime.files, filesRead, filesWritten)()
}

/** Fails if the service does not take requests with this model, these questions, or images if the rows have some. */
const checkTemplate = (
  { plan, options }: PreparedBatch,
  destination: Destination,
): E.Either<Failure, unknown> => {
  const { imageFields } = options.input.fields
  if (imageFields.length > 0 && plan.template.extra.has('assets'))
    return E.left(usage('--image-field cannot be combined with the "assets" of --file'))
  // The state and images of a row are replaced by others: what the service takes does not depend on their content.
  const images = imageFields.map((name) => ({ name, format: 'png', base64: 'AAAA' }) as const)
  return encodeAsk(destination, createBatchRequest(plan, null, images), plan.model)
}

/** Creates the packing of a run; `undefined` without `--pack`. Fails as `preparePacking` does. */
const createRunPacking = (
  { plan, pack, addLostUsage }: PreparedBatch & Pick<PackingOptions, 'addLostUsage'>,
  destination: Destination,
): E.Either<Failure, Packing | undefined> =>
  pack === undefined
    ? E.right(undefined)
    : preparePacking({ ...pack, addLostUsage }, plan, destination)

/** Runs `--dry-run`: checks the rows and counts the requests, without sending one. */
const forecastRows = async (
  context: BatchContext,
  prepared: PreparedBatch,
): Promise<CommandOutcome> => {
  const { runtime } = context
  const { plan, options } = prepared
  const destination = await findDryRunDestination(context)
  if (E.isLeft(destination)) return destination
  const checked = checkTemplate(prepared, destination.right)
  if (E.isLeft(checked)) return checked
  // Nothing is sent, so no tokens are lost.
  const addLostUsage = () => undefined
  const packing = createRunPacking({ ...prepared, addLostUsage }, destination.right)
  if (E.isLeft(packing)) return packing
  const reuse = await readReuse(context, plan)
  if (E.isLeft(reuse)) return reuse
  const input = await openItems(runtime, options.input, {
    signal: runtime.signal,
    reuse: reuse.right,
  })
  if (E.isLeft(input)) return input
  // An item is a row, or one of its repetitions.
  const { items } = input.right
  const forecast = await runFileOperation('read rows', () =>
    forecastBatch(items, {
      plan,
      destination: destination.right,
      price: options.price,
      reuse: reuse.right,
      packing: packing.right,
    }),
  )()
  if (E.isLeft(forecast)) return forecast
  if (E.isLeft(forecast.right)) return forecast.right
  if (runtime.signal.aborted) return E.left(interrupted)
  const { spanningCells } = input.right.remarks()
  await writeRemark(runtime.stderr, describeSpanningCells('batch', spanningCells))
  const { draft, exitCode } = forecast.right.right
  return E.right({ stdout: { document: draft }, exitCode })
}

/** Sends the requests, writes the records, and reports the run. With `--require` it also writes the job summary of a CI system. */
const askRows = async (context: BatchContext, prepared: PreparedBatch): Promise<CommandOutcome> => {
  const { runtime, tracer, flags } = context
  const { plan, options } = prepared
  const destination = await findDestination(context)
  if (E.isLeft(destination)) return destination
  const checked = checkTemplate(prepared, destination.right)
  if (E.isLeft(checked)) return checked
  const { price, maxCost } = options
  const summary = createSummaryBuilder(price)
  const { addLostUsage } = summary
  const packing = createRunPacking({ ...prepared, addLostUsage }, destination.right)
  if (E.isLeft(packing)) return packing
  const client = await openClientAt(context, destination.right, {
    purpose: 'questions',
    documentModel: plan.model,
  })
  if (E.isLeft(client)) return client
  const reuse = await readReuse(context, plan)
  if (E.isLeft(reuse)) return reuse
  const hasBudget = maxCost !== undefined && price !== undefined
  // Decides how fast requests are sent, and which are not sent at all.
  const setup = {
    ...createPacedSetup(plan, client.right, {
      concurrency: flags.concurrency,
      rpm: flags.rpm,
      failFast: flags['fail-fast'],
      keepGoing: flags['keep-going'],
    }),
    reuse: reuse.right,
    packing: packing.right,
    budget: hasBudget
      ? createBudget({ maxCost, price, destination: destination.right })
      : undefined,
  }
  const run = {
    runtime,
    tracer,
    options,
    setup,
    summary,
    // Ends the reading of rows when the run stops.
    inputController: new AbortController(),
  }
  const outcome = await writeRunOutput(run)
  if (E.isLeft(outcome)) return outcome
  const { ask, providerName: provider } = destination.right
  const call = { operation: `POST ${ask.path}`, provider }
  const report = await reportRun(run, call, outcome.right)
  if (E.isLeft(report)) return report
  if (flags.require.length > 0) {
    const markdown = formatBatchMarkdown(
      outcome.right.summary,
      flags.repeat ?? 1,
      report.right.exitCode,
    )
    await reportToJob(context, 'batch', markdown)
  }
  return E.right(createBatchResult(report.right))
}

/** Creates the result to print. With `--output` it has the summary of the run, and after an interrupt a hint how to resume. */
const createBatchResult = ({ exitCode, summary, resume }: RunReport): CommandResult => {
  if (summary === undefined) return { exitCode }
  const hint = resume && ({ about: 'resume', ...resume } as const)
  return { stdout: { document: summary }, exitCode, hint }
}

/** Reads the runs of `--reuse`; `undefined` without the flag. With `--reuse-where` only answers that meet its conditions count. */
const readReuse = async (
  { runtime, flags }: BatchContext,
  plan: BatchPlan,
): Promise<E.Either<Failure, Reuse | undefined>> => {
  const { reuse: paths, 'reuse-where': conditions, 'keep-going': keepGoing } = flags
  if (paths.length === 0) return E.right(undefined)
  // `false`: there is nothing to reuse in a row that was not answered.
  const selection = parseSelection(conditions, false, '--reuse-where')
  if (E.isLeft(selection)) return selection
  const filter = new RecordFilter(selection.right)
  const indexes = await indexRuns(paths, {
    asked: plan,
    accept: (record) => conditions.length === 0 || filter.selects(record),
    files: runtime.files,
    signal: runtime.signal,
  })
  if (E.isLeft(indexes)) return indexes
  // Fails if a condition names a question or label that no answer has, which is known only after the last record.
  const filtered = filter.finish()
  if (E.isLeft(filtered)) return filtered
  return E.right(createFileReuse(indexes.right, runtime.files, keepGoing))
}
