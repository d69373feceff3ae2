import { type Failure, usage } from '../failure/failure'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'

/** The content of a file with an API key, or the failure to read it. */
interface KeyFile {
  /** The key, trimmed; `''` if the file is blank. */
  readonly key?: string
  /** `true` if users other than the file's owner can read the key. */
  readonly isReadableByOthers?: boolean
  readonly failure?: Failure
}

/** The maximum size of the file: a key of the maximum length (8 KiB), with blanks around it. */
const maxKeyFileBytes = 16 << 10

/** Reads the file that `SERVICE_API_KEY_FILE` names. Never rejects. */
export const readKeyFile = async (files: Files, path: string): Promise<KeyFile> => {
  const fail = (reason: string): KeyFile => ({
    failure: usage(`read API key file: ${path}: ${reason}`),
  })
  try {
    const isReadableByOthers = await files.isReadableByOthers(path)
    const bytes = await files.read(path, maxKeyFileBytes)
    if (bytes.length > maxKeyFileBytes) return fail('it is longer than a key can be')
    const key = new TextDecoder().decode(bytes).trim()
    return { key, isReadableByOthers: isReadableByOthers && key !== '' }
  } catch (error) {
    return fail(reasonOf(error))
  }
}
