/**
 * The program's only access to the outside world. Everything it reads or changes passes through here, so that
 * tests can substitute a clock, a network or a terminal of their own.
 */
export interface Runtime {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The version of Node, such as `v20.20.2`. */
  readonly nodeVersion: string
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly clock: Clock
  /** Returns a random number in [0, 1). */
  readonly random: () => number
  /** Aborted by SIGINT or SIGTERM; the reason is the name of the one that came. */
  readonly signal: AbortSignal
  /** Calls `run` on every SIGHUP, which then no longer ends the process. Absent where there are no signals. */
  readonly onHangup?: (run: () => void) => void
  /** Resolves with an exception that nobody caught. Absent where those cannot be observed. */
  readonly uncaughtError?: Promise<unknown>
  readonly files: Files
  /** The HTTP client, loaded on first use. Never follows redirects. */
  readonly fetch: Fetch
}

/** Standard input. */
interface Input {
  readonly isTTY: boolean
  /**
   * Reads to the end, but at most `limit + 1` bytes. Rejects with an error of Node, or with an `AbortError`
   * when `signal` fires.
   */
  readonly read: (limit: number, signal: AbortSignal) => Promise<Uint8Array>
  /**
   * Reads in chunks as they arrive, each with its own memory. Ends early when `signal` fires; rejects with an
   * error of Node.
   */
  readonly chunks: (signal: AbortSignal) => AsyncIterable<Uint8Array>
}

/** Standard output or standard error. */
export interface Output {
  readonly isTTY: boolean
  /** The width of a terminal in columns; `undefined` for anything else. */
  readonly columns?: number
  /** Resolves when the bytes have left the process, or the reader has gone away. Rejects on any other error. */
  readonly write: (data: string | Uint8Array) => Promise<void>
  /** Whether the reader has gone away. */
  readonly isClosed?: boolean
}

/** Time. All values are in milliseconds. */
export interface Clock {
  /** The time since the epoch. */
  readonly now: () => number
  /** Monotonic time since an arbitrary moment, with fractions. */
  readonly monotonic: () => number
  /** Resolves after `ms`, or at once when `signal` fires. Never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Calls `run` after `ms`; returns a function that cancels it. */
  readonly timer: (ms: number, run: () => void) => () => void
}

/**
 * Access to files. Paths are as the user wrote them, relative to the working folder. Every function rejects
 * with an error of Node that has a `code`.
 */
