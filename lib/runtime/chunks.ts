import type { Readable } from 'node:stream'
import { systemError } from './reason'

/**
 * The chunks of a stream as they come, its error where they end in one. Node's own iterator for streams takes
 * longer to set up than a small body to come.
 */
export const chunksOf = (stream: Readable): AsyncIterable<Uint8Array> => {
  let wake = (): void => undefined
  for (const event of ['readable', 'end', 'error', 'close']) stream.on(event, () => wake())
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    for (;;) {
      const value: Uint8Array | null = stream.destroyed ? null : stream.read()
      if (value !== null) return { done: false, value }
      if (stream.errored) throw stream.errored
      if (stream.readableEnded) return { done: true, value: undefined }
      if (stream.destroyed) throw systemError('ERR_STREAM_PREMATURE_CLOSE')
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const stop = async (): Promise<IteratorResult<Uint8Array>> => {
    stream.destroy()
    return { done: true, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: stop }) }
}
