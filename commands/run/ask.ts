import * as E from 'fp-ts/Either'
import {
  type EngineCallFlag,
  type EngineCallFlags,
  findDryRunDestination,
  formatUserAgent,
} from '../../lib/cli/client'
import type { CommandOutcome, CommandResult, ResultHint } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { makeSingleCall } from '../../lib/cli/single-call'
import { checkAndAsk } from '../../lib/client/call/client'
import { describeRequest, encodeAsk } from '../../lib/client/call/encode-call'
import { printEscaped, redactDraft } from '../../lib/codec/json/draft'
import { type AskRequest, checkRequest } from '../../lib/codec/request'
import { type AskResponse, encodeResponse } from '../../lib/codec/response'
import { type Failure, usage } from '../../lib/failure/failure'
import { exitCodes } from '../../lib/failure/report'
import type { PermutedQuestions } from '../../lib/runs/batch/permute-choices'
import type { AnswerValues } from '../../lib/runs/gate/path-values'
import type { Gate, GateQuestions } from '../../lib/runs/gate/requirements'
import {
  applyPolicies,
  describeOtherModels,
  encodePolicyOutcomes,
  readPolicyFlag,
} from '../../lib/runs/policy/answer-policies'
import type { LoadedPolicy } from '../../lib/runs/policy/policy'
import { redactAndCut, sanitize } from '../../lib/text/sanitize'
import { type RequestFlags, readRequest, selectRequestMode } from '../request/read-request'

/** The options of `svc ask`. */
interface AskOptions extends RequestFlags, EngineCallFlags {
  readonly record: string | undefined
  readonly raw: boolean
  readonly table: boolean
  readonly get: ReadonlyArray<string>
  readonly require: ReadonlyArray<string>
  readonly policy: string | undefined
  readonly pin: boolean
  readonly permute: number | undefined
  readonly 'dry-run': boolean
}

type AskContext = ContextWith<AskOptions, 'model' | EngineCallFlag>

/**
 * Runs `svc ask`: asks questions about a state, which is the text or JSON to judge. With `--record` it also saves the exchange as a
 * scenario, which tests can play.
 */
export const runAsk = async (context: AskContext): Promise<CommandOutcome> => {
  const { record } = context.flags
  if (record === undefined) return askOnce(context)
  const { runRecorded } = await import('../../lib/replay/record/record-run')
  return runRecorded(record, context, askOnce)
}

/** Sends one request and returns the response to print. With `--dry-run` it returns the request instead. */
const askOnce = async (context: AskContext): Promise<CommandOutcome> => {
  const plan = await planAsk(context)
  if (E.isLeft(plan)) return plan
  const result = context.flags['dry-run']
    ? await formatRequest(context, plan.right)
    : await sendRequest(context, plan.right)
  if (E.isLeft(result)) return result
  return E.right({ ...result.right, hint: findLabelHint(context.flags, plan.right.request) })
}

/** The request to send, and the treatment of its answers. */
interface AskPlan {
  /** The state and the questions, as the user wrote them. */
  readonly request: AskRequest
  /** The request to send. With `--permute` it also asks choice questions in further orders of their labels. */
  readonly requestToSend: AskRequest
  /** Combines the answers to all orders of a question into one. */
  readonly combineAnswers: PermutedQuestions['combineAnswers']
  /** The model of the request document; `undefined` if there is none, or if `--model` overrides it. */
  readonly documentModel: string | undefined
  /** The conditions of `--require`. */
  readonly gate: Gate | undefined
  /** The values of `--get`. */
  readonly values: AnswerValues | undefined
  /** The policy of `--policy`, which says which answers to accept. */
  readonly policy: LoadedPolicy | undefined
}

