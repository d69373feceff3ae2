import type { Runtime } from '../runtime/runtime'
import type { RunSource } from './read'

/** The run at a path; `-` is standard input. Nothing is opened until it is read. D51 */
export const runSource = (
  path: string,
  { stdin, files, signal }: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
): RunSource =>
  path === '-'
    ? { name: 'standard input', chunks: stdin.chunks(signal), signal }
    : { name: path, chunks: files.chunks(path, signal), signal }
