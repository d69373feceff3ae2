import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { plainText } from '../../lib/codec/json/draft'
import { type JsonValue, stringIn } from '../../lib/codec/json/json'
import { exitCode } from '../../lib/failure/classify'
import { type Failure, usage } from '../../lib/failure/failure'
import { reportToJob } from '../../lib/failure/job-report'
import {
  access,
  checkDistinctFiles,
  checkOutputs,
  filesOf,
  jobSummaryOf,
} from '../../lib/failure/named-files'
import { redactAndCut } from '../../lib/failure/text/cut'
import { sanitize } from '../../lib/failure/text/harmless'
import {
  type Allowance,
  explainFailure,
  isAllowed,
  parseAllowance,
} from '../../lib/runs/gate/allowance'
import { type GateReport, writeGateJunit, writeGateMarkdown } from '../../lib/runs/gate/reports'
import {
  checkRequirements,
  type GateRequirement,
  parseRequirements,
} from '../../lib/runs/gate/requirements'
import { createTally, type GateVerdict, verdictDraft } from '../../lib/runs/gate/tally'
import { type GivenPolicy, isFor } from '../../lib/runs/policy/policy'
import { readPolicyFlag } from '../../lib/runs/policy/read'
import { describeOtherModels } from '../../lib/runs/policy/write'
import { readRun } from '../../lib/runs/record/read'
import { openSource } from '../../lib/runs/record/source'
import { readRowsOfRecords } from '../../lib/runs/rows/find-rows'
import { findRowFault, type RowOptions } from '../../lib/runs/rows/form'

/** The options of `svc gate`. */
interface GateOptions extends RowOptions {
  readonly require: ReadonlyArray<string>
  readonly policy: string | undefined
  readonly pin: boolean
  readonly allow: string | undefined
  readonly 'allow-errors': boolean
  readonly all: boolean
  readonly junit: string | undefined
  readonly table: boolean
}

type GateContext = ContextWith<GateOptions>

/** Runs `svc gate`: judges a run by requirements. */
export const runGate =
  (context: GateContext) => async (): Promise<E.Either<Failure, CommandResult>> => {
    const { runtime, flags } = context
    const requirements = readRequirements(flags.require)
    if (E.isLeft(requirements)) return requirements
    const allowance = parseAllowance(flags.allow)
    if (E.isLeft(allowance)) return allowance
    const fault = findRowFault(flags)
    if (fault !== undefined) return E.left(fault)
    const policy = await readPolicyFlag(flags, runtime.files)()
    if (E.isLeft(policy)) return policy
    const checked = await checkReports(context)()
    if (E.isLeft(checked)) return checked
    const source = openSource(flags.input, runtime)
    const judged = await judgeRun(source, requirements.right, policy.right, flags)()
    if (E.isLeft(judged)) return judged
    const verdict = judged.right
    const texts = await readTexts(context, verdict)
    if (E.isLeft(texts)) return texts
    const otherModels = await reportOtherModels(context, verdict, policy.right)
    const failed = await reportFailure(context, verdict, allowance.right)
    return writeReports(context, {
      verdict,
      why: failed ?? (flags.pin ? otherModels : undefined),
      toleratesFailed: isAllowed(allowance.right, verdict.failed, verdict.rows),
      allowErrors: flags['allow-errors'],
      texts: texts.right,
    })
  }

/** Checks that the JUnit report can be written, and that neither it nor the job summary changes a file that is read. */
const checkReports = ({ runtime: { files, env }, flags }: GateContext) => {
  const reads = filesOf(flags, 'input', 'policy', 'rows')
  const junit = filesOf(flags, 'junit')
  return pipe(
    checkDistinctFiles(files, reads, [...junit, ...jobSummaryOf(env)]),
    TE.chain(() => checkOutputs(files, [], junit, 'JUnit report')),
  )
}

