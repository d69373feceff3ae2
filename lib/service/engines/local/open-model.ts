import { basename } from 'node:path'
import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import type { Runtime } from '../../../runtime/runtime'
import { letterOf, mostLetters } from '../readout/letters'
import {
  type ChatWrapper,
  type Library,
  type Llama,
  type Model,
  missing,
  reason,
  type Sequence,
  type Token,
} from './library'
import type { LocalOptions } from './options'

/** A model that is loaded and ready to read prompts. */
export interface OpenModel {
  /** The file name without `.gguf`: the model's name in responses. */
  readonly name: string
  readonly model: Model
  readonly wrapper: ChatWrapper
  readonly sequence: Sequence
  /** The most tokens of a prompt. */
  readonly room: number
  /** All tokens that stand for the letter of an option, in every spelling. */
  readonly letters: ReadonlyArray<Token>
  readonly close: () => Promise<void>
}

/**
 * How many tokens are evaluated at once. Between two batches the engine notices that a caller has disconnected.
 * Every batch begins at a multiple of this number, so the same prompt is always computed in the same batches
 * and gives bit-identical results, whatever was asked before.
 */
export const batchSize = 32

/** Loads a model from its file. Fails with a usage error where the file is broken or not a model. */
export const openModel =
  (
    path: string,
    { context: contextSize, threads }: LocalOptions,
    library: Library,
    { signal, clock }: Pick<Runtime, 'signal' | 'clock'>,
  ): TE.TaskEither<Failure, OpenModel> =>
  async () => {
    let logged: string | undefined
    const logger = (_: string, message: string): void => {
      logged ??= message.replace(/^\w+: (?:error loading model: )?/, '').trim()
    }
    let llama: Llama
    try {
      llama = await library.getLlama({
        build: 'never',
        skipDownload: true,
        progressLogs: false,
        logLevel: 'error',
        logger,
      })
    } catch {
      return E.left(missing())
    }
    try {
      const model = await llama.loadModel({ modelPath: path, loadSignal: signal })
      const context = await model.createContext({
        contextSize: Math.min(contextSize, model.trainContextSize),
        batchSize,
        flashAttention: false,
        createSignal: signal,
        ...(threads === 0 ? {} : { threads }),
      })
      return E.right({
        name: basename(path).replace(/\.gguf$/i, ''),
        model,
        wrapper: library.resolveChatWrapper(model),
        sequence: context.getSequence(),
        room: context.contextSize - 1,
        letters: lettersOf(model),
        close: () => llama.dispose(),
      })
    } catch (error) {
      // llama.cpp logs from another thread, a little later. Once the library is closed, its messages would go
      // to stderr.
      await clock.sleep(100, signal)
      await llama.dispose()
      return E.left(usage(`--engine-model: ${path} cannot be loaded: ${logged ?? reason(error)}`))
    }
  }

const lettersOf = (model: Model): ReadonlyArray<Token> =>
  [...model.iterateAllTokens()].filter((token) => {
    const letter = letterOf(model.detokenize([token]))
    return letter !== undefined && letter < mostLetters
  })
