import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../../failure/failure'
import { runFileOperation } from '../../../failure/named-files'
import { showTickingLine } from '../../../runtime/node/transient-line'
import type { Runtime } from '../../../runtime/runtime'
import type { EngineNames, EngineSettings } from '../../contract/engine-settings'
import { maxLetters, parseLetter } from '../readout/letters'
import {
  type ChatText,
  createLibraryFailure,
  firstLineOf,
  type Library,
  type Model,
  type Sequence,
} from './library'

export type LocalRuntime = Pick<Runtime, 'files' | 'signal' | 'stderr' | 'clock'>

export interface LoadOptions extends Pick<EngineSettings, 'context' | 'threads'> {
  /** The path of a GGUF file, or `hf:user/repo:quant`. */
  readonly model: string
  readonly names: EngineNames
}

/** A model that is loaded and ready to read prompts. */
export interface LocalModel {
  /** The file name without `.gguf`: the model's name in responses. */
  readonly name: string
  readonly model: Model
  /** The texts that the model's chat template puts before and after a user's message. */
  readonly chatAffixes: readonly [prefix: string, suffix: string]
  readonly sequence: Sequence
  readonly maxPromptTokens: number
  /** The flag or option for `maxPromptTokens`, for messages. */
  readonly contextFlag: string
  /** The tokens that spell the letter of an option, such as `A`, ` A` and `a`. */
  readonly letterTokens: ReadonlyArray<number>
  readonly close: () => Promise<void>
}

/** The number of tokens per evaluation. Between two evaluations the engine checks if the caller has disconnected. */
export const batchTokens = 64

/** llama.cpp logs from another thread. It may log the reason of a failure this much later than the failure. */
const logDelayMs = 100

/** Loads a model. Fails with a usage error if the file, llama.cpp or the chat template cannot be used. */
export const loadModel = async (
  options: LoadOptions,
  library: Library,
  runtime: LocalRuntime,
): Promise<E.Either<Failure, LocalModel>> => {
  const { signal, clock } = runtime
  const { choice, nameOf } = options.names
  const modelFile = await provideModelFile(options, library, runtime)
  if (E.isLeft(modelFile)) return modelFile
  const path = modelFile.right
  const threads = options.threads === 0 ? availableParallelism() : options.threads
  let firstLoggedError: string | undefined
  const llamaPromise = library.getLlama({
    // Only a binary from the package is used: svc neither compiles llama.cpp nor downloads it.
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: threads,
    logLevel: 'error',
    logger: (_level: string, message: string) => {
      // llama.cpp logs `llama_model_load: error loading model: <reason>`.
      firstLoggedError ??= message.replace(/^\w+: (?:error loading model: )?/, '').trim()
    },
  })
  // With these settings `getLlama` fails if no binary of the package runs on this machine.
  const llama = await llamaPromise.catch(() => undefined)
  if (llama === undefined)
    return E.left(createLibraryFailure(choice, 'it has no binary for this machine'))
  try {
    const model = await llama.loadModel({ modelPath: path, loadSignal: signal })
    const context = await model.createContext({
      contextSize: Math.min(options.context, model.trainContextSize),
      batchSize: batchTokens,
      threads,
      flashAttention: false,
      createSignal: signal,
    })
    return E.right({
      name: basename(path).replace(/\.gguf$/i, ''),
      model,
      chatAffixes: renderChatAffixes(model, library),
      sequence: context.getSequence(),
      // The answer takes one token.
      maxPromptTokens: context.contextSize - 1,
      contextFlag: nameOf('context'),
      letterTokens: findLetterTokens(model),
      close: () => llama.dispose(),
    })
  } catch (error) {
    // svc exits without `llama.dispose()`, which never resolves if the failed model has been garbage-collected.
    await clock.sleep(logDelayMs)
    const reason = firstLoggedError ?? firstLineOf(error)
    return E.left(usage(`${nameOf('model')}: ${path} cannot be loaded: ${reason}`))
  }
}

/** The beginning of each GGUF file. */
const ggufSignature = 'GGUF'

/**
 * Returns the path of the model's file. A model named `hf:…` is downloaded into the library's folder, if it is not there. An
 * interrupted download is continued. If the file in that folder is no GGUF file, it is removed and downloaded again, once. Fails with a
 * usage error if the download fails, or if there is no GGUF file that can be read.
 */
const provideModelFile = async (
  { model: modelName, names }: LoadOptions,
  library: Library,
  runtime: LocalRuntime,
): Promise<E.Either<Failure, string>> => {
  const flag = names.nameOf('model')
  if (!modelName.startsWith('hf:')) return checkModelFile(modelName, flag, runtime)
  const provide = async (): Promise<E.Either<Failure, ModelFile>> => {
    const located = await downloadModel(modelName, flag, library, runtime)
    return E.isLeft(located) ? located : inspectModelFile(located.right, flag, runtime)
  }
  const first = await provide()
  if (E.isLeft(first) || first.right.isGguf) return refuseOtherFile(first, flag)
  const removed = await runFileOperation(`remove ${first.right.path}`, () => rm(first.right.path))()
  return E.isLeft(removed) ? removed : refuseOtherFile(await provide(), flag)
}

/** A model's file, and whether it begins like a GGUF file. */
interface ModelFile {
  readonly path: string
  readonly isGguf: boolean
}

/** Returns the path if there is a GGUF file that can be read. */
const checkModelFile = async (
  path: string,
  flag: string,
  runtime: LocalRuntime,
): Promise<E.Either<Failure, string>> =>
  refuseOtherFile(await inspectModelFile(path, flag, runtime), flag)

