import * as E from 'fp-ts/Either'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { runFileOperation } from '../../failure/named-files'
import { reasonOf } from '../../runtime/node/error-reason'
import { eraseLine } from '../../runtime/node/transient-line'
import type { OutputFile, Runtime } from '../../runtime/runtime'
import type { OutputDemand } from '../record/reorder-window'

/** Writes the lines of records. */
export interface RecordWriter {
  /** The name of the output in messages. */
  readonly name: string
  /** Resolves with `enough` if the reader of the output, such as `head`, has closed it. */
  readonly write: (lines: Uint8Array) => Promise<OutputDemand>
}

/**
 * Creates a writer to standard output. If stdout and stderr are a terminal, it erases the progress line before it writes. The line
 * appears again within a second.
 */
export const createStdoutWriter = ({
  stdout,
  stderr,
}: Pick<Runtime, 'stdout' | 'stderr'>): RecordWriter => ({
  name: 'stdout',
  write: async (lines) => {
    if (stdout.isTTY && stderr.isTTY) await stderr.write(eraseLine)
    await stdout.write(lines)
    return stdout.isClosed ? 'enough' : 'more'
  },
})

/** Creates a writer to an output file, or to the file that will replace it. */
export const createFileWriter = (
  name: string,
  { append }: Pick<OutputFile, 'append'>,
): RecordWriter => ({
  name,
  write: async (lines) => {
    await append(lines)
    return 'more'
  },
})

/** The output file of a run. */
export interface RunOutput {
  readonly path: string
  /** The open file. Changes if a new file replaces it during the run. */
  file: OutputFile
}

/** Opens and locks the output file of a run. Fails with a usage error if it cannot be opened. */
export const openRunOutput = async (
  { files }: Pick<Runtime, 'files'>,
  path: string,
): Promise<E.Either<Failure, RunOutput>> => {
  const file = await runFileOperation(`write ${path}`, () => files.openOutput(path))()
  return E.isLeft(file) ? file : E.right({ path, file: file.right })
}

/**
 * Runs a function that compares the output file with the input. If it throws, fails with a usage error, or as interrupted after an
 * interrupt.
 */
export const catchResumeError = async <A>(
  { path }: RunOutput,
  interrupt: AbortSignal,
  access: () => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure, A>> => {
  try {
    return await access()
  } catch (error) {
    return E.left(interrupt.aborted ? interrupted : usage(`resume ${path}: ${reasonOf(error)}`))
  }
}
