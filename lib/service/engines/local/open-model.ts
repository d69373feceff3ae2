import { basename } from 'node:path'
import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../../../failure/failure'
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

/** A model that is ready to be asked. */
export interface OpenModel {
  /** The file's name without its ending: the model's name in answers. */
  readonly name: string
  readonly model: Model
  readonly wrapper: ChatWrapper
  readonly sequence: Sequence
  /** The most tokens that a prompt may have. */
  readonly room: number
  /** The tokens that stand for the letter of an option, in every spelling. */
  readonly letters: ReadonlyArray<Token>
  readonly close: () => Promise<void>
}

/**
 * How many tokens are evaluated at once. Between two such batches a caller who has gone away is noticed. A batch always
 * begins at a multiple of this number, so that the same prompt is computed in the same batches, and to the same bits,
 * whatever was asked before.
 */
export const batchSize = 32

/** Loads a model from its file. A file that is broken or not a model fails. */
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
        ...{ build: 'never', skipDownload: true, progressLogs: false, logLevel: 'error', logger },
      })
    } catch {
      return E.left(missing())
    }
    try {
      const model = await llama.loadModel({ modelPath: path, loadSignal: signal })
      const context = await model.createContext({
        contextSize: Math.min(contextSize, model.trainContextSize),
        ...{ batchSize, flashAttention: false, createSignal: signal },
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
      // What llama.cpp logs comes a little later, from another thread, and goes to stderr once the library is closed.
      await clock.sleep(100, signal)
      await llama.dispose()
      return E.left(
        signal.aborted
          ? interrupted
          : usage(`--engine-model: ${path} cannot be loaded: ${logged ?? reason(error)}`),
      )
    }
  }

const lettersOf = (model: Model): ReadonlyArray<Token> =>
  [...model.iterateAllTokens()].filter((token) => {
    const letter = letterOf(model.detokenize([token]))
    return letter !== undefined && letter < mostLetters
  })
