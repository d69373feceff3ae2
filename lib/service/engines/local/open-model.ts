import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../../../failure/failure'
import type { Runtime } from '../../../runtime/runtime'
import { letterOf, maxLetters } from '../readout/letters'
import {
  type ChatText,
  firstLineOf,
  type Library,
  type Llama,
  type Model,
  type ModelToken,
  refuseMissing,
  type Sequence,
} from './library'
import type { LocalOptions } from './options'

/** A model that is loaded and ready to read prompts. */
export interface OpenModel {
  /** The file name without `.gguf`: the model's name in responses. */
  readonly name: string
  readonly model: Model
  /** The texts that the chat template puts before and after a user's message. */
  readonly frame: readonly [before: string, after: string]
  readonly sequence: Sequence
  /** The maximum length of a prompt. */
  readonly maxPromptTokens: number
  /** All tokens that mean the letter of an option, in every spelling. */
  readonly letters: ReadonlyArray<ModelToken>
  readonly close: () => Promise<void>
}

/**
 * The number of tokens that are evaluated at once. Between two batches the engine notices that a caller has
 * disconnected.
 */
export const batchSize = 64

/** Loads a model and renders its chat template. Fails with a usage error if llama.cpp or the template refuses. */
export const openModel =
  (
    path: string,
    options: LocalOptions,
    library: Library,
    { signal, clock }: Pick<Runtime, 'signal' | 'clock'>,
  ): TE.TaskEither<Failure, OpenModel> =>
  async () => {
    const threads = options.threads === 0 ? availableParallelism() : options.threads
    let logged: string | undefined
    let llama: Llama
    try {
      llama = await library.getLlama({
        build: 'never',
        skipDownload: true,
        progressLogs: false,
        maxThreads: threads,
        logLevel: 'error',
        logger: (_: string, message: string) => {
          logged ??= message.replace(/^\w+: (?:error loading model: )?/, '').trim()
        },
      })
    } catch {
      return E.left(signal.aborted ? interrupted : refuseMissing())
    }
    try {
      const model = await llama.loadModel({ modelPath: path, loadSignal: signal })
      const context = await model.createContext({
        contextSize: Math.min(options.context, model.trainContextSize),
        batchSize,
        threads,
        flashAttention: false,
        createSignal: signal,
      })
      return E.right({
        name: basename(path).replace(/\.gguf$/i, ''),
        model,
        frame: renderFrame(model, library),
        sequence: context.getSequence(),
        maxPromptTokens: context.contextSize - 1,
        letters: findLetters(model),
        close: () => llama.dispose(),
      })
    } catch (error) {
      // llama.cpp logs from another thread, a little later.
      await new Promise<void>((done) => void clock.timer(100, done))
      await llama.dispose()
      const why = logged ?? firstLineOf(error)
      return E.left(
        signal.aborted ? interrupted : usage(`--engine-model: ${path} cannot be loaded: ${why}`),
      )
    }
  }

/** Replaces the user's message while the template is rendered. */
const placeholder = 'svc-message-of-the-user'

/** Renders the model's chat template, with thinking off. Throws if the template fails or leaves the message out. */
const renderFrame = (model: Model, library: Library): readonly [string, string] => {
  const hasTemplate = typeof model.fileInfo.metadata?.tokenizer?.chat_template === 'string'
  const wrapper = library.resolveChatWrapper(model, {
    warningLogs: false,
    ...(hasTemplate && {
      type: 'jinjaTemplate',
      fallbackToOtherWrappersOnJinjaError: false,
      customWrapperSettings: {
        // The library sets the template's variable `enable_thinking` from `reasoning`.
        jinjaTemplate: { functionCallMessageTemplate: 'noJinja', reasoning: false },
      },
    }),
  })
  const chatHistory = [
    { type: 'user', text: placeholder },
    { type: 'model', response: [''] },
  ]
  const { values } = wrapper.generateContextState({ chatHistory }).contextText
  const text = values.map((part) => textOf(part, model)).join('')
  const [before, after, ...more] = text.split(placeholder)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error('its chat template does not contain the message of the user once')
  return [before, after]
}

/** Writes a part of a rendered chat as text. Control tokens become their names. */
const textOf = (part: ChatText, { tokens }: Model): string => {
  if (typeof part === 'string') return part
  if (part.constructor.name !== 'SpecialToken') return part.value
  const { bosString: BOS, eosString: EOS, eotString: EOT, nlString: NL } = tokens
  return new Map(Object.entries({ BOS, EOS, EOT, NL })).get(part.value) ?? ''
}

const findLetters = (model: Model): ReadonlyArray<ModelToken> =>
  [...model.iterateAllTokens()].filter((token) => {
    const letter = letterOf(model.detokenize([token]))
    return letter !== undefined && letter < maxLetters
  })
