import { type Failure, usage } from '../failure/failure'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'

/** The contents of a file with a key, or why it cannot be read. */
interface KeyFile {
  /** The key, trimmed; `''` where the file is blank. */
  readonly key?: string
  /** Whether users other than its owner can read the file. */
  readonly open?: boolean
  readonly failure?: Failure
}

/** The most bytes of the file: more than the longest key with blanks around it takes. */
const maxBytes = 16 << 10

/** Reads the file that `SERVICE_API_KEY_FILE` names. Never rejects. */
export const readKeyFile = async (
  { read, readableByOthers }: Files,
  path: string,
): Promise<KeyFile> => {
  const fail = (why: string): KeyFile => ({ failure: usage(`read API key file: ${path}: ${why}`) })
  try {
    const open = await readableByOthers(path)
    const bytes = await read(path, maxBytes)
    if (bytes.length > maxBytes) return fail('it is longer than a key can be')
    const key = new TextDecoder().decode(bytes).trim()
    return { key, open: open && key !== '' }
  } catch (error) {
    return fail(reasonOf(error))
  }
}
