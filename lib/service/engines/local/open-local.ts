import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { engineFault, type Failure, usage } from '../../../failure/failure'
import type { AnsweringEngine } from '../../contract/engine'
import type { EngineEnvironment, EngineNames, OpenEngine } from '../../contract/engine-settings'
import type { ReadoutOptions } from '../readout/answers'
import { formatPrefix } from '../readout/prompt'
import { checkTrial, trialEnd, trialState } from '../readout/trial'
import { createLocalEngine } from './engine'
import { importLibrary, type Library, loadLibrary } from './library'
import { type LoadOptions, type LocalModel, type LocalRuntime, loadModel } from './load-model'
import { readPrompt } from './read-prompt'

export type LocalOptions = ReadoutOptions & LoadOptions & Pick<EngineEnvironment, 'purpose'>

/** Opens the engine that runs a language model in this process. Fails like `openLocalModel`. */
export const openLocal: OpenEngine<AnsweringEngine> =
  (settings, { runtime, names, purpose }) =>
  async () => {
    const model = checkModelName(settings.model, names)
    if (E.isLeft(model)) return model
    return openLocalModel({ ...settings, names, purpose, model: model.right }, runtime)()
  }

/**
 * Loads the library and the model, and asks the model a trial question. Fails with a usage error if the library or the file cannot
 * be used, and as `EnginePurpose` says if the model does not answer with letters.
 */
export const openLocalModel =
  (
    options: LocalOptions,
    runtime: LocalRuntime,
    importPackage: () => Promise<Library> = importLibrary,
  ): TE.TaskEither<Failure, AnsweringEngine> =>
  async () => {
    const library = await loadLibrary(importPackage, options.names)
    if (E.isLeft(library)) return library
    const localModel = await loadModel(options, library.right, runtime)
    if (E.isLeft(localModel)) return localModel
    const trial = await askTrial(localModel.right, runtime.signal)
    if (E.isRight(trial))
      return E.right(createLocalEngine(localModel.right, options, runtime.clock))
    await localModel.right.close()
    return options.purpose === 'service'
      ? E.left(usage(`engine local: ${trial.left}`))
      : E.left(engineFault('server', trial.left))
  }

/** Matches the beginning of a name such as `hf:user/repo:quant`. `:quant` is optional. */
const hubModelName = /^hf:[^/:#\s]+\/[^/:#\s]+/

const checkModelName = (
  model: string | undefined,
  { choice, nameOf }: EngineNames,
): E.Either<Failure, string> => {
  const flag = nameOf('model')
  if (!model) return E.left(usage(`${choice} needs ${flag}: a .gguf file, or hf:user/repo:quant`))
  return model.startsWith('hf:') && !hubModelName.test(model)
    ? E.left(usage(`${flag} must be a .gguf file or hf:user/repo:quant, got ${model}`))
    : E.right(model)
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
