import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import type { Runtime } from '../runtime/runtime'
import type { RunSource } from './read'

/** The run at a path that the flag or argument `what` names; `-` is standard input. Nothing is opened before it is read. D51 */
export const runSource = (
  path: string,
  { stdin, files, signal }: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
  what = '--input',
): E.Either<Failure, RunSource> => {
  if (path === '') return E.left(usage(`${what} must not be empty`))
  return E.right(
    path === '-'
      ? { name: 'standard input', chunks: stdin.chunks(signal), signal }
      : { name: path, chunks: files.chunks(path, signal), signal },
  )
}
