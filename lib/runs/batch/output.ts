import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { access } from '../../failure/named-files'
import { erase } from '../../runtime/node/transient-line'
import type { OutputFile, Runtime } from '../../runtime/runtime'

/** Where records are written. */
export interface Sink {
  /** Its name in messages. */
  readonly name: string
  readonly write: (lines: Uint8Array) => Promise<'more' | 'enough'>
}

/**
 * Standard output. `write` resolves to `enough` when its reader has closed it. Where records and the progress line are on
 * one terminal, the line is erased first; it comes again within a second.
 */
export const stdoutSink = ({ stdout, stderr }: Pick<Runtime, 'stdout' | 'stderr'>): Sink => ({
  name: 'stdout',
  write: async (lines) => {
    if (stdout.isTTY && stderr.isTTY) await stderr.write(erase)
    await stdout.write(lines)
    return stdout.isClosed ? 'enough' : 'more'
  },
})

/** An output file, or the new file that is to replace one. */
export const fileSink = (name: string, { append }: Pick<OutputFile, 'append'>): Sink => ({
  name,
  write: async (lines) => {
    await append(lines)
    return 'more'
  },
})

/** The output file of a run. A rewritten one takes its place. */
export interface OutputOfRun {
  readonly path: string
  file: OutputFile
}

/**
 * Opens and locks the output file of a run. Fails with a usage error if it cannot be opened, and if it is not empty although
 * it may not hold records yet.
 */
export const openRunOutput = async (
  { files }: Pick<Runtime, 'files'>,
  path: string,
  mayHoldRecords: boolean,
): Promise<E.Either<Failure, OutputOfRun>> => {
  const file = await access(`write ${path}`, () => files.openOutput(path))()
  if (E.isLeft(file)) return file
  if (mayHoldRecords || file.right.size === 0) return E.right({ path, file: file.right })
  await file.right.close()
  const ways = 'pass --resume to go on with its run, or --overwrite to replace it'
  return E.left(usage(`${path} is not empty: ${ways}`))
}
