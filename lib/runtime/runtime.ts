/**
 * Everything that the program reads or changes outside itself. Code gets a `Runtime` as an argument and never uses
 * `process` or `fs` itself, so that tests can pass a fake clock, network or terminal.
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
  /** Fires on SIGINT or SIGTERM, with the name of that signal as its reason. */
  readonly signal: AbortSignal
  /** Calls `run` on every SIGHUP, which then no longer ends the process. Absent if the caller of svc handles signals itself. */
  readonly onHangup?: (run: () => void) => void
  /** Returns `true` if stdout or stderr is a regular file. Absent if the caller of svc handles signals itself. */
  readonly isOutputKept?: () => boolean
  /** Resolves to the first uncaught exception or unhandled rejection. Absent if the caller of svc handles these itself. */
  readonly uncaughtError?: Promise<unknown>
  /**
   * Opens an address in the browser of the person at this machine. Resolves to `false` if there is no desktop, or if no browser starts.
   * Absent if the caller of svc has no browser.
   */
  readonly openBrowser?: (address: string) => Promise<boolean>
  /**
   * Shows a text in the user's pager: the command in `PAGER`, or `less`. Resolves to `false` if there is no pager, and after the user has
   * closed it otherwise. Absent if the caller of svc has no terminal.
   */
  readonly showInPager?: (text: string, env: Runtime['env']) => Promise<boolean>
  readonly files: Files
  /** The HTTP client, loaded on first use. It never follows redirects. */
  readonly fetch: Fetch
}

/** Standard input. */
interface Input {
  readonly isTTY: boolean
  /**
   * Reads to the end, but at most `maxBytes + 1` bytes: the extra byte shows that the input is too long. Rejects with Node's
   * error if reading fails, and with an `AbortError` when `signal` fires.
   */
  readonly read: (maxBytes: number, signal: AbortSignal) => Promise<Uint8Array>
  /**
   * Reads in chunks as they arrive. Chunks share no memory. Ends early, without an error, when `signal` fires. Rejects
   * with Node's error if reading fails.
   */
  readonly chunks: (signal: AbortSignal) => AsyncIterable<Uint8Array>
}

/** Standard output or standard error. */
export interface Output {
  readonly isTTY: boolean
  /** The width of a terminal in columns. `undefined` if the output is no terminal. */
  readonly columns?: number
  /** Resolves when the data is written, or when the reader has closed its end. Rejects on any other error. */
  readonly write: (data: string | Uint8Array) => Promise<void>
  /** `true` if the reader has closed its end. */
  readonly isClosed?: boolean
}

/** Time. All values are in milliseconds. */
export interface Clock {
  /** The time since the Unix epoch. */
  readonly now: () => number
  /** Monotonic time since an arbitrary moment, with fractions. */
  readonly monotonic: () => number
  /** Resolves after `ms`, or as soon as `signal` fires. Never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Calls `run` after `ms`. Returns a function that cancels the call. */
  readonly timer: (ms: number, run: () => void) => () => void
}

/**
 * Access to files. Relative paths are relative to the working folder. On failure, functions reject with an error that has a
 * `code`, such as Node's `ENOENT`.
 */
