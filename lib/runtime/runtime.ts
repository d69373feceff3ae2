/**
 * The one door to the outside. Everything the program reads or touches comes in
 * here, so that tests can put a clock, a network or a terminal of their own in place.
 */
export interface Runtime {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The runtime's own version, `v20.20.2`. */
  readonly nodeVersion: string
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly clock: Clock
  /** A number in [0, 1). */
  readonly random: () => number
  /** Aborted by SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** Calls `run` at every SIGHUP, which then no longer ends the process. Absent where none can come. */
  readonly onHangup?: (run: () => void) => void
  /** Resolves with an exception that nobody caught. Absent where none can be told. */
  readonly crashed?: Promise<unknown>
  readonly files: Files
  /** The HTTP client, loaded on first use. Never follows redirects. */
  readonly fetch: Fetch
}

/** Standard input. */
interface Input {
  readonly isTTY: boolean
  /** Reads to the end, or to `limit + 1` bytes, whichever comes first. Rejects with a node error, or `AbortError` when `signal` fires. */
  readonly read: (limit: number, signal: AbortSignal) => Promise<Uint8Array>
  /** Reads in chunks as they come, each memory of its own. Ends early when `signal` fires; rejects with a node error. */
  readonly chunks: (signal: AbortSignal) => AsyncIterable<Uint8Array>
}

/** Standard output or standard error. */
export interface Output {
  readonly isTTY: boolean
  /** Width in columns of a terminal, `undefined` elsewhere. */
  readonly columns?: number
  /** Settles when the bytes left the process; a closed pipe settles quietly (D23). */
  readonly write: (data: string | Uint8Array) => Promise<void>
  /** Whether its reader went away. */
  readonly isClosed?: boolean
}

/** Time. Milliseconds throughout. */
export interface Clock {
  /** Since the epoch. */
  readonly now: () => number
  /** Monotonic, from an arbitrary origin, with fractions. */
  readonly monotonic: () => number
  /** Resolves after `ms`, or at once when `signal` fires. Never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Calls `run` after `ms`; returns a function that cancels it. */
  readonly timer: (ms: number, run: () => void) => () => void
}

/** Files. Paths are as the user wrote them, relative to the working folder. Every call rejects with a node error that has a `code`. */
export interface Files {
  /** Reads a file to its end, or to `limit + 1` bytes. */
  readonly read: (path: string, limit?: number) => Promise<Uint8Array>
  /** Reads what is a regular file, and nothing else. */
  readonly readRegular: ReadRegular
  /** The size of a regular file in bytes, `undefined` for anything else. */
  readonly size: (path: string) => Promise<number | undefined>
  /** Reads a file in chunks, as `Input.chunks` does. */
  readonly chunks: (path: string, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** The paths of all files below a folder, relative to it, with `/`, in order. */
  readonly list: (folder: string) => Promise<ReadonlyArray<string>>
  /** Makes a folder and those above it; one that is there already is fine. */
  readonly makeFolder: (path: string) => Promise<void>
  /** Writes a new file with `mode`; rejects with `EEXIST` where one is. */
  readonly create: (path: string, data: string | Uint8Array, mode: number) => Promise<void>
  /** Writes to a temporary file in the same folder and renames it into place (D29). */
  readonly replace: (path: string, data: string | Uint8Array) => Promise<void>
  readonly append: (path: string, data: string) => Promise<void>
  /** Rejects unless a file could be created or replaced at `path`. Leaves nothing behind. */
  readonly checkWritable: (path: string) => Promise<void>
  /** Whether users besides its owner and root can read a file; never so on Windows, where its mode does not tell. */
  readonly readableByOthers: (path: string) => Promise<boolean>
  /** The same for writing. */
  readonly writableByOthers: (path: string) => Promise<boolean>
  /** Tells files apart: equal for two paths exactly when a write to one would change what the other names. */
  readonly identity: (path: string) => Promise<string>
  /** Keeps what could not be written where it belongs: a new file in the system's folder for temporary files, readable by the user alone. Resolves with its path. */
  readonly keep: (name: string, data: string | Uint8Array) => Promise<string>
  /** Opens a file to append to, created where none is, for this process alone; rejects with `ELOCKED` where another has it. */
  readonly openOutput: (path: string) => Promise<OutputFile>
}

/**
 * Reads a regular file to its end, or to `limit + 1` bytes. Rejects with `ENOTREGULAR` for anything else, with
 * `ELEAVESFOLDER` where the path lies in the folder `within` and a link leads out of it, and with an
 * `AbortError` once `signal` fires. D58
 */
export type ReadRegular = (
  path: string,
  options: {
    readonly limit: number
    readonly signal: AbortSignal
    readonly within?: string | undefined
  },
) => Promise<RegularFile>

/** What was read of a file, and how many bytes it has in all. */
interface RegularFile {
  readonly bytes: Uint8Array
  readonly size: number
}

/** A file that grows line by line. */
export interface OutputFile {
  /** Bytes it held when it was opened; 0 for what is no regular file. */
  readonly size: number
  /** Settles when the lines were handed to the system; of lines that fail none stays in part. */
  readonly append: (lines: Uint8Array) => Promise<void>
  readonly truncate: (size: number) => Promise<void>
  /** Begins a new file beside it that can take its place, with the first `keep` bytes of one that was left there. */
  readonly redo: (keep?: number) => Promise<Redo>
  /** The path of a new file that was left beside it; `undefined` where there is none. */
  readonly unfinished: () => Promise<string | undefined>
  readonly close: () => Promise<void>
}

/** A file on its way to replace another. */
interface Redo {
  readonly append: (lines: Uint8Array) => Promise<void>
  /** Puts it in place of the other. */
  readonly commit: () => Promise<void>
  /** Removes it; the other stays as it is. */
  readonly discard: () => Promise<void>
  /** Lets it lie beside the other. */
  readonly leave: () => Promise<void>
}

/** One HTTP exchange, as little of fetch as the client needs. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** What is sent; `signal` ends the exchange at any point. */
export interface FetchInit {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** In one piece, or in several that are sent one after the other and may be part of other bodies too. */
  readonly body?: Uint8Array | ReadonlyArray<Uint8Array>
  readonly signal: AbortSignal
  /** Takes a connection that an earlier exchange has left open, and leaves it open. */
  readonly keepAlive?: boolean
}

/** What comes back, before its body is read. */
export interface FetchResponse {
  readonly status: number
  /** Case-insensitive; `null` when absent. */
  readonly header: (name: string) => string | null
  /** The body in chunks as it was sent, content encodings included. Rejects when the connection is cut. */
  readonly body: AsyncIterable<Uint8Array>
  /** Nothing but the end of the connection ends the body, so a cut does not show in it. */
  readonly endsWithConnection?: boolean
}
