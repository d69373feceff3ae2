import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import type { Clock } from '../../../runtime/runtime'
import { createWorkQueue } from '../../../runtime/work-queue'
import type { AnsweringEngine } from '../../contract/engine'
import { cancelled, type ReadoutOptions, readAnswers } from '../readout/answers'
import { maxLetters } from '../readout/letters'
import { formatPrefix } from '../readout/prompt'
import { checkTrial, trialEnd, trialState } from '../readout/trial'
import { importLibrary, type Library, loadLibrary } from './library'
import { type LoadOptions, type LocalModel, type LocalRuntime, loadModel } from './load-model'
import { readPrompt } from './read-prompt'

export type LocalOptions = ReadoutOptions & LoadOptions

/**
 * Opens the engine that runs a language model in this process and reads its answers as letters, as the `openai` engine does. It
 * answers one request after the other, so the model reads each state once. The holders of API keys take turns. The library computes
 * on its own threads, so the event loop stays free. Fails with a usage error if the flags, the library or the model cannot be used.
 */
export const openLocalEngine =
  (
    options: LocalOptions,
    runtime: LocalRuntime,
    importPackage: () => Promise<Library> = importLibrary,
  ): TE.TaskEither<Failure, AnsweringEngine> =>
  async () => {
    const nameCheck = checkModelName(options.model)
    if (E.isLeft(nameCheck)) return nameCheck
    const library = await loadLibrary(importPackage)
    if (E.isLeft(library)) return library
    const localModel = await loadModel(options, library.right, runtime)
    if (E.isLeft(localModel)) return localModel
    const trial = await askTrial(localModel.right, runtime.signal)
    return E.isLeft(trial)
      ? E.left(usage(`engine local: ${trial.left}`))
      : E.right(createEngine(localModel.right, options, runtime.clock))
  }

/** Matches the beginning of a name such as `hf:user/repo:quant`. `:quant` is optional. */
const hubModelName = /^hf:[^/:#\s]+\/[^/:#\s]+/

const checkModelName = (model: string): E.Either<Failure, void> => {
  if (model === '')
    return E.left(usage('--engine local needs --engine-model: a .gguf file, or hf:user/repo:quant'))
  return model.startsWith('hf:') && !hubModelName.test(model)
    ? E.left(usage(`--engine-model must be a .gguf file or hf:user/repo:quant, got ${model}`))
    : E.right(undefined)
}

/** Asks the model the trial question. Fails with the reason if the model cannot be used. */
const askTrial = async (
  localModel: LocalModel,
  signal: AbortSignal,
): Promise<E.Either<string, void>> => {
  const completion = await readPrompt(localModel, formatPrefix(trialState) + trialEnd, signal)
  if (E.isLeft(completion)) return E.left(completion.left.message)
  const advice = 'Take a model that follows instructions and does not think first'
  return checkTrial(completion.right.candidates, localModel.name, advice)
}

const createEngine = (
  localModel: LocalModel,
  options: LocalOptions,
  clock: Clock,
): AnsweringEngine => {
  const queue = createWorkQueue(1, Number.POSITIVE_INFINITY)
  return {
    kind: 'answering',
    name: 'local',
    model: {
      name: localModel.name,
      description: 'A language model in this process, read by the probabilities of one letter.',
      // svc does not know the model's date, so this is the time of the start.
      release_date: new Date(clock.now()).toISOString(),
    },
    answer:
      ({ state, questions }, { signal, holderId }) =>
      async () => {
        const prefix = formatPrefix(state)
        const complete = (promptEnd: string, promptSignal: AbortSignal) => () =>
          readPrompt(localModel, prefix + promptEnd, promptSignal)
        const preparedModel = { complete, maxConcurrent: 1, maxOptions: maxLetters }
        const answerAll = readAnswers(questions, options, preparedModel, signal)
        // None if the request is aborted before its turn.
        const answer = await queue.run(signal, answerAll, holderId)
        return O.isSome(answer) ? answer.value : E.left(cancelled)
      },
    close: localModel.close,
  }
}
