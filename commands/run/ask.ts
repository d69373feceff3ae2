import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { findDryRunDestination, formatUserAgent } from '../../lib/cli/client'
import type { CommandResult, ResultHint } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { makeSingleCall } from '../../lib/cli/single-call'
import { type ModeFlags, selectMode } from '../../lib/client/ask/mode'
import type { Permuted } from '../../lib/client/ask/permute'
import { describeRequest, readRequest } from '../../lib/client/ask/request'
import { checkAndAsk, encodeAsk } from '../../lib/client/call/client'
import type { Draft } from '../../lib/codec/json/draft'
import { printHarmless, redactDraft } from '../../lib/codec/json/output'
import { type AskRequest, checkRequest } from '../../lib/codec/request'
import { type AskResponse, encodeResponse } from '../../lib/codec/response'
import { exitCode } from '../../lib/failure/classify'
import { type Failure, usage } from '../../lib/failure/failure'
import { redactAndCut } from '../../lib/failure/text/cut'
import { sanitize } from '../../lib/failure/text/harmless'
import { findWidth } from '../../lib/failure/text/wrap'
import type { Gate } from '../../lib/runs/gate/requirements'
import { shapesOf } from '../../lib/runs/gate/shape'
import type { GivenPolicy } from '../../lib/runs/policy/policy'
import { readPolicyFlag } from '../../lib/runs/policy/read'
import { describeOtherModels, policyDraft } from '../../lib/runs/policy/write'

/** The options of `svc ask`. */
interface AskOptions extends ModeFlags {
  readonly record: string | undefined
  readonly raw: boolean
  readonly table: boolean
  readonly require: ReadonlyArray<string>
  readonly policy: string | undefined
  readonly pin: boolean
  readonly permute: number | undefined
  readonly 'dry-run': boolean
}

type AskContext = ContextWith<AskOptions, 'model'>

/** Runs `svc ask`. With `--record` it writes the run as a scenario too. */
export const runAsk =
  (context: AskContext) => async (): Promise<E.Either<Failure, CommandResult>> => {
    const { record } = context.flags
    if (record === undefined) return askOnce(context)()
    const { runRecorded } = await import('../../lib/replay/record-run')
    return runRecorded(record, context, askOnce)
  }

/** Sends one request and prints the response, or prints the request with `--dry-run`. */
const askOnce = (context: AskContext) => async (): Promise<E.Either<Failure, CommandResult>> => {
  const plan = await planAsk(context)
  if (E.isLeft(plan)) return plan
  const act = context.flags['dry-run'] ? printRequest : sendRequest
  const result = await act(context, plan.right)()
  if (E.isLeft(result)) return result
  return E.right({ ...result.right, hint: hintAtOneLabel(context.flags, plan.right.request) })
}

/** Takes every step that comes before a call. The first that fails ends the run. */
const planAsk = async (context: AskContext): Promise<E.Either<Failure, AskPlan>> => {
  const { runtime, flags } = context
  const table = checkTable(flags)
  if (E.isLeft(table)) return table
  const gate = await loadGate(flags.require)()
  if (E.isLeft(gate)) return gate
  const mode = selectMode(flags, () => runtime.stdin.isTTY)
  if (E.isLeft(mode)) return mode
  const request = await readRequest(mode.right)(runtime)()
  if (E.isLeft(request)) return request
  const policy = await readGivenPolicy(context, request.right)()
  if (E.isLeft(policy)) return policy
  const shapes = shapesOf(request.right.questions, policy.right?.questions)
  const checked = gate.right?.check(shapes)
  if (checked !== undefined && E.isLeft(checked)) return checked
  const permuted = await permuteQuestions(flags, request.right)()
  if (E.isLeft(permuted)) return permuted
  return E.right({
    request: request.right,
    gate: gate.right,
    policy: policy.right,
    permuted: permuted.right,
  })
}

const checkTable = ({ table, raw, 'dry-run': dryRun }: AskContext['flags']) =>
  table && (raw || dryRun)
    ? E.left(usage(`--table cannot be combined with --${raw ? 'raw' : 'dry-run'}`))
    : E.right(undefined)

/** Creates the gate of `--require`. Its code is loaded only if the flag is given. */
const loadGate = (texts: ReadonlyArray<string>): TE.TaskEither<Failure, Gate | undefined> =>
  texts.length === 0
    ? TE.right(undefined)
    : async () => (await import('../../lib/runs/gate/requirements')).createGate(texts)

const readGivenPolicy = (
  { runtime, flags }: AskContext,
  { questions }: AskRequest,
): TE.TaskEither<Failure, GivenPolicy | undefined> =>
  flags.raw && flags.policy !== undefined
    ? TE.left(usage('--policy cannot be combined with --raw'))
    : readPolicyFlag(flags, runtime.files, questions)

