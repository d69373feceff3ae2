import type { Runtime } from '../../runtime/runtime'

/** An input that is read as a stream. */
export interface StreamSource {
  /** The name in messages: a path, or `standard input`. */
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>
  /** Ends the chunks early when it fires. */
  readonly signal: AbortSignal
}

/** Returns the input at a path; `-` is standard input. A file is opened when its first chunk is read. */
export const openSource = (
  path: string,
  { stdin, files, signal }: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
): StreamSource =>
  path === '-'
    ? { name: 'standard input', chunks: stdin.chunks(signal), signal }
    : { name: path, chunks: files.chunks(path, signal), signal }
