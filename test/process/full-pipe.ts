import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The unit in which Linux stores the content of a pipe, in bytes. */
const pageBytes = 4096

/** A full pipe, to which a program writes. */
export interface FullPipe {
  /** The file descriptor for the program. */
  readonly writeEnd: number
  /**
   * Takes a page out of the pipe, and looks whether the program fills the space. Returns `true` if it does: then the program was waiting
   * to write. Otherwise puts the page back and returns `false`.
   */
  readonly isWriterWaiting: () => Promise<boolean>
  readonly close: () => void
}

/** Creates a named pipe at a path and fills it. */
export const createFullPipe = (path: string): FullPipe => {
  execFileSync('mkfifo', [path])
  // Both ends are open here, because a program cannot write to a pipe without a reader.
  const bothEnds = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const page = Buffer.alloc(pageBytes)
  /** Returns `false` if the pipe has no space for a page. */
  const writePage = (): boolean => {
    try {
      writeSync(bothEnds, page)
      return true
    } catch {
      return false
    }
  }
  let hasSpace = true
  while (hasSpace) hasSpace = writePage()
  const writeEnd = openSync(path, constants.O_WRONLY)
  return {
    writeEnd,
    isWriterWaiting: async () => {
      readSync(bothEnds, page)
      // Gives the program time to fill the space. If the program takes longer, a later call returns `true`.
      await sleep(10)
      return !writePage()
    },
    close: () => {
      for (const fd of [bothEnds, writeEnd]) closeSync(fd)
    },
  }
}
