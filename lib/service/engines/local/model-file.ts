import { basename } from 'node:path'
import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../../../failure/failure'
import { drawTransientLine, erase } from '../../../runtime/node/transient-line'
import type { Files, Output, Runtime } from '../../../runtime/runtime'
import { firstLineOf, type Library } from './library'

/** The parts of the program that the engine uses. */
export interface LocalWorld {
  readonly runtime: Pick<Runtime, 'files' | 'signal' | 'stderr' | 'clock'>
}

/**
 * Returns the path of the model's file. A model named `hf:…` is looked up in the library's own folder for models, and
 * downloaded there if it is missing. An interrupted download continues where it stopped. Fails if the file is no GGUF
 * file.
 */
export const findModelFile =
  (model: string, library: Library, { runtime }: LocalWorld): TE.TaskEither<Failure, string> =>
  async () => {
    const found = model.startsWith('hf:')
      ? await downloadModel(model, library, runtime)
      : E.right(model)
    if (E.isLeft(found)) return found
    const fault = await findFileFault(found.right, runtime.files)
    if (runtime.signal.aborted) return E.left(interrupted)
    return fault === undefined ? found : E.left(usage(`--engine-model: ${fault}`))
  }

/** Says in one sentence why a file cannot be a model. It names the file. */
const findFileFault = async (
  path: string,
  files: Pick<Files, 'size' | 'read'>,
): Promise<string | undefined> => {
  const size = await files.size(path).catch(() => undefined)
  if (size === undefined) return `there is no file ${path}`
  const beginning = Buffer.from(await files.read(path, 4)).toString('latin1')
  return beginning.startsWith('GGUF')
    ? undefined
    : `${path} is not a GGUF file: download the model's .gguf file itself`
}

const downloadModel = async (
  model: string,
  library: Library,
  { files, signal, stderr }: LocalWorld['runtime'],
): Promise<E.Either<Failure, string>> => {
  let expectedSize: number | undefined
  const show = stderr.isTTY ? createProgressLine(model, stderr) : undefined
  const resolve = (download: 'auto' | false): Promise<string> =>
    library.resolveModelFile(model, {
      download,
      cli: false,
      deleteTempFileOnCancel: false,
      signal,
      onProgress: (progress: Progress) => {
        expectedSize = progress.totalSize
        show?.(progress)
      },
    })
  const refuse = (why: string) => E.left(usage(`--engine-model ${model} cannot be fetched: ${why}`))
  try {
    // This finds a model that is already here without asking the hub.
    const path = await resolve(false).catch(() => resolve('auto'))
    // The library also resolves if the download was stopped.
    if (signal.aborted) return E.left(interrupted)
    const size = await files.size(path)
    const isDivided = /-of-\d{5}\.gguf$/.test(path)
    return expectedSize === undefined || isDivided || size === expectedSize
      ? E.right(path)
      : refuse(`${basename(path)} has ${size} bytes of ${expectedSize}: delete it and try again`)
  } catch (error) {
    return signal.aborted ? E.left(interrupted) : refuse(firstLineOf(error))
  } finally {
    if (show !== undefined) await stderr.write(erase).catch(() => undefined)
  }
}

/** The progress of a download, in bytes. */
interface Progress {
  readonly totalSize: number
  readonly downloadedSize: number
}

/** Shows the progress of a download on one line of the terminal. */
const createProgressLine = (model: string, stderr: Output) => {
  let percent = -1
  return ({ downloadedSize, totalSize }: Progress): void => {
    const now = totalSize > 0 ? Math.floor((100 * downloadedSize) / totalSize) : 0
    if (now === percent) return
    percent = now
    drawTransientLine(
      stderr,
      `svc: fetched ${now} % of ${Math.round(totalSize / 1e6)} MB of ${model}`,
    )
  }
}
