import * as E from 'fp-ts/Either'
import type { CommandOutcome, CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { plainText } from '../../lib/codec/json/draft'
import { type JsonValue, stringIn } from '../../lib/codec/json/json'
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
  type Allowance,
  explainGateFailure,
  isAllowed,
  parseAllowance,
} from '../../lib/runs/gate/allowance'
import { formatGateTable } from '../../lib/runs/gate/gate-table'
import { formatGateJunit, formatGateMarkdown, type GateReport } from '../../lib/runs/gate/reports'
import {
  checkRequirements,
  type GateRequirement,
  parseRequirements,
} from '../../lib/runs/gate/requirements'
import {
  createGateTally,
  encodeVerdict,
  type FailedRow,
  type GateVerdict,
  type JudgedRow,
} from '../../lib/runs/gate/tally'
import { describeOtherModels, readPolicyFlag } from '../../lib/runs/policy/answer-policies'
import { isPolicyFor, type LoadedPolicy } from '../../lib/runs/policy/policy'
import { openSource } from '../../lib/runs/record/lines'
import { readRun } from '../../lib/runs/record/read'
import { readRowsOfRecords } from '../../lib/runs/rows/find-rows'
import { checkRowOptions, type RowOptions } from '../../lib/runs/rows/form'
import { redactAndCut, sanitize } from '../../lib/text/sanitize'
import { chooseTextLayout } from '../../lib/text/terminal'

/** The flags of `svc gate`. */
interface GateFlags extends RowOptions {
  readonly require: ReadonlyArray<string>
  readonly policy: string | undefined
  readonly pin: boolean
  readonly allow: string | undefined
  readonly 'allow-errors': boolean
  readonly all: boolean
  readonly junit: string | undefined
  readonly table: boolean
}

type GateContext = ContextWith<GateFlags>

/**
 * Runs `svc gate`: checks the answers to each row of a run by requirements, such as `billing.noul >= 0.8`. A run is the file of
 * records that `svc batch` wrote, one for each row. The exit code is 8 if the gate fails.
 */
export const runGate = async (context: GateContext): Promise<CommandOutcome> => {
  const { runtime, flags } = context
  const options = checkOptions(flags)
  if (E.isLeft(options)) return options
  const { requirements, allowance } = options.right
  const policy = await readPolicyFlag(flags, runtime.files)()
  if (E.isLeft(policy)) return policy
  const reportFiles = await checkReportFiles(context)
  if (E.isLeft(reportFiles)) return reportFiles
  const judged = await judgeRun(context, requirements, policy.right)
  if (E.isLeft(judged)) return judged
  const verdict = judged.right
  const rowTexts = await readRowTexts(context, verdict)
  if (E.isLeft(rowTexts)) return rowTexts
  const { failureReason, messages } = describeReasons(context, verdict, policy.right, allowance)
  const report = {
    verdict,
    failureReason,
    toleratesFailures: isAllowed(allowance, verdict.failed, verdict.rows),
    toleratesErrors: flags['allow-errors'],
    rowTexts: rowTexts.right,
  }
  return writeReports(context, report, messages)
}

/** The flags of `svc gate` that need parsing, parsed. */
interface CheckedGateOptions {
  readonly requirements: ReadonlyArray<GateRequirement>
  /** The failed rows that `--allow` tolerates. */
  readonly allowance: Allowance
}

const checkOptions = (flags: GateFlags): E.Either<Failure, CheckedGateOptions> => {
  if (flags.require.length === 0)
    return E.left(usage('--require is required: a condition such as billing.noul >= 0.8'))
  const requirements = parseRequirements(flags.require)
  if (E.isLeft(requirements)) return requirements
  const allowance = parseAllowance(flags.allow)
  if (E.isLeft(allowance)) return allowance
  const rowFault = checkRowOptions(flags)
  if (rowFault !== undefined) return E.left(rowFault)
  return E.right({ requirements: requirements.right, allowance: allowance.right })
}

/** Checks that the JUnit report can be written, and that neither the report nor the job summary replaces an input. */
const checkReportFiles = async ({
  runtime,
  flags,
}: GateContext): Promise<E.Either<Failure, unknown>> => {
  const { files, env } = runtime
  const filesRead = listNamedFiles(flags, 'input', 'policy', 'rows')
  const junitFiles = listNamedFiles(flags, 'junit')
  const filesWritten = [...junitFiles, ...listJobSummaryFiles(env)]
  const distinct = await checkDistinctFiles(files, filesRead, filesWritten)()
  if (E.isLeft(distinct)) return distinct
  // The files that are read were compared above.
  return checkOutputs(files, [], junitFiles, 'JUnit report')()
}

