import * as E from 'fp-ts/Either'
import type { Draft } from '../../codec/json/draft'
import type { Failure } from '../../failure/failure'
import { classify, formatStderrLines, messageOf } from '../../failure/report'
import { formatInertMarkdown, formatMarkdownTable } from '../../text/markdown'
import { sanitize } from '../../text/sanitize'
import { formatCount } from '../../text/table'
import { describeOtherModels, listFirstModels } from '../policy/answer-policies'
import { describeSpanningCells } from '../tables/table-rows'
import { maxSameFailures } from './batch-end'
import { type BatchRun, findEndFailure, type RunEnd, type RunOutcome } from './batch-run'
import { describePacks, encodePacks } from './pack/describe-packs'
import type { RowRemarks } from './read-items'
import type { RunOptions } from './run-options'
import {
  type BatchSummary,
  countRecordedRows,
  decideExitCode,
  describeRecordError,
  encodeSummary,
  type RowCall,
  type StopReason,
} from './summary'

/** The result of a run of `svc batch`. */
export interface RunReport {
  readonly exitCode: number
  /** The summary document for stdout. Absent if stdout has the records. */
  readonly summary?: Draft
  /** The number of recorded rows, and the path of the output. Present if the run was interrupted and `--resume` can continue it. */
  readonly resume?: { readonly rows: number; readonly output: string }
}

/**
 * Writes the last lines on stderr, and decides the exit code and the document for stdout. `call` is for messages. With an output
 * file, stdout gets the summary or an error document. Without one, it gets the records, and an error document only if there is no
 * record. If stdout gets an error document, fails with its failure.
 */
export const reportRun = async (
  run: BatchRun,
  call: RowCall,
  outcome: RunOutcome,
): Promise<E.Either<Failure, RunReport>> => {
  const { runtime, options, setup } = run
  const { end, summary } = outcome
  if (end.kind === 'stdout_closed') return E.right({ exitCode: 0 })
  const { requirements } = setup.plan
  const modelWarning = options.policy && describeOtherModels(options.policy, summary.models.keys())
  const hasGate = requirements.length > 0
  const packLines = setup.packing === undefined ? [] : describePacks(setup.packing, end)
  for (const line of [...describeRun(options, outcome, { hasGate, modelWarning }), ...packLines])
    await runtime.stderr.write(`${sanitize(line)}\n`)
  const failure = findEndFailure(end)
  if (failure !== undefined && hasErrorDocument(end, options, summary)) {
    await runtime.stderr.write(`${describeCounts(options, summary)}\n`)
    return E.left(failure)
  }
  await writeLastLines(run, call, summary, failure)
  const isStoppedByCheck = end.kind === 'stopped' && end.by !== 'fail_fast'
  const violatesPin = modelWarning !== undefined && options.policy?.pin === true
  const exitCode =
    failure === undefined
      ? decideExitCode(summary, isStoppedByCheck || violatesPin)
      : classify(failure).exitCode
  return E.right({ exitCode, ...createSummaryReport(run, outcome) })
}

/**
 * Lists the lines for stderr about the rows, the requirements, the policy, the models, and an early end of the run. `modelWarning`
 * warns of models that the policy was not derived from.
 */
const describeRun = (
  options: RunOptions,
  { end, summary, remarks }: RunOutcome,
  {
    hasGate,
    modelWarning,
  }: { readonly hasGate: boolean; readonly modelWarning: string | undefined },
): ReadonlyArray<string> => {
  const { answered, gate, records, review } = summary
  const lines = records > 0 ? [...describeRemarks(remarks)] : []
  if (hasGate && gate.failed > 0) {
    const rows = formatCount(answered, 'answered row', 'does', 'do')
    lines.push(`batch: ${gate.failed} of ${rows} not meet the requirements`)
  }
  if (modelWarning !== undefined) lines.push(`svc: ${modelWarning}`)
  if (options.policy !== undefined) {
    const rows = formatCount(answered, 'answered row', 'goes', 'go')
    lines.push(`batch: ${review} of ${rows} to a person`)
  }
  lines.push(...describeModels(summary, options))
  if (end.kind === 'stopped' && end.by === 'max_cost')
    lines.push(`batch: --max-cost ${options.maxCost} is reached: continue with --resume`)
  if (end.kind === 'alike')
    lines.push(
      `batch: stopped: the first ${maxSameFailures} rows failed alike: ${messageOf(end.failure)}`,
    )
  return lines
}

/** Lists the lines for stderr about unusual rows. */
const describeRemarks = ({
  absentLabelFields,
  emptyStates,
  rowsWithSharedId,
  spanningCells,
}: RowRemarks): ReadonlyArray<string> => {
  const lines = absentLabelFields.map(
    ({ questionId, field }) =>
      `batch: no row had the field "${field}", which --label names for "${questionId}"`,
  )
  if (emptyStates > 0)
    lines.push(`batch: ${formatCount(emptyStates, 'row', 'has', 'have')} an empty state`)
  if (rowsWithSharedId > 0)
    lines.push(`batch: ${rowsWithSharedId} rows share an id with another row`)
  const spanningLine = describeSpanningCells('batch', spanningCells)
  if (spanningLine !== undefined) lines.push(spanningLine)
  return lines
}

