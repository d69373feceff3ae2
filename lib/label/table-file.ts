import { reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'

/** The result of a save. A file that another program changed is not touched. */
export type Saved =
  | { readonly state: 'saved' }
  | { readonly state: 'changed' }
  | { readonly state: 'failed'; readonly reason: string }

/** The file of a table, which is replaced as a whole after every answer. */
export interface TableFile {
  /** Writes the table. A save must have ended before the next one begins. */
  readonly save: (text: string) => Promise<Saved>
}

/** Opens a file whose content was `text` when it was read; `undefined` if there was no such file yet. */
export const openTableFile = (
  files: Pick<Files, 'read' | 'replace'>,
  path: string,
  text: string | undefined,
): TableFile => {
  let known = text === undefined ? undefined : Buffer.from(text)

  const isUnchanged = async (): Promise<boolean> => {
    try {
      const found = await files.read(path)
      return known?.equals(found) === true
    } catch (error) {
      return known === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT'
    }
  }
  const save = async (next: string): Promise<Saved> => {
    if (!(await isUnchanged())) return { state: 'changed' }
    const bytes = Buffer.from(next)
    try {
      await files.replace(path, bytes)
    } catch (error) {
      return { state: 'failed', reason: reasonOf(error) }
    }
    known = bytes
    return { state: 'saved' }
  }
  return { save }
}
