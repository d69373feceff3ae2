import { type Failure, usage } from '../failure/failure'
import { reasonOf } from '../runtime/reason'
import type { Files } from '../runtime/runtime'

/** What a file with a key holds, or why it cannot be read. */
export interface KeyFile {
  /** Trimmed; `''` where the file is blank. */
  readonly key?: string
  /** Whether users besides its owner can read it. */
  readonly open?: boolean
  readonly failure?: Failure
}

/** More than the longest key with blanks around it. */
const mostBytes = 16 << 10

/** Reads the file that `SERVICE_API_KEY_FILE` names. Never rejects. D64 */
export const readKeyFile = async (
  { read, readableByOthers }: Files,
  path: string,
): Promise<KeyFile> => {
  const failed = (why: string): KeyFile => ({
    failure: usage(`read API key file: ${path}: ${why}`),
  })
  try {
    const open = await readableByOthers(path)
    const bytes = await read(path, mostBytes)
    if (bytes.length > mostBytes) return failed('it is longer than a key can be')
    const key = new TextDecoder().decode(bytes).trim()
    return { key, open: open && key !== '' }
  } catch (error) {
    return failed(reasonOf(error))
  }
}