const refuseOtherFile = (
  file: E.Either<Failure, ModelFile>,
  flag: string,
): E.Either<Failure, string> => {
  if (E.isLeft(file)) return file
  const { path, isGguf } = file.right
  if (isGguf) return E.right(path)
  return E.left(
    usage(`${flag}: ${path} is not a GGUF file: download the model's .gguf file itself`),
  )
}

const inspectModelFile = async (
  path: string,
  flag: string,
  runtime: LocalRuntime,
): Promise<E.Either<Failure, ModelFile>> => {
  const size = await runtime.files.size(path).catch(() => undefined)
  if (size === undefined) return E.left(usage(`${flag}: there is no file ${path}`))
  const beginning = await runFileOperation(`read model ${path}`, () =>
    runtime.files.read(path, ggufSignature.length),
  )()
  if (E.isLeft(beginning)) return beginning
  const isGguf = Buffer.from(beginning.right).toString('latin1').startsWith(ggufSignature)
  return E.right({ path, isGguf })
}

/** Downloads a model from the Hugging Face Hub, if it is not in the library's folder. Returns its path. Messages name `flag`. */
const downloadModel = async (
  modelName: string,
  flag: string,
  library: Library,
  { files, signal, stderr, clock }: LocalRuntime,
): Promise<E.Either<Failure, string>> => {
  /** The file size that the hub announces; `undefined` until something is downloaded. */
  let announcedBytes: number | undefined
  let progress = `looking for ${modelName}`
  const onProgress = (bytes: Record<'totalSize' | 'downloadedSize', number>): void => {
    announcedBytes = bytes.totalSize
    const percent = Math.floor((100 * bytes.downloadedSize) / bytes.totalSize)
    progress = `fetched ${percent} % of ${Math.round(bytes.totalSize / 1e6)} MB of ${modelName}`
  }
  const line = stderr.isTTY ? showTickingLine(stderr, clock, () => `svc: ${progress}`) : undefined
  const settings = { cli: false, deleteTempFileOnCancel: false, signal, onProgress }
  const resolvePath = (download: 'auto' | false): Promise<string> =>
    library.resolveModelFile(modelName, { ...settings, download })
  const refuse = (reason: string) =>
    E.left(usage(`${flag} ${modelName} cannot be fetched: ${reason}`))
  try {
    // The first attempt finds a model in the folder without a request to the hub.
    const path = await resolvePath(false).catch(() => resolvePath('auto'))
    // A model in several files, such as `m-00001-of-00003.gguf`, is not checked: the hub announces their total size.
    if (announcedBytes === undefined || /-of-\d{5}\.gguf$/.test(path)) return E.right(path)
    const size = await files.size(path)
    // An interrupted download is not complete. That is no fault of the file: svc reports the interruption later.
    return size === announcedBytes || signal.aborted
      ? E.right(path)
      : refuse(`${basename(path)} has ${size} bytes of ${announcedBytes}: delete it and try again`)
  } catch (error) {
    return refuse(firstLineOf(error))
  } finally {
    await line?.stop()
  }
}

/** The settings of the chat wrapper for a model with a chat template. A template that fails is not replaced by another one. */
const templateSettings = {
  warningLogs: false,
  type: 'jinjaTemplate',
  fallbackToOtherWrappersOnJinjaError: false,
  customWrapperSettings: {
    jinjaTemplate: {
      functionCallMessageTemplate: 'noJinja',
      // node-llama-cpp sets the template's variable `enable_thinking` to this value.
      reasoning: false,
      // node-llama-cpp itself sets this variable only if the template fails without it.
      additionalRenderParameters: { add_generation_prompt: true },
    },
  },
}

/**
 * Renders the model's chat template, with thinking off, for a conversation of one message. The template itself begins the answer, with
 * `add_generation_prompt`: a rendered answer without text would have a space too many in Llama 2, and lack the empty thought of Qwen 3 and
 * Gemma 4. Throws if the template fails, or does not contain the message exactly once.
 */
const renderChatAffixes = (model: Model, library: Library): LocalModel['chatAffixes'] => {
  const hasTemplate = typeof model.fileInfo.metadata?.tokenizer?.chat_template === 'string'
  // Without a template, the library chooses a wrapper by the model's name and vocabulary.
  const settings = hasTemplate ? templateSettings : { warningLogs: false }
  const wrapper = library.resolveChatWrapper(model, settings)
  const placeholder = 'svc-message-of-the-user'
  const message = { type: 'user', text: placeholder }
  // The library's own wrappers begin the answer of an empty turn of the model.
  const chatHistory = hasTemplate ? [message] : [message, { type: 'model', response: [''] }]
  const { values } = wrapper.generateContextState({ chatHistory }).contextText
  const text = values.map((part) => formatPart(part, model)).join('')
  const [prefix, suffix, ...furtherTexts] = text.split(placeholder)
  if (prefix === undefined || suffix === undefined || furtherTexts.length > 0)
    throw new Error('its chat template does not contain the message of the user once')
  return [prefix, suffix]
}

/** Formats a part of a rendered chat. A control token becomes its text in the model's vocabulary, or `''` if the model has no such token. */
const formatPart = (part: ChatText, model: Model): string => {
  if (typeof part === 'string') return part
  if (part.constructor.name !== 'SpecialToken') return part.value
  const { bosString, eosString, eotString, nlString } = model.tokens
  switch (part.value) {
    case 'BOS':
      return bosString ?? ''
    case 'EOS':
      return eosString ?? ''
    case 'EOT':
      return eotString ?? ''
    case 'NL':
      return nlString ?? ''
    default:
      return ''
  }
}

const findLetterTokens = (model: Model): ReadonlyArray<number> =>
  [...model.iterateAllTokens()].filter((token) => {
    const letterIndex = parseLetter(model.detokenize([token]))
    return letterIndex !== undefined && letterIndex < maxLetters
  })
