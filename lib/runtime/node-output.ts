import { codeOf } from './reason'
import type { Output } from './runtime'

/** A standard stream of the process. A reader that went away is no error (D23); a full disk is. */
export const nodeOutput = (pick: () => NodeJS.WriteStream): Output => {
  let stream: NodeJS.WriteStream | undefined
  let gone = false
  const open = (): NodeJS.WriteStream => {
    if (stream !== undefined) return stream
    stream = pick()
    // Without a listener the error of a closed pipe would end the process with a trace.
    stream.on('error', () => {
      gone = true
    })
    return stream
  }
  return {
    get isTTY() {
      return open().isTTY === true
    },
    get columns() {
      return open().isTTY ? open().columns : undefined
    },
    write: (data) =>
      new Promise((resolve, reject) => {
        if (gone || data.length === 0) resolve()
        else {
          open().write(data, (error) => {
            if (error && !closed.has(codeOf(error) ?? '')) reject(error)
            else resolve()
          })
        }
      }),
  }
}

const closed = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
])
