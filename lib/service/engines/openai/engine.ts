import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import type { AnsweringEngine, EngineContext, EngineRequest } from '../../contract/engine'
import type { Problem } from '../../contract/problem'
import { readAnswers } from '../readout/answers'
import { formatPrefix } from '../readout/prompt'
import { type CheckFailure, checkEngine, pingEngine } from './check'
import { type ConnectionEnvironment, connect, type EngineConnection } from './connection'
import { describeCallFailure } from './failures'
import type { OpenaiOptions } from './options'
import { createBodyEncoder, type RequestForm } from './request-body'
import { checkPromptIsComplete, countMinTokens } from './too-long'

/**
 * Opens the engine that asks a language model at an OpenAI-compatible endpoint and reads its answers as letters. Checks the
 * endpoint now. If it cannot be reached yet, the first request checks it again. Fails with a usage error if the endpoint cannot be
 * used.
 */
export const openOpenaiEngine =
  (
    options: OpenaiOptions,
    environment: ConnectionEnvironment,
  ): TE.TaskEither<Failure, AnsweringEngine> =>
  async () => {
    const withoutRetries = connect({ ...options, maxRetries: 0 }, environment)
    const checked = await checkEngine(options, withoutRetries, environment.runtime.signal)()
    return E.isLeft(checked) && !checked.left.isTemporary
      ? E.left(usage(`engine openai: engine ${options.url}: ${checked.left.message}`))
      : E.right(createCheckedEngine(checked, options, environment))
  }

/** Creates the engine. `checked` is the result of the first check. It may be a temporary failure. */
export const createCheckedEngine = (
  checked: Checked,
  options: OpenaiOptions,
  environment: ConnectionEnvironment,
): AnsweringEngine => {
  const { signal, clock } = environment.runtime
  const connection = connect(options, environment)
  const findForm = createFindForm(checked, checkEngine(options, connection, signal))
  return {
    kind: 'answering',
    name: 'openai',
    model: {
      name: options.model,
      description: 'A language model, read by the log-probabilities of one letter.',
      release_date: new Date(clock.now()).toISOString(),
    },
    ping: (end) => pipe(pingEngine(connection, end), TE.chainW(findForm)),
    answer: (request, context) =>
      pipe(
        findForm(),
        TE.chain((form) => answerAll(options, connection, form, request, context)),
      ),
    close: () => Promise.resolve(),
  }
}

type Checked = E.Either<CheckFailure, RequestForm>

/**
 * Creates the function that returns the form of requests. It checks the endpoint if no check has succeeded yet. Concurrent
 * requests share one check.
 */
const createFindForm = (
  firstCheck: Checked,
  check: TE.TaskEither<CheckFailure, RequestForm>,
): (() => TE.TaskEither<Problem, RequestForm>) => {
  let lastCheck = firstCheck
  let runningCheck: Promise<Checked> | undefined
  const checkAgain = async (): Promise<Checked> => {
    runningCheck ??= check()
    lastCheck = await runningCheck
    runningCheck = undefined
    return lastCheck
  }
  return () => async () => {
    const checked = E.isRight(lastCheck) ? lastCheck : await checkAgain()
    return E.mapLeft(({ problem }: CheckFailure) => problem)(checked)
  }
}

/** Makes one call for each question and each order of its options. */
const answerAll =
  (
    options: OpenaiOptions,
    connection: EngineConnection,
    form: RequestForm,
    { state, questions }: EngineRequest,
    { signal, span, compute }: EngineContext,
  ): ReturnType<AnsweringEngine['answer']> =>
  async () => {
    const prepared = await compute(() => preparePrefix(state, options, form))()
    if (E.isLeft(prepared)) return prepared
    const { encodeBody, minTokens } = prepared.right
    const ask = (question: string, end: AbortSignal) => async () => {
      const body = await compute(() => encodeBody(question))()
      if (E.isLeft(body)) return body
      const completion = await connection.complete(body.right, { signal: end, span })()
      if (E.isLeft(completion)) return E.left(describeCallFailure(completion.left))
      return checkPromptIsComplete(completion.right, minTokens)
    }
    const model = { ask, maxConcurrent: options.concurrency, maxOptions: form.listedTokens }
    return readAnswers(questions, options, model, signal)()
  }

/** Encodes the beginning of the prompt once for all questions of a request. */
const preparePrefix = (
  state: EngineRequest['state'],
  { model, body }: OpenaiOptions,
  form: RequestForm,
) => {
  const prefix = formatPrefix(state)
  const encodeBody = createBodyEncoder(model, prefix, form, body)
  return { encodeBody, minTokens: countMinTokens(prefix) }
}