/** Writes the JUnit report and the job summary. A job summary that cannot be written only causes a warning. */
const writeReports = async (
  context: GateContext,
  report: GateReport,
): Promise<E.Either<Failure, CommandResult>> => {
  const { runtime, flags, redact } = context
  const { junit } = flags
  const markdown = writeGateMarkdown(report)
  if (junit !== undefined) {
    const xml = redact(writeGateJunit(report))
    const written = await access(`write JUnit report ${junit}`, () =>
      runtime.files.replace(junit, xml),
    )()
    if (E.isLeft(written)) return written
  }
  await reportToJob(context, 'gate', markdown)
  return E.right({
    stdout: flags.table ? markdown : { document: verdictDraft(report.verdict) },
    exit: report.why === undefined ? exitCode.ok : exitCode.flagged,
    annotations: report.why === undefined ? [] : [report.why],
  })
}

/** Reports on stderr if a model answered that the policy was not made from, and resolves with that sentence. */
const reportOtherModels = async (
  { runtime, redact }: GateContext,
  { models }: GateVerdict,
  policy: GivenPolicy | undefined,
): Promise<string | undefined> => {
  const others = policy && describeOtherModels(policy, models)
  if (others === undefined) return undefined
  const line = redactAndCut(redact)(others)
  await runtime.stderr.write(`svc: ${sanitize(line)}\n`)
  return line
}

/** Says on stderr why the gate does not hold, and resolves with that; `undefined` if it holds. */
const reportFailure = async (
  { runtime, flags }: GateContext,
  verdict: GateVerdict,
  allowance: Allowance,
): Promise<string | undefined> => {
  const why = explainFailure(verdict, allowance, flags['allow-errors'])
  if (why !== undefined) await runtime.stderr.write(`gate: ${sanitize(why)}\n`)
  return why
}

/** How many characters of a row's text a report shows. */
const maxTextLength = 200

/** Reads the texts of the failed rows from the input of the run, by index. */
const readTexts = async (
  { runtime, flags, redact }: GateContext,
  { rowsFailed, judged }: GateVerdict,
): Promise<E.Either<Failure, ReadonlyMap<number, string>>> => {
  const failed = judged.length === 0 ? rowsFailed : judged.filter((row) => 'values' in row)
  const rows = await readRowsOfRecords(runtime, flags, failed)()
  if (E.isLeft(rows)) return rows
  return E.right(new Map(Array.from(rows.right, ([index, row]) => [index, cutRow(row, redact)])))
}

const cutRow = (row: JsonValue, redact: GateContext['redact']): string => {
  const text = redact(plainText(row))
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`
}

const readRequirements = (
  texts: GateContext['flags']['require'],
): E.Either<Failure, ReadonlyArray<GateRequirement>> =>
  texts.length === 0
    ? E.left(usage('--require is required: a condition such as billing.noul >= 0.8'))
    : parseRequirements(texts)

/** How many failed rows are listed without `--all`. */
const maxListed = 100

const judgeRun = (
  source: Parameters<typeof readRun>[0],
  requirements: ReadonlyArray<GateRequirement>,
  policy: GivenPolicy | undefined,
  { all, junit }: GateContext['flags'],
): TE.TaskEither<Failure, GateVerdict> => {
  const bounds = {
    maxListed: all ? Number.POSITIVE_INFINITY : maxListed,
    keepsAll: junit !== undefined,
  }
  const { add, verdict } = createTally(requirements, bounds, policy?.questions)
  return pipe(
    readRun(source, (record) => {
      // Documents of `svc ask` have no digest of their questions.
      const questionsSha256 = stringIn(record.questionsSha256)
      if (policy !== undefined && questionsSha256 !== undefined && !isFor(policy, questionsSha256))
        return `the policy ${policy.path} is for other questions`
      add(record)
      return undefined
    }),
    TE.map(verdict),
    // The questions of a run are known only once it has been read. A run without answers reveals none.
    TE.chainFirstEitherK(({ shapes }) =>
      shapes.size === 0 ? E.right(undefined) : checkRequirements(requirements, shapes),
    ),
  )
}
