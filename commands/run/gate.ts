import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as T from 'fp-ts/Task'
import * as TE from 'fp-ts/TaskEither'
import type { Context, Result, Run } from '../../lib/cli/declaration'
import { plainText } from '../../lib/codec/json/draft'
import { type JsonValue, stringIn } from '../../lib/codec/json/json'
import { exitCode } from '../../lib/failure/classify'
import { type Failure, usage } from '../../lib/failure/failure'
import { messageOf } from '../../lib/failure/message'
import {
  access,
  appendJobSummary,
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
  parseRequirements,
  type Requirement,
} from '../../lib/runs/gate/requirements'
import { createTally, type Verdict, verdictDraft } from '../../lib/runs/gate/tally'
import { type GivenPolicy, isFor } from '../../lib/runs/policy/policy'
import { readPolicy } from '../../lib/runs/policy/read'
import { describeOtherModels } from '../../lib/runs/policy/write'
import { readRun } from '../../lib/runs/record/read'
import { openSource } from '../../lib/runs/record/source'
import { pickRows } from '../../lib/runs/rows/find-rows'
import { findFlagFault } from '../../lib/runs/rows/flags'
import type { GateFlags } from '../gate'

/** Runs `svc gate`: judges a run by requirements. */
export const runGate: Run<GateFlags> = (context) => {
  const { runtime, flags } = context
  return pipe(
    E.Do,
    E.bind('requirements', () => readRequirements(flags.require)),
    E.bind('allowance', () => parseAllowance(flags.allow)),
    E.chainFirst(() => checkRowFlags(context)),
    TE.fromEither,
    TE.bind('policy', () => readPolicy(flags, runtime.files)),
    TE.chainFirst(() => checkReports(context)),
    TE.bind('verdict', ({ requirements, policy }) =>
      judgeRun(openSource(flags.input, runtime), requirements, policy, flags),
    ),
    TE.bind('texts', ({ verdict }) => readTexts(context, verdict)),
    TE.bind('otherModels', ({ verdict, policy }) =>
      TE.fromTask(reportOtherModels(context, verdict, policy)),
    ),
    TE.bind('failed', ({ verdict, allowance }) =>
      TE.fromTask(reportFailure(context, verdict, allowance)),
    ),
    TE.chain(({ verdict, allowance, texts, otherModels, failed }) =>
      writeReports(context, {
        verdict,
        why: failed ?? (flags.pin ? otherModels : undefined),
        toleratesFailed: isAllowed(allowance, verdict.failed, verdict.rows),
        allowErrors: flags['allow-errors'],
        texts,
      }),
    ),
  )
}

type GateContext = Context<GateFlags>

const checkRowFlags = ({ flags }: GateContext): E.Either<Failure, void> => {
  const fault = findFlagFault(flags)
  return fault === undefined ? E.right(undefined) : E.left(fault)
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

/**
 * Writes the JUnit report and the job summary. A job summary that cannot be written only causes a warning.
 */
const writeReports = (
  { runtime, flags, redact }: GateContext,
  report: GateReport,
): TE.TaskEither<Failure, Result> => {
  const { files, stderr } = runtime
  const { junit } = flags
  const markdown = writeGateMarkdown(report)
  return pipe(
    junit === undefined
      ? TE.right(undefined)
      : access(`write JUnit report ${junit}`, () =>
          files.replace(junit, redact(writeGateJunit(report))),
        ),
    TE.chainTaskK(() =>
      pipe(
        appendJobSummary(runtime, redact(markdown)),
        TE.getOrElse((failure) => () => stderr.write(`gate: ${sanitize(messageOf(failure))}\n`)),
      ),
    ),
    TE.map(() => ({
      stdout: flags.table ? markdown : { document: verdictDraft(report.verdict) },
      exit: report.why === undefined ? exitCode.ok : exitCode.flagged,
    })),
  )
}

/** Reports on stderr if a model answered that the policy was not made from, and resolves with that sentence. */
const reportOtherModels =
  (
    { runtime, redact }: GateContext,
    { models }: Verdict,
    policy: GivenPolicy | undefined,
  ): T.Task<string | undefined> =>
  async () => {
    const others = policy && describeOtherModels(policy, models)
    if (others === undefined) return undefined
    const line = redactAndCut(redact)(others)
    await runtime.stderr.write(`svc: ${sanitize(line)}\n`)
    return line
  }

/** Says on stderr why the gate does not hold, and resolves with that; `undefined` if it holds. */
const reportFailure =
  (
    { runtime, flags }: GateContext,
    verdict: Verdict,
    allowance: Allowance,
  ): T.Task<string | undefined> =>
  async () => {
    const why = explainFailure(verdict, allowance, flags['allow-errors'])
    if (why !== undefined) await runtime.stderr.write(`gate: ${sanitize(why)}\n`)
    return why
  }

/** The most characters of a row's text in a report. */
const maxTextLength = 200

/** Reads the texts of the failed rows from the input of the run, by index. */
const readTexts = (
  { runtime, flags, redact }: GateContext,
  { rowsFailed, judged }: Verdict,
): TE.TaskEither<Failure, ReadonlyMap<number, string>> => {
  const failed = judged.length === 0 ? rowsFailed : judged.filter((row) => 'values' in row)
  return pipe(
    pickRows(runtime, flags, failed),
    TE.map((rows) => new Map([...rows].map(([index, row]) => [index, cutRow(row, redact)]))),
  )
}

const cutRow = (row: JsonValue, redact: GateContext['redact']): string => {
  const text = redact(plainText(row))
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`
}

const readRequirements = (
  texts: GateContext['flags']['require'],
): E.Either<Failure, ReadonlyArray<Requirement>> =>
  texts.length === 0
    ? E.left(usage('--require is required: a condition such as billing.noul >= 0.8'))
    : parseRequirements(texts)

/** How many failed rows are listed without `--all`. */
const maxListed = 100

const judgeRun = (
  source: Parameters<typeof readRun>[0],
  requirements: ReadonlyArray<Requirement>,
  policy: GivenPolicy | undefined,
  { all, junit }: GateContext['flags'],
): TE.TaskEither<Failure, Verdict> => {
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
