import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import { codeOf } from '../../../runtime/node/error-reason'

/** The number of an entry (a word, part of a word, or sign) in a model's vocabulary. */
export type ModelToken = number

/** The parts of the package node-llama-cpp that svc uses. Its own types are missing if it is not installed. */
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
export interface Llama {
  readonly loadModel: (options: object) => Promise<Model>
  readonly dispose: () => Promise<void>
}

/** A model that llama.cpp has loaded. */
export interface Model {
  /** The maximum length of a prompt, in tokens, that the model was trained for. */
  readonly trainContextSize: number
  readonly fileInfo: {
    readonly metadata?: { readonly tokenizer?: { readonly chat_template?: unknown } }
  }
  readonly tokens: {
    readonly bos: ModelToken | null
    readonly shouldPrependBosToken: boolean
  } & Readonly<Record<'bosString' | 'eosString' | 'eotString' | 'nlString', string | null>>
  readonly iterateAllTokens: () => Iterable<ModelToken>
  readonly isSpecialToken: (token: ModelToken) => boolean
  /** With `hasSpecialTokens` the names of control tokens in the text become those tokens. */
  readonly tokenize: (
    text: string,
    hasSpecialTokens: boolean,
    manner?: 'trimLeadingSpace',
  ) => ReadonlyArray<ModelToken>
  readonly detokenize: (tokens: ReadonlyArray<ModelToken>) => string
  readonly createContext: (options: object) => Promise<{
    readonly contextSize: number
    readonly getSequence: () => Sequence
  }>
}

/** The memory in which a model keeps the text that it is reading, token by token. */
export interface Sequence {
  readonly contextTokens: ReadonlyArray<ModelToken>
  readonly nextTokenIndex: number
  readonly clearHistory: () => Promise<void>
  readonly eraseContextTokenRanges: (
    ranges: ReadonlyArray<{ readonly start: number; readonly end: number }>,
  ) => Promise<void>
  /** The options after a token ask for the probabilities of the next one. They come with the likeliest first. */
  readonly controlledEvaluate: (
    input: ReadonlyArray<ModelToken | readonly [ModelToken, object]>,
  ) => Promise<
    ReadonlyArray<
      { readonly next: { readonly probabilities?: ReadonlyMap<ModelToken, number> } } | undefined
    >
  >
}

/**
 * The minimum minor version of node-llama-cpp 3 that works with svc. It is the newest with binaries for macOS and
 * Windows.
 */
const minMinor = 21

/** The newest version that has a binary for this machine. */
const newestMinor = process.platform === 'linux' ? 22 : minMinor

/**
 * Loads node-llama-cpp, which is not part of svc. The package is an ES module, and esbuild turns `import` in
 * the CommonJS bundle into `require`, which cannot load it. `new Function` hides the `import` from esbuild.
 */
export const importLibrary = (): Promise<Library> => {
  // The library refuses any value of this variable but a boolean.
  if (process.env.CI === '') delete process.env.CI
  else process.env.CI &&= 'true'
  return new Function('name', 'return import(name)')('node-llama-cpp') as Promise<Library>
}

/** Loads the library. Fails with a usage error that says how to install it. */
export const loadLibrary =
  (load: () => Promise<Library>): TE.TaskEither<Failure, Library> =>
  async () => {
    try {
      const library = await load()
      const version = await library.getModuleVersion()
      const [major = 0, minor = 0] = version.split('.').map(Number)
      if (major === 3 && minor >= minMinor) return E.right(library)
      const found = `found node-llama-cpp ${version}, but --engine local needs 3.${minMinor} or a later 3.x`
      return E.left(usage(`${found}: ${describeInstall()}`))
    } catch (error) {
      if (codeOf(error) === 'ERR_MODULE_NOT_FOUND') return E.left(refuseMissing())
      return E.left(usage(`engine local: node-llama-cpp cannot be loaded: ${firstLineOf(error)}`))
    }
  }

/** The command that installs the library and its binary for this machine. */
const describeInstall = (): string => {
  const named = ['node-llama-cpp', ...binaryPackages()]
    .map((name) => `${name}@3.${newestMinor}`)
    .join(' ')
  return (
    `npm install --omit=optional ${named} in the folder where svc is installed; ` +
    'with --global npm omits nothing, and 725 MB come instead of 85'
  )
}

/** The usage error for a missing library or binary. */
export const refuseMissing = (): Failure =>
  usage(`--engine local needs a package that does not come with svc: ${describeInstall()}`)

/** The package of the library's binary for this machine. Empty if the library has none. */
export const binaryPackages = (): ReadonlyArray<string> => {
  const binary = binaries[`${process.platform}-${process.arch}`]
  return binary === undefined ? [] : [`@node-llama-cpp/${binary}`]
}

/** The last part of the names of those packages, by platform and processor. */
const binaries: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
}

/** The first line of an exception's message. */
export const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
