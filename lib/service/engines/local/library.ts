import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../../failure/failure'
import { codeOf } from '../../../runtime/node/error-reason'
import type { EngineNames } from '../../contract/engine-settings'

/** The part of node-llama-cpp that svc uses. The package's own types are missing if it is not installed. */
export interface Library {
  readonly getLlama: (options: object) => Promise<Llama>
  readonly getModuleVersion: () => Promise<string>
  readonly resolveModelFile: (uri: string, options: object) => Promise<string>
  /** Finds the wrapper that renders a chat with a model's template. */
  readonly resolveChatWrapper: (
    model: Model,
    options: object,
  ) => {
    readonly generateContextState: (options: { readonly chatHistory: ReadonlyArray<object> }) => {
      readonly contextText: { readonly values: ReadonlyArray<ChatText> }
    }
  }
}

/**
 * A part of a rendered chat: plain text, text of the template, or an instance of the library's class `SpecialToken`, whose value is
 * the name of a control token, such as `BOS`.
 */
export type ChatText = string | { readonly value: string }

/** llama.cpp, loaded into this process. */
interface Llama {
  readonly loadModel: (options: object) => Promise<Model>
  readonly dispose: () => Promise<void>
}

/** A model that llama.cpp has loaded. A token is an index into the model's vocabulary. */
export interface Model {
  /** The maximum length of a prompt, in tokens, that the model was trained for. */
  readonly trainContextSize: number
  readonly fileInfo: {
    readonly metadata?: { readonly tokenizer?: { readonly chat_template?: unknown } }
  }
  /**
   * `bos` is the token for the beginning of a text. The members that end with `String` are the texts of control tokens in the
   * vocabulary. A token that the model does not have is `null`.
   */
  readonly tokens: {
    readonly bos: number | null
    readonly shouldPrependBosToken: boolean
  } & Readonly<Record<'bosString' | 'eosString' | 'eotString' | 'nlString', string | null>>
  readonly iterateAllTokens: () => Iterable<number>
  readonly isSpecialToken: (token: number) => boolean
  /** If `hasSpecialTokens`, the name of a control token in the text becomes that token. */
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

/** The tokens that a model has read, with their state in memory. */
export interface Sequence {
  readonly contextTokens: ReadonlyArray<number>
  readonly nextTokenIndex: number
  readonly clearHistory: () => Promise<void>
  readonly eraseContextTokenRanges: (
    ranges: ReadonlyArray<{ readonly start: number; readonly end: number }>,
  ) => Promise<void>
  /** The result for an input with options has the probabilities of the next token, in descending order. */
  readonly controlledEvaluate: (
    input: ReadonlyArray<EvaluationInput>,
  ) => Promise<ReadonlyArray<EvaluationResult | undefined>>
}

export type EvaluationInput = number | readonly [number, options: object]

export interface EvaluationResult {
  readonly next: { readonly probabilities?: ReadonlyMap<number, number> }
}

/** The minimum version of node-llama-cpp is 3.21. */
const minMinorVersion = 21

/**
 * Imports node-llama-cpp, which users install separately. The package is an ES module. In the CommonJS bundle, esbuild turns an
 * `import` into `require`, which cannot load ES modules. `new Function` hides the `import` from esbuild.
 */
export const importLibrary = (): Promise<Library> => {
  // node-llama-cpp throws if the variable CI is set to anything but a boolean. svc removes an empty CI, and sets any other to `true`.
  const { CI } = process.env
  if (CI === '') delete process.env.CI
  else if (CI !== undefined) process.env.CI = 'true'
  return new Function('name', 'return import(name)')('node-llama-cpp') as Promise<Library>
}

/** Imports the library and checks its version. Fails with a usage error if the package is missing, too old or cannot be loaded. */
export const loadLibrary = async (
  importPackage: () => Promise<Library>,
  { choice }: EngineNames,
): Promise<E.Either<Failure, Library>> => {
  try {
    const library = await importPackage()
    const version = await library.getModuleVersion()
    const [major = 0, minor = 0] = version.split('.').map(Number)
    if (major === 3 && minor >= minMinorVersion) return E.right(library)
    return E.left(createLibraryFailure(choice, `found node-llama-cpp ${version}`))
  } catch (error) {
    if (codeOf(error) === 'ERR_MODULE_NOT_FOUND')
      return E.left(createLibraryFailure(choice, 'node-llama-cpp does not come with svc'))
    return E.left(usage(`engine local: node-llama-cpp cannot be loaded: ${firstLineOf(error)}`))
  }
}

/**
 * Creates the usage error about a library that must be installed or replaced. It names the help topic about that. `choice` are the
 * words that chose the engine, such as `--engine local`.
 */
export const createLibraryFailure = (choice: string, reason: string): Failure =>
  usage(
    `${choice} needs node-llama-cpp 3.${minMinorVersion} or a later 3.x: ${reason}. svc help engines shows how to install it`,
  )

export const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
