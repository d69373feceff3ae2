import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import { codeOf } from '../../../runtime/node/error-reason'

/** The number of an entry (a word, part of a word, or sign) in a model's vocabulary. */
export type Token = number

/** The parts of the package node-llama-cpp that svc uses. Its own types are missing where it is not installed. */
export interface Library {
  readonly getLlama: (options: {
    /** `never`: where no prebuilt binary fits, nothing is compiled on the user's machine. */
    readonly build: 'never'
    readonly skipDownload: true
    readonly progressLogs: false
    readonly maxThreads: number
    readonly logLevel: 'error'
    readonly logger: (level: string, message: string) => void
  }) => Promise<Llama>
  readonly getModuleVersion: () => Promise<string>
  readonly resolveModelFile: (
    uri: string,
    options: {
      readonly download: 'auto' | false
      readonly cli: false
      readonly deleteTempFileOnCancel: false
      readonly signal: AbortSignal
      readonly onProgress?: (status: Progress) => void
    },
  ) => Promise<string>
}

/** The progress of a download, in bytes. */
export interface Progress {
  readonly totalSize: number
  readonly downloadedSize: number
}

/** llama.cpp, loaded into this process. */
export interface Llama {
  readonly loadModel: (options: {
    readonly modelPath: string
    readonly loadSignal: AbortSignal
  }) => Promise<Model>
  readonly dispose: () => Promise<void>
}

/** A model that llama.cpp has loaded. */
export interface Model {
  /** The longest prompt, in tokens, that the model was trained for. */
  readonly trainContextSize: number
  readonly iterateAllTokens: () => Iterable<Token>
  readonly tokenize: (
    text: string,
    hasSpecialTokens?: false,
    manner?: 'trimLeadingSpace',
  ) => ReadonlyArray<Token>
  readonly detokenize: (tokens: ReadonlyArray<Token>) => string
  readonly createContext: (options: {
    readonly contextSize: number
    readonly batchSize: number
    readonly flashAttention: false
    readonly threads: number
    readonly sequences: number
    readonly createSignal: AbortSignal
  }) => Promise<Context>
}

/** The memory in which a model keeps the texts that it is reading. */
interface Context {
  readonly contextSize: number
  readonly getSequence: () => Sequence
}

/** One text in a context, read token by token. */
export interface Sequence {
  readonly contextTokens: ReadonlyArray<Token>
  readonly nextTokenIndex: number
  readonly clearHistory: () => Promise<void>
  readonly eraseContextTokenRanges: (
    ranges: ReadonlyArray<{ readonly start: number; readonly end: number }>,
  ) => Promise<void>
  readonly controlledEvaluate: (
    input: ReadonlyArray<ControlledToken>,
  ) => Promise<ReadonlyArray<{ readonly next: Next } | undefined>>
}

/** A token to read, or one after which the next token is to be told. */
export type ControlledToken = Token | readonly [Token, { readonly generateNext: GenerateNext }]

/** What the library is to report about the next token. */
export interface GenerateNext {
  /** The logits of these and the likeliest tokens. From version 3.22 on. */
  readonly logits?: {
    readonly filter: { readonly tokens: ReadonlyArray<Token>; readonly includeTop: number }
  }
  readonly totalLogitWeight?: true
  /** The probabilities of all tokens. */
  readonly probabilities?: true
  readonly options: {
    readonly temperature: 0
    readonly topK: 0
    readonly topP: 1
    readonly minP: 0
  }
}

/** What was asked for about the next token. */
export interface Next {
  readonly logits?: ReadonlyMap<Token, number>
  /** The sum of e^(logit − highest logit) over the whole vocabulary. */
  readonly totalLogitWeight?: number
  /** The likeliest first. */
  readonly probabilities?: ReadonlyMap<Token, number>
}

/** The least minor version of node-llama-cpp 3 that svc works with, which is the newest with binaries for all platforms. */
const leastMinor = 21

/** The newest one that has a binary for this machine. It tells of chosen tokens alone, which takes less time. */
const newestMinor = process.platform === 'linux' ? 22 : leastMinor

/**
 * Loads node-llama-cpp, which is not part of svc. The package is an ES module, and esbuild turns `import` in
 * the CommonJS bundle into `require`, which cannot load it. `new Function` hides the `import` from esbuild.
 */
export const importLibrary = (): Promise<Library> => {
  // The library, also in the processes that it starts, refuses anything but a boolean here.
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
      return isFrom(leastMinor, version)
        ? E.right(library)
        : E.left(
            usage(`node-llama-cpp ${version} is too old for --engine local: ${describeInstall()}`),
          )
    } catch (error) {
      if (codeOf(error) === 'ERR_MODULE_NOT_FOUND') return E.left(refuseMissing())
      return E.left(usage(`engine local: node-llama-cpp cannot be loaded: ${firstLineOf(error)}`))
    }
  }

const isFrom = (leastMinor: number, version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 3 || (major === 3 && minor >= leastMinor)
}

/** Whether the library tells the logits of chosen tokens, and not only the probabilities of all. */
export const tellsLogits = async (library: Library): Promise<boolean> =>
  isFrom(22, await library.getModuleVersion())

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

/** The package of the library's binary for this machine; `undefined` where the library has none. */
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
