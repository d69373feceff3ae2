import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as O from 'fp-ts/Option'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../../failure/failure'
import { createWorkQueue } from '../../../runtime/work-queue'
import type { AnsweringEngine, EngineAnswer, EngineRequest } from '../../contract/engine'
import { engineFailed, type Problem } from '../../contract/problem'
import { cancelled, readAnswers } from '../readout/answers'
import { maxLetters } from '../readout/letters'
import { promptPrefix } from '../readout/prompt'
import { checkTrial, trialQuestion, trialState } from '../readout/trial'
import { importLibrary, type Library, loadLibrary } from './library'
import { findModelFile, type LocalWorld } from './model-file'
import { type OpenModel, openModel } from './open-model'
import type { LocalOptions } from './options'
import { readPrompt } from './reader'

/**
 * The engine that runs a language model in this process and reads its answers as letters, like `openai`. Callers take
 * turns: each request is answered completely before the next begins, so the model reads its state only once. The
 * library computes on its own threads, which keeps the event loop free.
 */
export const localEngine = (
  options: LocalOptions,
  world: LocalWorld,
  load: () => Promise<Library> = importLibrary,
): TE.TaskEither<Failure, AnsweringEngine> => {
  const { signal, clock } = world.runtime
  const since = new Date(clock.now()).toISOString()
  return pipe(
    TE.Do,
    TE.bind('library', () => loadLibrary(load)),
    TE.bind('path', ({ library }) => findModelFile(options.model, library, world)),
    TE.chain(({ library, path }) => openModel(path, options, library, world.runtime)),
    TE.map((open) => engineOf(open, options, since, signal)),
  )
}

const engineOf = (
  open: OpenModel,
  options: LocalOptions,
  since: string,
  ended: AbortSignal,
): AnsweringEngine => {
  const turns = createWorkQueue(1, Number.POSITIVE_INFINITY)
  return {
    kind: 'answering',
    name: 'local',
    model: {
      name: open.name,
      description: 'A language model in this process, read by the probabilities of one letter.',
      release_date: since,
    },
    probe: () => probe(open, ended),
    answer:
      (request, { signal, holder }) =>
      async () =>
        pipe(
          await turns.run(signal, answerAll(open, options, request, signal), holder),
          O.getOrElse(() => E.left(cancelled)),
        ),
    close: () => open.close(),
  }
}

const answerAll = (
  open: OpenModel,
  options: LocalOptions,
  { state, questions }: EngineRequest,
  signal: AbortSignal,
): TE.TaskEither<Problem, EngineAnswer> => {
  const prefix = promptPrefix(state)
  const ask = (question: string, end: AbortSignal) => () => readPrompt(open, prefix + question, end)
  return readAnswers(questions, options, { ask, atOnce: 1, maxOptions: maxLetters }, signal)
}

/** Asks the model the trial question before the service accepts connections. */
const probe = (open: OpenModel, signal: AbortSignal): TE.TaskEither<Problem, void> =>
  pipe(
    () => readPrompt(open, promptPrefix(trialState) + trialQuestion, signal),
    TE.map(({ candidates }) => checkTrial(candidates, open.name, advice)),
    TE.chainEitherK(E.mapLeft(engineFailed)),
  )

const advice = 'Take a model that follows instructions and does not think first'