/** Lists the lines for stderr about reused rows, and about the models of a resumed or reusing run if there are several. */
const describeModels = (
  { reused, reusedModels, models }: BatchSummary,
  { output, reusesAnswers }: RunOptions,
): ReadonlyArray<string> => {
  const lines: string[] = []
  if (reused > 0) {
    const rows = formatCount(reused, 'row')
    lines.push(`batch: ${rows} reused, answered by ${listFirstModels([...reusedModels])}`)
  }
  const isResumed = output?.existing === 'resume' || output?.existing === 'retry'
  if ((isResumed || reusesAnswers) && models.size > 1)
    lines.push(`batch: the run holds answers of ${listFirstModels([...models.keys()])}`)
  return lines
}

const describeCounts = ({ input }: RunOptions, summary: BatchSummary): string =>
  `batch: ${countRecordedRows(summary, input.repeat ?? 1)} rows, ${summary.answered} answered, ${summary.failed} failed`

/**
 * Writes the counts, and the failure that ended the run if there is one. If a row failed, the last line is about the first failed row.
 * Otherwise the failure comes last.
 */
const writeLastLines = async (
  { runtime, options }: BatchRun,
  call: RowCall,
  summary: BatchSummary,
  failure: Failure | undefined,
): Promise<void> => {
  const { stderr } = runtime
  const { firstError } = summary
  const failureLines = failure === undefined ? '' : formatStderrLines(failure)
  const counts = `${describeCounts(options, summary)}\n`
  if (firstError === undefined) return stderr.write(`${counts}${failureLines}`)
  const line = sanitize(`svc: ${describeRecordError(firstError.error, call)}`)
  return stderr.write(`${failureLines}${counts}${line}\n`)
}

/** Creates the summary document for stdout, if the records were written to a file. */
const createSummaryReport = (
  { options, setup }: BatchRun,
  { end, isComplete, summary }: RunOutcome,
): Omit<RunReport, 'exitCode'> => {
  const { input, output, reusesAnswers } = options
  if (output === undefined) return {}
  const repeat = input.repeat ?? 1
  const document = encodeSummary(summary, {
    repeat,
    attempts: setup.countAttempts(),
    complete: isComplete,
    hasGate: setup.plan.requirements.length > 0,
    reusesAnswers,
    stopped: findStopReason(end),
    pack: setup.packing && encodePacks(setup.packing),
  })
  if (end.kind !== 'interrupted') return { summary: document }
  return {
    summary: document,
    resume: { rows: countRecordedRows(summary, repeat), output: output.path },
  }
}

/** The ends of a run with an output file after which stdout gets an error document: a file or `--max-cost` is at fault. */
const endsWithoutSummary: ReadonlySet<RunEnd['kind']> = new Set([
  'refused',
  'unreadable',
  'unwritable',
  'unpriced',
])

/** Returns `true` if stdout gets the error document of a failed run, instead of a summary or records. */
const hasErrorDocument = (
  { kind }: RunEnd,
  { output }: RunOptions,
  { records }: BatchSummary,
): boolean => {
  if (output !== undefined) return endsWithoutSummary.has(kind)
  // Without an output file, an unwritable output is stdout itself.
  const canWriteStdout = kind !== 'unwritable'
  return canWriteStdout && records === 0
}

/** Returns the value of `stopped` in the summary document; `undefined` if the run was not stopped. */
const findStopReason = (end: RunEnd): StopReason | undefined => {
  if (end.kind === 'stopped') return end.by === 'fail_fast' ? undefined : end.by
  return end.kind === 'no_credit' || end.kind === 'alike' ? end.kind : undefined
}

/** Formats the summary of `svc batch --require` as Markdown, for the job summary of a CI system. */
export const formatBatchMarkdown = (
  summary: BatchSummary,
  repeat: number,
  exitCode: number,
): string => {
  const { answered, failed, gate, errors, firstError } = summary
  const heading = `# svc batch: ${exitCode === 0 ? 'holds' : 'FAIL'}`
  const rows = countRecordedRows(summary, repeat)
  const answeredRows = formatCount(answered, 'answered row', 'meets', 'meet')
  const counts = `${formatCount(rows, 'row')}, ${answered} answered, ${failed} failed. ${gate.passed} of ${answeredRows} the requirements.`
  if (firstError === undefined) return [heading, counts].join('\n\n')
  const table = formatMarkdownTable(
    ['Error', 'Rows'],
    [...errors].map(([kind, count]) => [formatInertMarkdown(kind), String(count)]),
  )
  const errorLine = `First error, row ${firstError.index + 1}: ${formatInertMarkdown(firstError.error.message)}`
  return [heading, counts, table, errorLine].join('\n\n')
}