/** Writes the JUnit report and the job summary of the CI system. A job summary that cannot be written only causes a warning. */
const writeReports = async (
  context: GateContext,
  report: GateReport,
  messages: ReadonlyArray<string>,
): Promise<CommandOutcome> => {
  const { runtime, flags, redact } = context
  const { junit: junitPath } = flags
  const markdown = formatGateMarkdown(report)
  if (junitPath !== undefined) {
    const xml = redact(formatGateJunit(report))
    const written = await runFileOperation(`write JUnit report ${junitPath}`, () =>
      runtime.files.replace(junitPath, xml),
    )()
    if (E.isLeft(written)) return written
  }
  await reportToJob(context, 'gate', markdown)
  return E.right({
    stdout: formatVerdict(context, report, markdown),
    messages,
    exitCode: report.failureReason === undefined ? exitCodes.ok : exitCodes.flagged,
    annotations: report.failureReason === undefined ? [] : [report.failureReason],
  })
}

/** Returns the document of the gate, or with `--table` its table on a terminal, and the Markdown of the job summary elsewhere. */
const formatVerdict = (
  { runtime, flags }: GateContext,
  report: GateReport,
  markdown: string,
): CommandResult['stdout'] => {
  if (!flags.table) return { document: encodeVerdict(report.verdict) }
  const { stdout, env } = runtime
  return stdout.isTTY
    ? { report: formatGateTable(report, chooseTextLayout(stdout, env)) }
    : markdown
}

/**
 * Describes for stderr why the gate fails, and that the policy was made from the answers of other models. Also returns the reason for
 * exit code 8: `undefined` if the gate holds.
 */
const describeReasons = (
  { flags, redact }: GateContext,
  verdict: GateVerdict,
  policy: LoadedPolicy | undefined,
  allowance: Allowance,
): {
  readonly failureReason: string | undefined
  readonly messages: ReadonlyArray<string>
} => {
  const redactText = redactAndCut(redact)
  const otherModels = policy && describeOtherModels(policy, verdict.models)
  const modelReason = otherModels && redactText(otherModels)
  const gateReason = explainGateFailure(verdict, allowance, flags['allow-errors'])
  return {
    failureReason: gateReason ?? (flags.pin ? modelReason : undefined),
    messages: [
      ...(modelReason === undefined ? [] : [`svc: ${sanitize(modelReason)}`]),
      ...(gateReason === undefined ? [] : [`gate: ${sanitize(gateReason)}`]),
    ],
  }
}

/** The maximum length of a row's text in a report, in UTF-16 units. */
const maxTextLength = 200

/** Reads the texts of the listed failed rows from the file of `--rows`, by index. Without `--rows`, the result is empty. */
const readRowTexts = async (
  { runtime, flags, redact }: GateContext,
  { failedRows, judgedRows }: GateVerdict,
): Promise<E.Either<Failure, ReadonlyMap<number, string>>> => {
  // With --junit, the report lists all failed rows, not only the first ones.
  const listedRows = flags.junit === undefined ? failedRows : judgedRows.filter(isFailedRow)
  const rows = await readRowsOfRecords(runtime, flags, listedRows)()
  if (E.isLeft(rows)) return rows
  return E.right(new Map(Array.from(rows.right, ([index, row]) => [index, cutRow(row, redact)])))
}

/** Only a failed row has the values that do not meet a requirement. */
const isFailedRow = (row: JudgedRow): row is FailedRow => 'values' in row

const cutRow = (row: JsonValue, redact: GateContext['redact']): string => {
  const text = redact(plainText(row))
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`
}

/** The maximum number of failed rows that are listed without `--all`. */
const defaultMaxListedRows = 100

/** Reads the run row by row, and judges each row. Fails if the policy or a requirement does not fit the questions. */
const judgeRun = async (
  { runtime, flags }: GateContext,
  requirements: ReadonlyArray<GateRequirement>,
  policy: LoadedPolicy | undefined,
): Promise<E.Either<Failure, GateVerdict>> => {
  // The output lists the first failed rows, the JUnit report all rows.
  const listing = {
    maxListedRows: flags.all ? Number.POSITIVE_INFINITY : defaultMaxListedRows,
    listsAllRows: flags.junit !== undefined,
  }
  // Counts the rows that pass and fail, and keeps those to list.
  const tally = createGateTally(requirements, listing, policy?.policies)
  // A returned text ends the reading: it is the reason of the failure.
  const read = await readRun(openSource(flags.input, runtime), (record) => {
    // Documents of `svc ask` have no digest of their questions, so a policy cannot be checked against them.
    const questionsSha256 = stringIn(record.questionsSha256)
    const canCheckPolicy = policy !== undefined && questionsSha256 !== undefined
    if (canCheckPolicy && !isPolicyFor(policy, questionsSha256))
      return `the policy ${policy.path} is for other questions`
    tally.add(record)
    return undefined
  })()
  if (E.isLeft(read)) return read
  const verdict = tally.createVerdict()
  // svc learns the questions from the answers, so it can check requirements only now, and only if there are answers.
  if (verdict.shapes.size === 0) return E.right(verdict)
  const checked = checkRequirements(requirements, verdict.shapes)
  return E.isLeft(checked) ? checked : E.right(verdict)
}
