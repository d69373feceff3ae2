import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import type { AnsweringEngine, EngineContext, EngineRequest } from '../../contract/engine'
import { readAnswers } from '../readout/answers'
import { promptPrefix } from '../readout/prompt'
import { type CheckFault, checkEngine, pingEngine } from './check'
import { type ConnectionEnvironment, connect, type EngineConnection } from './connection'
import { describeMiss } from './failures'
import type { OpenaiOptions } from './options'
import { bodyMaker, type RequestForm } from './request-body'
import { checkRead, countMinTokens } from './too-long'

/**
 * Creates the engine that asks a language model behind an OpenAI-compatible endpoint and reads its answers as
 * letters. Checks the endpoint at the start, or at the first contact if it cannot be reached yet. A check that shows
 * that the endpoint can never be used is a usage error.
 */
export const openOpenaiEngine =
  (
    options: OpenaiOptions,
    environment: ConnectionEnvironment,
  ): TE.TaskEither<Failure, AnsweringEngine> =>
  async () => {
    const atOnce = connect({ ...options, maxRetries: 0 }, environment)
    const checked = await checkEngine(options, atOnce, environment.runtime.signal)()
    return E.isLeft(checked) && !checked.left.isAway
      ? E.left(usage(`engine openai: engine ${options.url}: ${checked.left.why}`))
      : E.right(createCheckedEngine(checked, options, environment))
  }

/** The engine after its first check, which may have found the endpoint away. */
export const createCheckedEngine = (
  checked: Checked,
  options: OpenaiOptions,
  environment: ConnectionEnvironment,
): AnsweringEngine => {
  const { signal, clock } = environment.runtime
  const connection = connect(options, environment)
  const contact = makeContact(checked, checkEngine(options, connection, signal))
  return {
    kind: 'answering',
    name: 'openai',
    model: {
      name: options.model,
      description: 'A language model, read by the log-probabilities of one letter.',
      release_date: new Date(clock.now()).toISOString(),
    },
    ping: (end) => pipe(pingEngine(connection, end), TE.chainW(contact)),
    answer: (request, context) =>
      pipe(
        contact(),
        TE.chain((form) => answerAll(options, connection, form, request, context)),
      ),
    close: () => Promise.resolve(),
  }
}

type Checked = E.Either<CheckFault, RequestForm>

/**
 * Creates the function that finds the form of requests. It checks the engine if no check has succeeded yet; callers
 * at the same time wait for one check.
 */
const makeContact = (first: Checked, check: TE.TaskEither<CheckFault, RequestForm>) => {
  let known = first
  let running: Promise<Checked> | undefined
  const checkAgain = async (): Promise<Checked> => {
    running ??= check()
    known = await running
    running = undefined
    return known
  }
  return () =>
    pipe(
      async () => (E.isRight(known) ? known : checkAgain()),
      TE.mapLeft(({ problem }) => problem),
    )
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
    const written = await compute(() => writePrefix(state, options, form))()
    if (E.isLeft(written)) return written
    const { body, minTokens } = written.right
    const ask = (question: string, end: AbortSignal) => async () => {
      const prompt = await compute(() => body(question))()
      if (E.isLeft(prompt)) return prompt
      const completion = await connection.complete(prompt.right, { signal: end, span })()
      if (E.isLeft(completion)) return E.left(describeMiss(completion.left))
      return checkRead(completion.right, minTokens)
    }
    const prepared = { ask, atOnce: options.concurrency, maxOptions: form.listed }
    return readAnswers(questions, options, prepared, signal)()
  }

/** Writes the beginning of the prompt once for all questions of a request. */
const writePrefix = (
  state: EngineRequest['state'],
  { model, body }: OpenaiOptions,
  form: RequestForm,
) => {
  const prefix = promptPrefix(state)
  return { body: bodyMaker(model, prefix, form, body), minTokens: countMinTokens(prefix) }
}
