import { setMaxListeners } from 'node:events'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as O from 'fp-ts/Option'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../../failure/failure'
import { workQueue } from '../../../runtime/work-queue'
import {
  type AnsweringEngine,
  badAnswer,
  type EngineAnswer,
  type EngineFailure,
  type EngineRequest,
} from '../engine'
import { readAnswers, readable } from '../readout/answers'
import { promptPrefix } from '../readout/prompt'
import { checkTrial, trialQuestion, trialState } from '../readout/trial'
import { importLibrary, type Library, loadLibrary } from './library'
import { findModelFile, type Outside } from './model-file'
import { type OpenModel, openModel } from './open-model'
import type { LocalOptions } from './options'
import { cancelled, read } from './reader'

/**
 * The engine that runs a language model in this process and reads its answers as letters, like `openai`.
 * Requests take turns: each is answered completely before the next begins, so that the model reads its state
 * only once. The library computes on threads of its own, so the event loop stays free. D39, D40, D69
 */
export const localEngine = (
  options: LocalOptions,
  outside: Outside,
  load: () => Promise<Library> = importLibrary,
): TE.TaskEither<Failure, AnsweringEngine> => {
  const { signal, clock } = outside.runtime
  const since = new Date(clock.now()).toISOString()
  return pipe(
    TE.Do,
    TE.bind('library', () => loadLibrary(load)),
    TE.bind('path', ({ library }) => findModelFile(options, library, outside)),
    TE.chain(({ library, path }) => openModel(path, options, library, outside.runtime)),
    TE.map((open) => engineOf(open, options, since, signal)),
  )
}

const engineOf = (
  open: OpenModel,
  options: LocalOptions,
  since: string,
  ended: AbortSignal,
): AnsweringEngine => {
  const turns = workQueue(1, Number.POSITIVE_INFINITY)
  return {
    kind: 'answering',
    name: 'local',
    models: [
      {
        name: open.name,
        description: 'A language model in this process, read by the probabilities of one letter.',
        release_date: since,
      },
    ],
    supports: readable,
    probe: () => probe(open, ended),
    answer: (request, _, { signal }) =>
      inTurn(turns, signal, () => answerAll(open, options, request, signal)),
    close: () => open.close(),
  }
}

type Queue = ReturnType<typeof workQueue>

const inTurn =
  <A>(
    queue: Queue,
    signal: AbortSignal,
    work: () => Promise<E.Either<EngineFailure, A>>,
  ): TE.TaskEither<EngineFailure, A> =>
  async () =>
    pipe(
      await queue.run(signal, work),
      O.getOrElse((): E.Either<EngineFailure, A> => E.left(cancelled)),
    )

const answerAll = (
  open: OpenModel,
  options: LocalOptions,
  { state, questions }: EngineRequest,
  signal: AbortSignal,
): Promise<E.Either<EngineFailure, EngineAnswer>> => {
  const prefix = promptPrefix(state)
  const failed = new AbortController()
  const end = AbortSignal.any([signal, failed.signal])
  // There is one listener per waiting question. Node 20 warns on stderr about more than ten, taking them for a
  // leak.
  setMaxListeners(0, end)
  const line = workQueue(1, Number.POSITIVE_INFINITY)
  const counted = { input_tokens: 0, output_tokens: 0 }
  return pipe(
    readAnswers(questions, options, {
      ask: (question) =>
        pipe(
          inTurn(line, end, () => read(open, prefix + question, end)),
          TE.map(({ candidates, tokens }) => {
            counted.input_tokens += tokens
            counted.output_tokens += 1
            return candidates
          }),
        ),
      stop: () => failed.abort(),
      atOnce: 1,
    }),
    TE.map((answers) => ({ model: open.name, answers, usage: counted })),
  )()
}

/** Asks the model the trial question before the service accepts connections. D40 */
const probe = (open: OpenModel, signal: AbortSignal): TE.TaskEither<EngineFailure, void> =>
  pipe(
    () => read(open, promptPrefix(trialState) + trialQuestion, signal),
    TE.chainEitherK(({ candidates }) =>
      pipe(checkTrial(candidates, open.name, advice), E.mapLeft(badAnswer)),
    ),
  )

const advice = 'Take a model that follows instructions and does not think first'
