import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as T from 'fp-ts/Task'
import * as TE from 'fp-ts/TaskEither'
import type { Context, Result, Run } from '../../lib/cli/declaration'
import { stringIn } from '../../lib/codec/json/json'
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
import { type Allowance, explainFailure, parseAllowance } from '../../lib/runs/gate/allowance'
import { writeGateJunit, writeGateMarkdown } from '../../lib/runs/gate/reports'
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
import type { GateFlags } from '../gate'

/** Runs `svc gate`: judges a run by requirements. R17 */
export const runGate: Run<GateFlags> = (context) => {
  const { runtime, flags } = context
  return pipe(
    E.Do,
    E.bind('requirements', () => readRequirements(flags.require)),
    E.bind('allowance', () => parseAllowance(flags.allow)),
    TE.fromEither,
    TE.bind('policy', () => readPolicy(flags, runtime.files)),
    TE.chainFirst(() => checkReports(context)),
    TE.bind('verdict', ({ requirements, policy }) =>
      judgeRun(openSource(flags.input, runtime), requirements, policy, flags.all),
    ),
    TE.bind('pinHolds', ({ verdict, policy }) => TE.fromTask(checkPin(context, verdict, policy))),
    TE.bind('gateHolds', ({ verdict, allowance }) =>
      TE.fromTask(reportFailure(context, verdict, allowance)),
    ),
    TE.chain(({ verdict, pinHolds, gateHolds }) =>
      writeReports(context, verdict, gateHolds && pinHolds),
    ),
  )
}

type GateContext = Context<GateFlags>

/** Checks that the JUnit report can be written, and that neither it nor the job summary changes a file that is read. D57 */
const checkReports = ({ runtime: { files, env }, flags }: GateContext) => {
  const reads = filesOf(flags, 'input', 'policy')
  const junit = filesOf(flags, 'junit')
  return pipe(
    checkDistinctFiles(files, reads, [...junit, ...jobSummaryOf(env)]),
    TE.chain(() => checkOutputs(files, [], junit, 'JUnit report')),
  )
}

/**
 * Writes the JUnit report and the job summary. A job summary that cannot be written only causes a warning. R17
 */
const writeReports = (
  { runtime, flags, redact }: GateContext,
  verdict: Verdict,
  holds: boolean,
): TE.TaskEither<Failure, Result> => {
  const { files, stderr } = runtime
  const { junit } = flags
  const markdown = writeGateMarkdown(verdict, holds)
  return pipe(
    junit === undefined
      ? TE.right(undefined)
      : access(`write JUnit report ${junit}`, () =>
          files.replace(junit, redact(writeGateJunit(verdict, flags['allow-errors']))),
        ),
    TE.chainTaskK(() =>
      pipe(
        appendJobSummary(runtime, redact(markdown)),
        TE.getOrElse((failure) => () => stderr.write(`gate: ${sanitize(messageOf(failure))}\n`)),
      ),
    ),
    TE.map(() => ({
      stdout: flags.table ? markdown : { document: verdictDraft(verdict) },
      exit: holds ? exitCode.ok : exitCode.flagged,
    })),
  )
}

/**
 * Reports on stderr where a model answered that the policy was not made from. Resolves to false where `--pin`
 * makes that a failure. R23
 */
const checkPin =
  (
    { runtime, flags, redact }: GateContext,
    { models }: Verdict,
    policy: GivenPolicy | undefined,
  ): T.Task<boolean> =>
  async () => {
    const others = policy && describeOtherModels(policy, models)
    if (others === undefined) return true
    await runtime.stderr.write(`svc: ${sanitize(redactAndCut(redact)(others))}\n`)
    return !flags.pin
  }

/** Says on stderr why the gate does not hold. Resolves to whether it does. R17 */
const reportFailure =
  ({ runtime, flags }: GateContext, verdict: Verdict, allowance: Allowance): T.Task<boolean> =>
  async () => {
    const why = explainFailure(verdict, allowance, flags['allow-errors'])
    if (why === undefined) return true
    await runtime.stderr.write(`gate: ${sanitize(why)}\n`)
    return false
  }

const readRequirements = (
  texts: GateContext['flags']['require'],
): E.Either<Failure, ReadonlyArray<Requirement>> =>
  texts.length === 0
    ? E.left(usage('--require is required: a condition such as billing.noul >= 0.8'))
    : parseRequirements(texts)

/** The most failed rows that are listed without `--all`. */
const mostListed = 100

const judgeRun = (
  source: Parameters<typeof readRun>[0],
  requirements: ReadonlyArray<Requirement>,
  policy: GivenPolicy | undefined,
  all: boolean,
): TE.TaskEither<Failure, Verdict> => {
  const most = all ? Number.POSITIVE_INFINITY : mostListed
  const { add, verdict } = createTally(requirements, most, policy?.questions)
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