/** Checks the flags, and reads the request and the policy. Fails at the first fault. */
const planAsk = async (context: AskContext): Promise<E.Either<Failure, AskPlan>> => {
  const { runtime, flags, isPassed } = context
  const fault = describeFlagFault(flags)
  if (fault !== undefined) return E.left(usage(fault))
  const gate = await loadGate(flags.require)
  if (E.isLeft(gate)) return gate
  const values = await loadAnswerValues(flags.get)
  if (E.isLeft(values)) return values
  const mode = selectRequestMode(flags, runtime.stdin)
  if (E.isLeft(mode)) return mode
  const request = await readRequest(mode.right, runtime)
  if (E.isLeft(request)) return request
  const { questions } = request.right
  const policy = await readPolicyFlag(flags, runtime.files, questions)()
  if (E.isLeft(policy)) return policy
  const asked = { questions, policies: policy.right?.policies }
  for (const expressions of [gate.right, values.right]) {
    const checked = expressions?.check(asked)
    if (checked !== undefined && E.isLeft(checked)) return checked
  }
  const permuted = await permuteQuestions(questions, flags.permute)
  if (E.isLeft(permuted)) return permuted
  return E.right({
    request: request.right,
    requestToSend: { ...request.right, questions: permuted.right.questions },
    combineAnswers: permuted.right.combineAnswers,
    documentModel: isPassed('model') ? undefined : request.right.model,
    gate: gate.right,
    values: values.right,
    policy: policy.right,
  })
}

/** Describes the first two flags that exclude each other; `undefined` if there are none. */
const describeFlagFault = (flags: AskOptions): string | undefined => {
  const { table, raw, get, policy, permute, 'dry-run': dryRun } = flags
  const hasGet = get.length > 0
  if (hasGet && raw) return '--get cannot be combined with --raw'
  if (hasGet && table) return '--get cannot be combined with --table'
  if (hasGet && dryRun) return '--get cannot be combined with --dry-run'
  if (table && raw) return '--table cannot be combined with --raw'
  if (table && dryRun) return '--table cannot be combined with --dry-run'
  if (raw && policy !== undefined) return '--policy cannot be combined with --raw'
  if (raw && permute !== undefined) return '--permute cannot be combined with --raw'
  return undefined
}

/** Creates the gate of `--require`. Its code is loaded only if the flag is passed. */
const loadGate = async (
  conditions: ReadonlyArray<string>,
): Promise<E.Either<Failure, Gate | undefined>> => {
  if (conditions.length === 0) return E.right(undefined)
  const { createGate } = await import('../../lib/runs/gate/requirements')
  return createGate(conditions)
}

/** Parses the paths of `--get`. The code for paths is loaded only if the flag is passed. */
const loadAnswerValues = async (
  paths: ReadonlyArray<string>,
): Promise<E.Either<Failure, AnswerValues | undefined>> => {
  if (paths.length === 0) return E.right(undefined)
  const { createAnswerValues } = await import('../../lib/runs/gate/path-values')
  return createAnswerValues(paths)
}

/** Prepares the questions for `--permute`, which asks each choice question in several orders of its labels. */
const permuteQuestions = async (
  questions: AskRequest['questions'],
  orders: number | undefined,
): Promise<E.Either<Failure, Pick<PermutedQuestions, 'questions' | 'combineAnswers'>>> => {
  if (orders === undefined) return E.right({ questions, combineAnswers: (response) => response })
  const { permuteChoices } = await import('../../lib/runs/batch/permute-choices')
  return permuteChoices(questions, orders)
}

const sendRequest = async (context: AskContext, plan: AskPlan): Promise<CommandOutcome> => {
  const { requestToSend, documentModel } = plan
  const call = await makeSingleCall(context, {
    describeOperation: ({ ask }) => `POST ${ask.path}`,
    use: { purpose: 'questions', documentModel },
    check: (destination) => encodeAsk(destination, requestToSend, documentModel),
    call: (client) => checkAndAsk(client, requestToSend, documentModel),
  })
  if (E.isLeft(call)) return call
  const { value, body } = call.right
  const response = plan.combineAnswers(value)
  if (plan.values !== undefined) return E.right(printValues(context, plan, response))
  return E.right({
    stdout: context.flags.raw ? body : await formatAnswers(context, plan, response),
    ...describeUnmet(context, plan, response),
  })
}

/**
 * Prints the values of `--get`, one a line. If a value is missing, prints none, because a script could take one for another. The exit
 * code is then 8, and stderr names the missing ones.
 */
