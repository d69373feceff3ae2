import { systemError } from '../../lib/runtime/reason'
import type { Files } from '../../lib/runtime/runtime'

/** Files in memory that count how often each was read. */
export const memoryFiles = (texts: Readonly<Record<string, string | Uint8Array>>) => {
  const reads: string[] = []
  const refuse = () => Promise.reject(systemError('EROFS'))
  const files: Files = {
    read: async (path) => {
      reads.push(path)
      const text = Object.hasOwn(texts, path) ? texts[path] : undefined
      if (text === undefined) throw systemError('ENOENT')
      return Buffer.from(text)
    },
    chunks: () => {
      throw systemError('EROFS')
    },
    openOutput: refuse,
    list: refuse,
    create: refuse,
    replace: refuse,
    append: refuse,
    checkWritable: refuse,
    makeFolder: refuse,
  }
  return { files, reads }
}
