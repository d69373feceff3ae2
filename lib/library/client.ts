import * as E from 'fp-ts/Either'
import type { ServiceResponse } from '../client/call/attempt'
import type { CallFailure } from '../client/call/call'
import {
  askCheckedRequest,
  fetchModels,
  keepConnections,
  type ServiceClient,
} from '../client/call/client'
import { encodeText } from '../codec/json/draft'
import { numberOf } from '../codec/json/json'
import type { AskRequest, Template } from '../codec/request'
import { type AskResponse, encodeAnswers, encodeResponse } from '../codec/response'
import type { Failure } from '../failure/failure'
import { redactAndCut } from '../text/sanitize'
import { type AnswersTo, completeAnswers, type Refusals, type Usage } from './answers'
import { askRows, type BatchOptions, type RecordOf, type Rows } from './batch'
import { RequestError } from './errors'
import { createRequest } from './images'
import { createQuestionParser, type Questions } from './questions'
import { createError, createErrorBeforeSending, orThrow, type Result, unwrap } from './results'
import {
  type AskOptions,
  askOptionNames,
  type CallOptions,
  type ClientOptions,
  callOptionNames,
  checkOptionNames,
  joinSignals,
  parseCallLimits,
  prepareClient,
} from './settings'
import { addLazyJsonText, parseDraft } from './values'

/** A client of one service. Its only state is its open connections. */
export interface Client<R extends Refusals = 'return'> {
  /**
   * Asks the questions about a state, which is any JSON value, and about images if there are any. Rejects with a
   * `TypedQuestionsError`, or with the reason of the signal if a signal fires.
   */
  readonly ask: <const Q extends Questions>(
    state: unknown,
    questions: Q,
    options?: AskOptions,
  ) => Promise<ResponseTo<Q, R>>
  /** Asks like `ask`, but resolves with an error instead of rejecting with it. An abort still rejects. */
  readonly askResult: <const Q extends Questions>(
    state: unknown,
    questions: Q,
    options?: AskOptions,
  ) => Promise<Result<ResponseTo<Q, R>>>
  /**
   * Asks the questions about each row, several at a time, and yields the records in the order of the rows. Rows are read only
   * as fast as the loop takes records. Leaving the loop aborts the requests in flight. A row that fails yields a record with
   * its `error`. Throws like `ask` before the first row, and later if no row can succeed, such as after a rejected key.
   */
  readonly batch: <const Q extends Questions>(
    rows: Rows<Q>,
    questions: Q,
    options?: BatchOptions,
  ) => AsyncGenerator<RecordOf<Q>, void, undefined>
  /** Lists the models that the key can use. Rejects as `ask` does. */
  readonly models: (options?: CallOptions) => Promise<ModelList>
}

/** The answers to a request, as `svc ask` prints them. */
export interface ResponseTo<Q extends Questions = Questions, R extends Refusals = 'return'> {
  /** The model that answered. */
  readonly model: string
  readonly answers: AnswersTo<Q, R>
  readonly usage: Usage
  readonly request_id?: string
  /** The whole document as JSON text, with the exact text of its numbers. `JSON.stringify` leaves this out. */
  readonly json: string
}

/** The models of a service, as `svc models` prints them. */
export interface ModelList {
  /** The entries as the service sent them. Most have a `name` or an `id`. */
  readonly models: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly request_id?: string
}

/** Creates a client, without sending anything. Throws a `UsageError` if an option is invalid or a key is missing. */
export const createClient = <const R extends Refusals = 'return'>(
  options: ClientOptions<R>,
): Client<R> => {
  const serviceClient = keepConnections(orThrow(prepareClient(options)))
  const parseQuestions = createQuestionParser()
  const askResult: Client<R>['askResult'] = async (state, questions, callOptions) => {
    const prepared = prepareAsk(serviceClient, parseQuestions(questions), state, callOptions)
    if (E.isLeft(prepared)) return { ok: false, error: createErrorBeforeSending(prepared.left) }
    const { request, callClient } = prepared.right
    const outcome = await askCheckedRequest(callClient, request, callOptions?.model)
    const result = createResult(outcome, callClient)
    if (!result.ok) return result
    if (options.refusals === 'throw') {
      const error = createRefusalError(result.value, serviceClient)
      if (error !== undefined) return { ok: false, error }
    }
    return { ok: true, value: createResponse(questions, result.value) }
  }
  return {
    askResult,
    ask: async (state, questions, callOptions) =>
      unwrap(await askResult(state, questions, callOptions)),
    batch: (rows, questions, batchOptions = {}) =>
      askRows(serviceClient, rows, questions, batchOptions),
    models: async (callOptions) => {
      const callClient = orThrow(prepareCall(serviceClient, callOptions, callOptionNames))
      const outcome = await fetchModels(callClient)
      const { models, requestId } = unwrap(createResult(outcome, callClient))
      return parseDraft<ModelList>({ models, request_id: requestId === '' ? undefined : requestId })
    },
  }
}

