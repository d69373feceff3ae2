import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { AnsweringEngine, EngineContext, EngineRequest } from '../../contract/engine'
import type { Problem } from '../../contract/problem'
import { readAnswers } from '../readout/answers'
import { formatPrefix } from '../readout/prompt'
import { type CheckFailure, checkEndpoint, pingEndpoint } from './check'
import { type ConnectionEnvironment, createConnection, type EngineConnection } from './connection'
import { createCallProblem } from './failures'
import type { ChatOptions } from './options'
import { createBodyEncoder, type RequestForm } from './request-body'
import { checkPromptIsComplete, countMinTokens } from './too-long'

/** Creates the engine. `firstCheck` may be a temporary failure. */
export const createCheckedEngine = (
  firstCheck: CheckResult,
  options: ChatOptions,
  environment: ConnectionEnvironment,
): AnsweringEngine => {
  const { signal, clock } = environment.runtime
  const connection = createConnection(options, environment)
  const findForm = createFindForm(firstCheck, checkEndpoint(options, connection, signal))
  return {
    kind: 'answering',
    name: 'chat',
    model: {
      name: options.model,
      description: 'A language model, read by the log-probabilities of one letter.',
      // svc does not know the model's date, so this is the time of the start.
      release_date: new Date(clock.now()).toISOString(),
    },
    // A ping also repeats the check, if none has succeeded yet.
    ping: (pingSignal) => pipe(pingEndpoint(connection, pingSignal), TE.chainW(findForm)),
    answer: (request, context) =>
      pipe(
        findForm(),
        TE.chain((form) => answerAll(options, connection, form, request, context)),
      ),
    close: () => Promise.resolve(),
  }
}

/** Creates the function that lists the models of the endpoint. */
export const createModelLister =
  ({ listModels }: EngineConnection): NonNullable<AnsweringEngine['listModels']> =>
  (origin) =>
    pipe(
      listModels(origin),
      TE.bimap(createCallProblem, (ids) => ids.map((name) => ({ name }))),
    )

/** The result of checking the endpoint: the form of requests that it accepts. */
type CheckResult = E.Either<CheckFailure, RequestForm>

/**
 * Creates the function that returns the form of requests. It checks the endpoint if no check has succeeded yet. Concurrent
 * requests share one check.
 */
const createFindForm = (
  firstCheck: CheckResult,
  check: TE.TaskEither<CheckFailure, RequestForm>,
): (() => TE.TaskEither<Problem, RequestForm>) => {
  let lastCheck = firstCheck
  let runningCheck: Promise<CheckResult> | undefined
  const repeatCheck = async (): Promise<CheckResult> => {
    runningCheck ??= check()
    lastCheck = await runningCheck
    runningCheck = undefined
    return lastCheck
  }
  return () => async () => {
    const result = E.isRight(lastCheck) ? lastCheck : await repeatCheck()
    return E.isLeft(result) ? E.left(result.left.problem) : result
  }
}

/** Answers the questions of one request. Makes a call for each question and each order of its options; many options take several. */
const answerAll =
  (
    options: ChatOptions,
    connection: EngineConnection,
    form: RequestForm,
    { state, questions }: EngineRequest,
    { signal, span, compute }: EngineContext,
  ): ReturnType<AnsweringEngine['answer']> =>
  async () => {
    const preparedPrefix = await compute(() => preparePrefix(state, options, form))()
    if (E.isLeft(preparedPrefix)) return preparedPrefix
    const { encodeBody, minTokens } = preparedPrefix.right
    const complete = (promptEnd: string, callSignal: AbortSignal) => async () => {
      const body = await compute(() => encodeBody(promptEnd))()
      if (E.isLeft(body)) return body
      const completion = await connection.complete(body.right, { signal: callSignal, span })()
      if (E.isLeft(completion)) return E.left(createCallProblem(completion.left))
      return checkPromptIsComplete(completion.right, minTokens)
    }
    const preparedModel = {
      complete,
      maxConcurrent: options.concurrency,
      maxOptions: form.listedTokens,
    }
    return readAnswers(questions, options, preparedModel, signal)()
  }

/** Encodes the beginning of the prompt once for all questions of a request. `minTokens` is a lower bound for its number of tokens. */
const preparePrefix = (state: EngineRequest['state'], options: ChatOptions, form: RequestForm) => {
  const prefix = formatPrefix(state)
  const encodeBody = createBodyEncoder(options, prefix, form)
  return { encodeBody, minTokens: countMinTokens(prefix) }
}
