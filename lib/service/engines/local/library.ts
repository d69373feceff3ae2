import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../../failure/failure'
import { codeOf } from '../../../runtime/node/error-reason'

/** The members of the package node-llama-cpp that svc uses. The package's own types are missing if it is not installed. */
export interface Library {
  readonly getLlama: (options: object) => Promise<Llama>
  readonly getModuleVersion: () => Promise<string>
  readonly resolveModelFile: (uri: string, options: object) => Promise<string>
  /** Finds the wrapper that renders chats as text in the form that a model was trained with. */
  readonly resolveChatWrapper: (
    model: Model,
    options: object,
  ) => {
    readonly generateContextState: (options: { readonly chatHistory: ReadonlyArray<object> }) => {
      readonly contextText: { readonly values: ReadonlyArray<ChatText> }
    }
  }
}

/** A part of a rendered chat: plain text, text of the template, or a `SpecialToken` by its name, such as `BOS`. */
export type ChatText = string | { readonly value: string }

/** llama.cpp, loaded into this process. */
interface Llama {
  readonly loadModel: (options: object) => Promise<Model>
  readonly dispose: () => Promise<void>
}

/** A model that llama.cpp has loaded. A token is the number of an entry in the model's vocabulary. */
export interface Model {
  /** The maximum length of a prompt, in tokens, that the model was trained for. */
  readonly trainContextSize: number
  readonly fileInfo: {
    readonly metadata?: { readonly tokenizer?: { readonly chat_template?: unknown } }
  }
  readonly tokens: {
    readonly bos: number | null
    readonly shouldPrependBosToken: boolean
  } & Readonly<Record<'bosString' | 'eosString' | 'eotString' | 'nlString', string | null>>
  readonly iterateAllTokens: () => Iterable<number>
  readonly isSpecialToken: (token: number) => boolean
  /** With `hasSpecialTokens` the names of control tokens in the text become those tokens. */
  readonly tokenize: (
    text: string,
    hasSpecialTokens: boolean,
    options?: 'trimLeadingSpace',
  ) => ReadonlyArray<number>
  readonly detokenize: (tokens: ReadonlyArray<number>) => string
  readonly createContext: (options: object) => Promise<{
    readonly contextSize: number
    readonly getSequence: () => Sequence
  }>
}

/** The memory in which a model keeps the tokens of the text that it is reading. */
export interface Sequence {
  readonly contextTokens: ReadonlyArray<number>
  readonly nextTokenIndex: number
  readonly clearHistory: () => Promise<void>
  readonly eraseContextTokenRanges: (
    ranges: ReadonlyArray<{ readonly start: number; readonly end: number }>,
  ) => Promise<void>
  /** The options after a token ask for the probabilities of the next one, which are sorted in descending order. */
  readonly controlledEvaluate: (
    input: ReadonlyArray<EvaluationInput>,
  ) => Promise<ReadonlyArray<EvaluationResult | undefined>>
}

export type EvaluationInput = number | readonly [number, options: object]

export interface EvaluationResult {
  readonly next: { readonly probabilities?: ReadonlyMap<number, number> }
}

const minMinorVersion = 21

/**
 * Imports node-llama-cpp, which is not part of svc. The package is an ES module, and esbuild turns `import` in the
 * CommonJS bundle into `require`, which cannot load it. `new Function` hides the `import` from esbuild.
 */
export const importLibrary = (): Promise<Library> => {
  // The library refuses any value of this variable but a boolean.
  if (process.env.CI === '') delete process.env.CI
  else process.env.CI &&= 'true'
  return new Function('name', 'return import(name)')('node-llama-cpp') as Promise<Library>
}

/** Imports the library and checks its version. Fails with a usage error that says where to find how to install it. */
export const loadLibrary = async (
  importPackage: () => Promise<Library>,
): Promise<E.Either<Failure, Library>> => {
  try {
    const library = await importPackage()
    const version = await library.getModuleVersion()
    const [major = 0, minor = 0] = version.split('.').map(Number)
    if (major === 3 && minor >= minMinorVersion) return E.right(library)
    return E.left(createLibraryFailure(`found node-llama-cpp ${version}`))
  } catch (error) {
    if (codeOf(error) === 'ERR_MODULE_NOT_FOUND')
      return E.left(createLibraryFailure('node-llama-cpp does not come with svc'))
    return E.left(usage(`engine local: node-llama-cpp cannot be loaded: ${firstLineOf(error)}`))
  }
}

/** The usage error for a missing or too old library. */
export const createLibraryFailure = (reason: string): Failure =>
  usage(
    `--engine local needs node-llama-cpp 3.${minMinorVersion} or a later 3.x: ${reason}. svc help engines shows how to install it`,
  )

/** The first line of an exception's message. */
export const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
