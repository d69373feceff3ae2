import { availableParallelism } from 'node:os'
import { basename, resolve } from 'node:path'
import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../../../failure/failure'
import type { Runtime } from '../../../runtime/runtime'
import { letterOf, mostLetters } from '../readout/letters'
import {
  firstLineOf,
  type Library,
  type Llama,
  type Model,
  refuseMissing,
  type Sequence,
  type Token,
  tellsLogits,
} from './library'
import type { LocalOptions } from './options'
import type { ChatFrame, Rehearse } from './rehearse'

/** A model that is loaded and ready to read prompts. */
export interface OpenModel {
  /** The file name without `.gguf`: the model's name in responses. */
  readonly name: string
  readonly model: Model
  readonly frame: ChatFrame
  /** The states that the model has read, the latest last. There are always `keptStates`. */
  readonly states: Array<ReadState>
  /** The most tokens of a prompt. */
  readonly room: number
  /** All tokens that stand for the letter of an option, in every spelling. */
  readonly letters: ReadonlyArray<Token>
  readonly tellsLogits: boolean
  readonly close: () => Promise<void>
}

/** The beginning of a prompt that the model has read, in memory of its own. */
export interface ReadState {
  readonly sequence: Sequence
  readonly prefix: ReadonlyArray<Token>
}

/**
 * How many states stay in memory, so that documents that are asked about in turn are not read anew. Each takes as much
 * memory as the context.
 */
const keptStates = 3

/** How many tokens are evaluated at once. Between two batches the engine notices that a caller has disconnected. */
export const batchSize = 64

/** Loads a model, after a rehearsal in a child process. Fails with a usage error where its file is broken or no model. */
export const openModel =
  (
    path: string,
    { context, threads: wanted }: LocalOptions,
    library: Library,
    runtime: Pick<Runtime, 'signal' | 'clock' | 'files'>,
    rehearse: Rehearse,
  ): TE.TaskEither<Failure, OpenModel> =>
  async () => {
    const { signal } = runtime
    const threads = wanted === 0 ? availableParallelism() : wanted
    let llama: Llama
    try {
      llama = await library.getLlama({
        ...{ build: 'never', skipDownload: true, progressLogs: false, maxThreads: threads },
        ...{ logLevel: 'error', logger: () => undefined },
      })
    } catch {
      return E.left(refuseMissing())
    }
    const refuse = async (why: string) => {
      await llama.dispose()
      return E.left(
        signal.aborted ? interrupted : usage(`--engine-model: ${path} cannot be loaded: ${why}`),
      )
    }
    const opening = { modelPath: resolve(path), contextSize: context, batchSize, threads }
    const frame = await rehearse(opening, runtime)
    if (E.isLeft(frame)) return refuse(frame.left)
    try {
      const model = await llama.loadModel({ modelPath: path, loadSignal: signal })
      const memory = await model.createContext({
        contextSize: Math.min(context, model.trainContextSize),
        ...{ batchSize, threads, flashAttention: false, sequences: keptStates },
        createSignal: signal,
      })
      return E.right({
        name: basename(path).replace(/\.gguf$/i, ''),
        model,
        frame: frame.right,
        states: Array.from({ length: keptStates }, () => ({
          sequence: memory.getSequence(),
          prefix: [],
        })),
        room: memory.contextSize - 1,
        letters: findLetters(model),
        tellsLogits: await tellsLogits(library),
        close: () => llama.dispose(),
      })
    } catch (error) {
      return refuse(firstLineOf(error))
    }
  }

const findLetters = (model: Model): ReadonlyArray<Token> =>
  [...model.iterateAllTokens()].filter((token) => {
    const letter = letterOf(model.detokenize([token]))
    return letter !== undefined && letter < mostLetters
  })