const printValues = (context: AskContext, plan: AskPlan, response: AskResponse): CommandResult => {
  const values = plan.values?.find(askedOf(plan), response.answers) ?? []
  const missing = values
    .filter(({ value }) => value === undefined)
    .map(({ path }) => formatMessage(context, `--get: ${path} is missing`))
  const unmet = describeUnmet(context, plan, response)
  if (missing.length > 0)
    return { exitCode: exitCodes.flagged, messages: [...missing, ...unmet.messages] }
  return { stdout: Buffer.from(values.map(({ value }) => value).join('\n')), ...unmet }
}

/**
 * Returns a hint if a `--choice` has only one label. It may be an accident: in `When?:12:00` the label is `00`. A blank after the last
 * colon, as in `Note: is it late?`, makes an accident likely.
 */
const findLabelHint = (
  { choice }: AskOptions,
  { questions }: AskRequest,
): ResultHint | undefined => {
  if (choice.length === 0) return undefined
  for (const [, question] of questions) {
    if (question.type !== 'choice') continue
    const [firstCriterion, ...furtherCriteria] = question.criteria ?? []
    if (firstCriterion === undefined || furtherCriteria.length > 0) continue
    const [label] = firstCriterion
    return { about: 'one label', label, isUrgent: choice.some((value) => /:\s[^:]*$/.test(value)) }
  }
  return undefined
}

/** Formats the answers as JSON, or as a table with `--table`. The code for tables is loaded only then. */
const formatAnswers = async (
  { runtime, flags, globals, redact }: AskContext,
  { policy }: AskPlan,
  response: AskResponse,
): Promise<string | Uint8Array> => {
  if (flags.table) {
    const { tabulateAnswers } = await import('./answer-table')
    return tabulateAnswers(response, {
      policies: policy?.policies,
      output: runtime.stdout,
      env: runtime.env,
      redactAndCut: redactAndCut(redact),
    })
  }
  const document = {
    ...encodeResponse(response),
    policy: policy && encodePolicyOutcomes(applyPolicies(policy.policies, response.answers)),
  }
  return printEscaped(document, globals.pretty)
}

/**
 * Describes for stderr which requirements are not met, and whether a model answered that the policy was not made from. The exit code is 8
 * if a requirement is not met, or if `--pin` is passed and another model answered.
 */
const describeUnmet = (
  context: AskContext,
  plan: AskPlan,
  response: AskResponse,
): Required<Pick<CommandResult, 'exitCode' | 'messages'>> => {
  const { gate, policy } = plan
  const otherModels = policy && describeOtherModels(policy, [response.model])
  const unmetReasons = gate?.describeUnmet(askedOf(plan), response.answers) ?? []
  const texts = [
    ...(otherModels === undefined ? [] : [otherModels]),
    ...unmetReasons.map((reason) => `requirement not met: ${reason}`),
  ]
  const failsPin = context.flags.pin && otherModels !== undefined
  return {
    exitCode: unmetReasons.length > 0 || failsPin ? exitCodes.flagged : exitCodes.ok,
    messages: texts.map((text) => formatMessage(context, text)),
  }
}

/** Formats a line for stderr. */
const formatMessage = ({ redact }: AskContext, text: string): string =>
  `svc: ${sanitize(redactAndCut(redact)(text))}`

/** Returns the questions of the user, without those that `--permute` adds, and the policy for their answers. */
const askedOf = ({ request, policy }: AskPlan): GateQuestions => ({
  questions: request.questions,
  policies: policy?.policies,
})

/** Returns the request to print instead of sending it. Fails like sending, but needs no key. */
const formatRequest = async (
  context: AskContext,
  { requestToSend, documentModel }: AskPlan,
): Promise<CommandOutcome> => {
  const { build, globals, redact } = context
  const destination = await findDryRunDestination(context)
  if (E.isLeft(destination)) return destination
  const checked = checkRequest(requestToSend)
  if (E.isLeft(checked)) return checked
  const encoded = encodeAsk(destination.right, requestToSend, documentModel)
  if (E.isLeft(encoded)) return encoded
  const userAgent = formatUserAgent(build)
  const draft = describeRequest(destination.right, userAgent, encoded.right)
  return E.right({ stdout: printEscaped(redactDraft(draft, redact), globals.pretty) })
}