/** Checks the arguments of a call. Fails with a usage or validation error. */
const prepareAsk = (
  serviceClient: ServiceClient,
  parsedQuestions: E.Either<Failure, Template>,
  state: unknown,
  options: AskOptions | undefined,
): E.Either<Failure, { readonly request: AskRequest; readonly callClient: ServiceClient }> => {
  if (E.isLeft(parsedQuestions)) return parsedQuestions
  const request = createRequest(parsedQuestions.right, state, options?.images)
  if (E.isLeft(request)) return request
  const callClient = prepareCall(serviceClient, options, askOptionNames)
  if (E.isLeft(callClient)) return callClient
  return E.right({ request: request.right, callClient: callClient.right })
}

/** Creates the error for the first question that the service refused; `undefined` if it refused none. */
const createRefusalError = (
  { answers, requestId }: AskResponse,
  { redact }: ServiceClient,
): RequestError | undefined => {
  for (const [id, answer] of answers) {
    if (answer.type !== 'refusal') continue
    const reason = answer.reason ? `: ${redactAndCut(redact)(answer.reason)}` : ''
    return new RequestError(`the service refused to answer "${id}"${reason}`, {
      kind: 'request',
      requestId: requestId || undefined,
      // A successful call does not report its attempts, so this is the minimum.
      attempts: 1,
    })
  }
  return undefined
}

/** Applies the options of a call to the client. Both signals abort the call. Fails with a usage error. */
const prepareCall = (
  serviceClient: ServiceClient,
  options: CallOptions | undefined,
  names: Readonly<Record<string, true>>,
): E.Either<Failure, ServiceClient> => {
  if (options === undefined) return E.right(serviceClient)
  const knownOptions = checkOptionNames(options, names)
  if (E.isLeft(knownOptions)) return knownOptions
  const limits = parseCallLimits(options, serviceClient)
  if (E.isLeft(limits)) return limits
  // Joining signals takes as long as a third of the call, so a call without a signal skips it.
  const signal = options.signal
    ? joinSignals(serviceClient.signal, options.signal)
    : serviceClient.signal
  return E.right({ ...serviceClient, ...limits.right, signal })
}

/** Creates the result of a call. An abort is no result: if it ended the call, this throws the reason of the signal. */
const createResult = <A>(
  outcome: E.Either<CallFailure, ServiceResponse<A>>,
  { signal }: ServiceClient,
): Result<A> => {
  if (E.isRight(outcome)) return { ok: true, value: outcome.right.value }
  const { failure } = outcome.left
  if (failure._tag === 'Interrupted') throw signal?.reason
  return { ok: false, error: createError(failure, outcome.left) }
}

/** Creates the response that `ask` returns. */
const createResponse = <Q extends Questions, R extends Refusals>(
  questions: Q,
  response: AskResponse,
): ResponseTo<Q, R> => {
  const { model, usage, requestId } = response
  const encodedAnswers = encodeAnswers(response)
  const answers = parseDraft<AnswersTo<Q, R>>(encodedAnswers)
  completeAnswers(questions, answers, encodedAnswers)
  const { input_tokens, output_tokens } = usage
  const tokenCounts = {
    input_tokens: input_tokens === null ? null : numberOf(input_tokens),
    output_tokens: output_tokens === null ? null : numberOf(output_tokens),
  }
  const document = {
    model,
    answers,
    usage: tokenCounts,
    // The id is `''` if the service sent none.
    ...(requestId !== '' && { request_id: requestId }),
  }
  return addLazyJsonText(document, () => encodeText(encodeResponse(response)))
}