const permuteQuestions = (
  { raw, permute: n }: AskContext['flags'],
  { questions }: AskRequest,
): TE.TaskEither<Failure, AskPlan['permuted']> => {
  if (n === undefined) return TE.right({ questions, fold: (response) => response })
  return raw
    ? TE.left(usage('--permute cannot be combined with --raw'))
    : async () => (await import('../../lib/client/ask/permute')).permute(questions, n)
}

/** The request, and what its answers are checked by. */
interface AskPlan {
  readonly request: AskRequest
  readonly gate: Gate | undefined
  readonly policy: GivenPolicy | undefined
  readonly permuted: Pick<Permuted, 'questions' | 'fold'>
}

const buildRequest = ({ request, permuted: { questions } }: AskPlan): AskRequest => ({
  ...request,
  questions,
})

/** The model of the document, unless `--model` was passed. */
const modelOf = ({ isPassed }: AskContext, request: AskRequest): string | undefined =>
  isPassed('model') ? undefined : request.model

const sendRequest = (context: AskContext, plan: AskPlan): TE.TaskEither<Failure, CommandResult> =>
  pipe(
    makeSingleCall(
      context,
      ({ ask: { path } }) => `POST ${path}`,
      checkAndAsk(buildRequest(plan), modelOf(context, plan.request)),
    ),
    TE.map(({ value, body }) => ({ value: plan.permuted.fold(value), body })),
    TE.chainTaskK(({ value, body }) => async () => ({
      stdout: context.flags.raw ? body : await writeAnswers(context, plan, value),
      exit: await reportUnmet(context, plan, value),
    })),
  )

/** Returns the hint at how a `--choice` with a single label was read, such as the `00` of `12:00`. */
const hintAtOneLabel = (
  { choice }: AskContext['flags'],
  { questions }: AskRequest,
): ResultHint | undefined => {
  const lists = questions.map(([, question]) =>
    question.type === 'choice' ? (question.criteria ?? []) : [],
  )
  const [label] = lists.find(({ length }) => length === 1) ?? []
  return choice.length === 0 || label === undefined
    ? undefined
    : { about: 'one label', label: label[0] }
}

/** Writes the answers as JSON, or for people with `--table`. The code of the table is loaded only for that. */
const writeAnswers = async (
  { runtime: { stdout, env }, flags, globals, redact }: AskContext,
  plan: AskPlan,
  response: AskResponse,
): Promise<string | Uint8Array> => {
  if (!flags.table) return printHarmless(composeDocument(plan, response), globals.pretty)
  const { tabulateAnswers } = await import('../../lib/measure/answer-table')
  return tabulateAnswers(
    response,
    plan.policy?.questions,
    findWidth(stdout, env),
    redactAndCut(redact),
  )
}

/** The document to print: the response, followed by the judgement of the policy. */
const composeDocument = ({ policy }: AskPlan, response: AskResponse): Draft => ({
  ...encodeResponse(response),
  policy: policy && policyDraft(policy.questions, response.answers),
})

/**
 * Reports on stderr which requirements are not met, and whether a model answered that the policy was not made from. Returns
 * the exit code: 8 if a requirement is not met, or if `--pin` is given and such a model answered.
 */
const reportUnmet = async (
  { runtime, flags, redact }: AskContext,
  { request: { questions }, gate, policy }: AskPlan,
  response: AskResponse,
): Promise<number> => {
  const report = (text: string) =>
    runtime.stderr.write(`svc: ${sanitize(redactAndCut(redact)(text))}\n`)
  const others = policy && describeOtherModels(policy, [response.model])
  if (others !== undefined) await report(others)
  const reasons =
    gate?.describeUnmet(shapesOf(questions, policy?.questions), response.answers) ?? []
  for (const reason of reasons) await report(`requirement not met: ${reason}`)
  const isPinned = others !== undefined && flags.pin
  return reasons.length === 0 && !isPinned ? exitCode.ok : exitCode.flagged
}

/** Prints the request instead of sending it. Fails as sending does before the call, except for a missing key. */
const printRequest = (
  context: AskContext,
  plan: AskPlan,
): TE.TaskEither<Failure, CommandResult> => {
  const request = buildRequest(plan)
  const { build, globals } = context
  return async () => {
    const destination = await findDryRunDestination(context)()
    if (E.isLeft(destination)) return destination
    const checked = checkRequest(request)
    if (E.isLeft(checked)) return checked
    const written = encodeAsk(destination.right, request, modelOf(context, request))
    if (E.isLeft(written)) return written
    const { body } = written.right
    const draft = describeRequest(destination.right, formatUserAgent(build), request, body)
    return E.right({ stdout: printHarmless(redactDraft(draft, context.redact), globals.pretty) })
  }
}