export interface Files {
  /** Reads a file to its end. With `maxBytes` it reads at most `maxBytes + 1` bytes. */
  readonly read: (path: string, maxBytes?: number) => Promise<Uint8Array>
  /** Reads a regular file. Refuses pipes, devices and folders. */
  readonly readRegular: ReadRegular
  /** Resolves to the size of a regular file in bytes, or to `undefined` for a pipe, a device or a folder. */
  readonly size: (path: string) => Promise<number | undefined>
  /** Reads a file in chunks that share no memory. Ends early, without an error, when `signal` fires. */
  readonly chunks: (path: string, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** Reads `length` bytes of a file from offset `start`. Resolves to fewer bytes if the file ends before. */
  readonly readPart: (path: string, start: number, length: number) => Promise<Uint8Array>
  /** Lists all files below a folder, also in sub-folders: their paths relative to it, with `/`, sorted. */
  readonly list: (folder: string) => Promise<ReadonlyArray<string>>
  /** Creates a folder and its parents, unless they exist. */
  readonly makeFolder: (path: string) => Promise<void>
  /** Writes a new file with this mode. Rejects with `EEXIST` if the file exists. */
  readonly create: (path: string, data: string | Uint8Array, mode: number) => Promise<void>
  /**
   * Replaces a file in one step: writes a temporary file in the same folder, then renames it. Writes to a pipe or a device
   * directly. Rejects if a process has locked the file.
   */
  readonly replace: (path: string, data: string | Uint8Array) => Promise<void>
  readonly append: (path: string, data: string) => Promise<void>
  /** Rejects if a later `replace` would fail, such as in a folder that is missing. Changes nothing. */
  readonly checkWritable: (path: string) => Promise<void>
  /**
   * Resolves to `true` if the file's mode lets users other than its owner read the file. Always `false` on Windows, where
   * the mode does not show that.
   */
  readonly isReadableByOthers: (path: string) => Promise<boolean>
  /** Resolves to `true` if the file's mode lets users other than its owner write the file. Always `false` on Windows. */
  readonly isWritableByOthers: (path: string) => Promise<boolean>
  /** Resolves to the real path of a file, which may not exist yet. Links to one file have the same real path. */
  readonly realPath: (path: string) => Promise<string>
  /**
   * Saves data in a new file in the system's temporary folder, for example because the intended file cannot be written. Only
   * the user can read the new file. Resolves to its path.
   */
  readonly saveTemporary: (name: string, data: string | Uint8Array) => Promise<string>
  /**
   * Locks a file for this process, also one that does not exist yet. Rejects if this or another process holds the lock. The message then
   * names the lock file.
   */
  readonly lock: (path: string) => Promise<LockedFile>
  /** Opens a file for appending, creates it with this mode if necessary, and locks it as `lock` does. Default mode: 0644. */
  readonly openOutput: (path: string, newMode?: number) => Promise<OutputFile>
  /** Starts a new file, and locks `path` as `lock` does. When the new file is committed, it gets the path `path`. */
  readonly openReplacement: (path: string) => Promise<Replacement>
}

/**
 * Reads a regular file to its end, but at most `maxBytes + 1` bytes: the extra byte shows that the file is too long. Rejects with:
 *
 * - `EISDIR` if the path names a folder
 * - `ENOTREGULAR` if the path names a pipe or a device
 * - `ELEAVESFOLDER` if the path lies in the folder `within`, but a link leads out of that folder
 * - an `AbortError` once `signal` fires
 */
export type ReadRegular = (
  path: string,
  options: {
    readonly maxBytes: number
    readonly signal: AbortSignal
    readonly within?: string | undefined
  },
) => Promise<RegularFile>

/** The bytes read from a file, and the size of the whole file in bytes. */
interface RegularFile {
  readonly bytes: Uint8Array
  readonly size: number
}

/** A file that no other svc can write until it is released. */
export interface LockedFile {
  /** Replaces the file in one step, as `Files.replace` does. Rejects if another process has taken over the lock. */
  readonly replace: (data: string | Uint8Array) => Promise<void>
  readonly release: () => Promise<void>
}

/** An open, locked file to which lines are appended. */
export interface OutputFile {
  /** The size of the file in bytes when it was opened; 0 for a pipe or a device. */
  readonly size: number
  /** The files beside this one that hold the records of replacements which were neither committed nor discarded. */
  readonly leftovers: ReadonlyArray<Leftover>
  /**
   * Appends lines. Resolves when they are written. If writing fails, svc removes the part that was written. Rejects if another process
   * has taken over the lock.
   */
  readonly append: (lines: Uint8Array) => Promise<void>
  /** Removes all bytes after the first `size`. */
  readonly truncate: (size: number) => Promise<void>
  /** Starts a new file with the same permissions, to replace this one. */
  readonly startReplacement: () => Promise<Replacement>
  /** Closes and unlocks the file. May be called again. */
  readonly close: () => Promise<void>
}

/** A file that an earlier run left beside its output. */
export interface Leftover {
  readonly path: string
  readonly remove: () => Promise<void>
}

/** A new file that will replace another. Call `commit` when it is complete, or `keep` or `discard` otherwise or if `commit` rejects. */
export interface Replacement {
  /** The path of the new file until it is committed. */
  readonly path: string
  readonly append: (lines: Uint8Array) => Promise<void>
  /**
   * Closes the old file and replaces it. Resolves to the new file, which is still open and locked. If it rejects, both files are still
   * there.
   */
  readonly commit: () => Promise<OutputFile>
  /** Closes the new file and leaves it beside the old one. */
  readonly keep: () => Promise<void>
  /** Deletes the new file. The old file is unchanged. */
  readonly discard: () => Promise<void>
}

/** Makes one HTTP exchange. A subset of the Fetch API. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** Cancels an exchange, before or after its response begins. */
export interface Cancellation {
  /**
   * Fires when the exchange is cancelled. Prefer `onCancel`: reading this member creates an `AbortSignal`, which slows a fast exchange
   * down.
   */
  readonly signal: AbortSignal
  /** Calls `run` when the exchange is cancelled, or at once if it is cancelled already. */
  readonly onCancel: (run: () => void) => void
}

/** The request of an exchange, without its URL. */
export interface FetchInit {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** The body: a string, or UTF-8 bytes in one or more chunks. Several requests may share chunks. */
  readonly body?: string | Uint8Array | ReadonlyArray<Uint8Array>
  readonly cancellation: Cancellation
  /** Reuses the connection of an earlier exchange, and leaves it open afterwards. */
  readonly keepAlive?: boolean
}

/** A response whose body is not read yet. */
export interface FetchResponse {
  readonly status: number
  /** Returns a header, or `null` if it is absent. The name may be in upper or lower case. */
  readonly header: (name: string) => string | null
  /** The body in chunks, decompressed. Rejects if the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>
  /** `true` if the end of the connection marks the end of the body. A body that is cut short then looks complete. */
  readonly endsWithConnection?: boolean
}

/** The exit code of an interrupted run: 128 plus the number of SIGINT. A run that SIGTERM ends has the same code. */
export const interruptedExitCode = 130