export interface Files {
  /** Reads a file to its end, but at most `limit + 1` bytes. */
  readonly read: (path: string, limit?: number) => Promise<Uint8Array>
  /** Reads a regular file. Pipes, devices and folders are refused. */
  readonly readRegular: ReadRegular
  /** The size of a regular file in bytes, `undefined` for anything else. */
  readonly size: (path: string) => Promise<number | undefined>
  /** Reads a file in chunks, as `Input.chunks` does. */
  readonly chunks: (path: string, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** Reads `length` bytes of a file from `start` on; fewer where it ends before. */
  readonly readPart: (path: string, start: number, length: number) => Promise<Uint8Array>
  /** The paths of all files below a folder, relative to it, sorted, with `/` on every platform. */
  readonly list: (folder: string) => Promise<ReadonlyArray<string>>
  /** Creates a folder and its parents, unless they exist. */
  readonly makeFolder: (path: string) => Promise<void>
  /** Writes a new file with this mode. Rejects with `EEXIST` where the file exists. */
  readonly create: (path: string, data: string | Uint8Array, mode: number) => Promise<void>
  /** Replaces a file: writes a temporary file in the same folder and renames it. */
  readonly replace: (path: string, data: string | Uint8Array) => Promise<void>
  readonly append: (path: string, data: string) => Promise<void>
  /** Rejects where no file could be created or replaced at `path`, and no pipe or device written to. Leaves no trace. */
  readonly checkWritable: (path: string) => Promise<void>
  /**
   * Whether users other than its owner (and root) can read a file. Always false on Windows, where the mode does
   * not say.
   */
  readonly isReadableByOthers: (path: string) => Promise<boolean>
  /** Whether users other than its owner (and root) can write a file. Always false on Windows. */
  readonly isWritableByOthers: (path: string) => Promise<boolean>
  /** Returns the real path of a file, which may not exist yet. Links to one file have the same real path. */
  readonly realPath: (path: string) => Promise<string>
  /**
   * Saves data that could not be written where it belongs: as a new file in the system's temporary folder that
   * only the user can read. Resolves with its path.
   */
  readonly saveTemporary: (name: string, data: string | Uint8Array) => Promise<string>
  /**
   * Opens a file for appending, creating it if necessary, and locks it for this process. Rejects if another process
   * has locked it; the message names the lock file.
   */
  readonly openOutput: (path: string) => Promise<OutputFile>
  /** Starts a new file that takes the place of the one at `path`, if there is one, only when it is committed. */
  readonly openReplacement: (path: string) => Promise<Replacement>
}

/**
 * Reads a regular file to its end, but at most `limit + 1` bytes. Rejects with `ENOTREGULAR` for anything else,
 * with `ELEAVESFOLDER` where the path lies in the folder `within` but a link leads out of it, and with an
 * `AbortError` once `signal` fires.
 */
export type ReadRegular = (
  path: string,
  options: {
    readonly limit: number
    readonly signal: AbortSignal
    readonly within?: string | undefined
  },
) => Promise<RegularFile>

/** The bytes read from a file, and the whole file's size in bytes. */
interface RegularFile {
  readonly bytes: Uint8Array
  readonly size: number
}

/** An open, locked file to which lines are appended. */
export interface OutputFile {
  /** The file's size in bytes when it was opened; 0 for anything but a regular file. */
  readonly size: number
  /** Appends lines. Resolves when the system has taken them; where that fails, no partial line is left. */
  readonly append: (lines: Uint8Array) => Promise<void>
  readonly truncate: (size: number) => Promise<void>
  /** Starts a new file with the same permissions, to replace this one. */
  readonly replacement: () => Promise<Replacement>
  readonly close: () => Promise<void>
}

/** A new file that is to replace another. Either `commit` or `discard` ends it. */
export interface Replacement {
  readonly append: (lines: Uint8Array) => Promise<void>
  /** Replaces and closes the other file. Resolves with this file, which is still open and holds the lock. */
  readonly commit: () => Promise<OutputFile>
  /** Deletes this file. The other stays as it is. */
  readonly discard: () => Promise<void>
}

/** Makes one HTTP exchange: the part of the Fetch API that the client needs. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** Ends an exchange at any point. */
export interface Cancellation {
  /** Fires at the end. It is made when it is asked for, since making and using one takes a fifth as long as an exchange. */
  readonly signal: AbortSignal
  /** Calls `run` at the end, or at once where that has passed. */
  readonly onCancel: (run: () => void) => void
}

/** A request. */
export interface FetchInit {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** The body: a text, or bytes of UTF-8 in one piece or in several. Several requests may share pieces. */
  readonly body?: string | Uint8Array | ReadonlyArray<Uint8Array>
  readonly cancellation: Cancellation
  /** Reuses a connection of an earlier exchange, and leaves it open afterwards. */
  readonly keepAlive?: boolean
}

/** A response whose body has not been read yet. */
export interface FetchResponse {
  readonly status: number
  /** Returns a header by its name, in any case; `null` when it is absent. */
  readonly header: (name: string) => string | null
  /** The body in chunks, still with its content encodings. Rejects when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>
  /** Whether only the closing of the connection marks the end of the body, so that a cut goes unnoticed. */
  readonly endsWithConnection?: boolean
}

/** The exit code after SIGINT or SIGTERM: 128 and the number of SIGINT. */
export const interruptedExitCode = 130
