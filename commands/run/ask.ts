import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { findDryRunPlace, userAgentOf } from '../../lib/cli/client'
import type { CommandResult, Context, ResultHint, Run } from '../../lib/cli/declaration'
import { makeOnlyCall } from '../../lib/cli/single-call'
import { selectMode } from '../../lib/client/ask/mode'
import type { Permuted } from '../../lib/client/ask/permute'
import { describeRequest, readRequest } from '../../lib/client/ask/request'
import { ask, writeAsk } from '../../lib/client/call/client'
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
import { readPolicy } from '../../lib/runs/policy/read'
import { describeOtherModels, policyDraft } from '../../lib/runs/policy/write'
import type { AskFlags } from '../ask'

type AskContext = Context<AskFlags>

/** Runs `svc ask`: sends one request and prints the response. With `--record` it writes the run as a scenario too. */
export const runAsk: Run<AskFlags> = (context) => {
  const { record } = context.flags
  if (record === undefined) return askOnce(context)
  return async () =>
    (await import('../../lib/replay/record-run')).runRecorded(record, context, askOnce)
}

const askOnce: Run<AskFlags> = (context) => {
  const { runtime, flags } = context
  return pipe(
    TE.fromEither(checkTable(flags)),
    TE.chain(() => loadGate(flags.require)),
    TE.bindTo('gate'),
    TE.bind('mode', () => TE.fromEither(selectMode(flags, () => runtime.stdin.isTTY))),
    TE.bind('request', ({ mode }) => readRequest(mode)(runtime)),
    TE.bind('policy', ({ request }) => readGivenPolicy(context, request)),
    TE.chainFirstEitherK(({ gate, policy, request: { questions } }) =>
      gate === undefined ? E.right(undefined) : gate.check(shapesOf(questions, policy?.questions)),
    ),
    TE.bind('permuted', ({ request }) => permuteQuestions(flags, request)),
    TE.chain((plan) =>
      pipe(
        flags['dry-run'] ? printRequest(context, plan) : sendRequest(context, plan),
        TE.map((result) => ({ ...result, hint: hintAtOneLabel(flags, plan.request) })),
      ),
    ),
  )
}

const checkTable = ({ table, raw, 'dry-run': dryRun }: AskContext['flags']) =>
  table && (raw || dryRun)
    ? E.left(usage(`--table cannot be combined with --${raw ? 'raw' : 'dry-run'}`))
    : E.right(undefined)

/** Creates the gate of `--require`. Its code is loaded only where the flag is given. */
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
    : readPolicy(flags, runtime.files, questions)

const permuteQuestions = (
  { raw, permute: n }: AskContext['flags'],
  { questions }: AskRequest,
): TE.TaskEither<Failure, Plan['permuted']> => {
  if (n === undefined) return TE.right({ questions, fold: (response) => response })
  return raw
    ? TE.left(usage('--permute cannot be combined with --raw'))
    : async () => (await import('../../lib/client/ask/permute')).permute(questions, n)
}

/** The request, and what its answers are checked by. */
interface Plan {
  readonly request: AskRequest
  readonly gate: Gate | undefined
  readonly policy: GivenPolicy | undefined
  readonly permuted: Pick<Permuted, 'questions' | 'fold'>
}

const buildRequest = ({ request, permuted: { questions } }: Plan): AskRequest => ({
  ...request,
  questions,
})

/** The model of the document, unless `--model` was passed. spec: `svc ask`, Model selection */
const modelOf = ({ given }: AskContext, request: AskRequest): string | undefined =>
  given('model') ? undefined : request.model

const sendRequest = (context: AskContext, plan: Plan): TE.TaskEither<Failure, CommandResult> =>
  pipe(
    makeOnlyCall(
      context,
      ({ ask: { path } }) => `POST ${path}`,
      ask(buildRequest(plan), modelOf(context, plan.request)),
    ),
    TE.map(({ value, body }) => ({ value: plan.permuted.fold(value), body })),
    TE.chainTaskK(({ value, body }) => async () => ({
      stdout: context.flags.raw ? body : await writeAnswers(context, plan, value),
      exit: await reportUnmet(context, plan, value),
    })),
  )

/** Returns the hint at how a `--choice` with a single label was read, such as the `00` of `12:00`. D84 */
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

/** Writes the answers as JSON, or for people with `--table`. The code of the table is loaded only there. R33 */
const writeAnswers = async (
  { runtime: { stdout, env }, flags, globals, redact }: AskContext,
  plan: Plan,
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

/** The document to print: the response, followed by the judgement of the policy. R23 */
const composeDocument = ({ policy }: Plan, response: AskResponse): Draft => ({
  ...encodeResponse(response),
  policy: policy && policyDraft(policy.questions, response.answers),
})

/**
 * Reports on stderr which requirements are not met, and whether a model answered that the policy was not made
 * from. Returns the exit code: 8 where a requirement is not met, or where `--pin` is given and another model
 * answered. R16, R23
 */
const reportUnmet = async (
  { runtime, flags, redact }: AskContext,
  { request: { questions }, gate, policy }: Plan,
  response: AskResponse,
): Promise<number> => {
  const tell = (text: string) =>
    runtime.stderr.write(`svc: ${sanitize(redactAndCut(redact)(text))}\n`)
  const others = policy && describeOtherModels(policy, [response.model])
  if (others !== undefined) await tell(others)
  const reasons =
    gate?.describeUnmet(shapesOf(questions, policy?.questions), response.answers) ?? []
  for (const reason of reasons) await tell(`requirement not met: ${reason}`)
  const isPinned = others !== undefined && flags.pin
  return reasons.length === 0 && !isPinned ? exitCode.ok : exitCode.flagged
}

/**
 * Prints the request instead of sending it. Fails where sending would fail beforehand, except for a missing
 * key.
 */
const printRequest = (context: AskContext, plan: Plan): TE.TaskEither<Failure, CommandResult> => {
  const request = buildRequest(plan)
  const { build, globals } = context
  return pipe(
    findDryRunPlace(context),
    TE.bindTo('place'),
    TE.chainFirstEitherK(() => checkRequest(request)),
    TE.bind('written', ({ place }) =>
      TE.fromEither(writeAsk(place, request, modelOf(context, request))),
    ),
    TE.map(({ place, written }) => {
      const draft = describeRequest(place, userAgentOf(build), request, written.body)
      return { stdout: printHarmless(redactDraft(draft, context.redact), globals.pretty) }
    }),
  )
}
