import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../../../failure/failure'
import { drawLine, erase } from '../../../runtime/node/transient-line'
import type { Output, Runtime } from '../../../runtime/runtime'
import { downloadChecked } from './hub'
import { firstLineOf, type Library, type Progress } from './library'
import type { LocalOptions } from './options'

/** What the engine uses of the runtime. */
export interface Outside {
  readonly runtime: Pick<Runtime, 'files' | 'signal' | 'stderr' | 'clock' | 'env' | 'fetch'>
}

/**
 * Returns the path of the model's file. A model named `hf:…` is looked up in the library's own folder for
 * models, and downloaded there if allowed. An interrupted download continues where it stopped.
 */
export const findModelFile =
  (
    { model, download }: LocalOptions,
    library: Library,
    { runtime }: Outside,
  ): TE.TaskEither<Failure, string> =>
  async () => {
    const { files, signal, stderr } = runtime
    if (!model.startsWith('hf:')) {
      const size = await files.size(model).catch(() => undefined)
      if (size === undefined) return E.left(usage(`--engine-model: there is no file ${model}`))
      const beginning = Buffer.from(await files.read(model, 512)).toString('latin1')
      return /^\s*<(?:!doctype|html)/i.test(beginning)
        ? E.left(
            usage(`--engine-model: ${model} is a web page, not a model: download the file itself`),
          )
        : E.right(model)
    }
    const refuse = (why: string) => E.left(usage(`--engine-model ${model} ${why}`))
    const progress = download && stderr.isTTY ? startProgress(model, stderr) : undefined
    const resolve = (download: 'auto' | false) =>
      library.resolveModelFile(model, {
        ...{ download, cli: false, deleteTempFileOnCancel: false, signal },
        ...(progress === undefined ? {} : { onProgress: progress.show }),
      })
    try {
      return E.right(await resolve(false))
    } catch (error) {
      if (!download)
        return refuse(
          `is not on this machine: pass --engine-download to fetch it (${firstLineOf(error)})`,
        )
    }
    try {
      const fetched = await downloadChecked(model, () => resolve('auto'), runtime)
      if (signal.aborted) return E.left(interrupted)
      return E.isLeft(fetched) ? refuse(`cannot be fetched: ${fetched.left}`) : fetched
    } catch (error) {
      return refuse(`cannot be fetched: ${firstLineOf(error)}`)
    } finally {
      await progress?.end()
    }
  }

/** Shows the progress of a download on one line of the terminal. */
const startProgress = (model: string, stderr: Output) => {
  let percent = -1
  return {
    show: ({ downloadedSize, totalSize }: Progress): void => {
      const now = totalSize > 0 ? Math.floor((100 * downloadedSize) / totalSize) : 0
      if (now === percent) return
      percent = now
      drawLine(stderr, `svc: fetched ${now} % of ${Math.round(totalSize / 1e6)} MB of ${model}`)
    },
    end: (): Promise<void> => stderr.write(erase).catch(() => undefined),
  }
}
