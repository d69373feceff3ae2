import { type JsonValue, memberIn, numberIn, stringIn } from '../codec/json/json'

/** Reads a file by its path relative to the scenario's folder. Rejects if the file cannot be read. */
export type ReadFile = (name: string) => Promise<Uint8Array>

/**
 * Reads the bytes that a member of a scenario such as `bodyText` or `raw` describes: a text, a file, base64, a repeated
 * text, or an array of these. Any other value has no bytes. Rejects if a file cannot be read, if `times` is not a whole number, or if
 * a repeated text is longer than 64 MiB.
 */
export const readContent = async (content: JsonValue, read: ReadFile): Promise<Uint8Array> => {
  if (typeof content === 'string') return Buffer.from(content)
  if (Array.isArray(content))
    return Buffer.concat(await Promise.all(content.map((part) => readContent(part, read))))
  return content instanceof Map ? readContentObject(content, read) : new Uint8Array()
}

const readContentObject = async (content: JsonValue, read: ReadFile): Promise<Uint8Array> => {
  const file = stringIn(memberIn(content, 'file'))
  if (file !== undefined) return read(file)
  const base64 = stringIn(memberIn(content, 'base64'))
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  const repeat = stringIn(memberIn(content, 'repeat'))
  const times = numberIn(memberIn(content, 'times'))
  return repeat === undefined || times === undefined
    ? new Uint8Array()
    : repeatBytes(Buffer.from(repeat), times)
}

/** The maximum size of a repeated text. Without it, a short scenario from an untrusted source could exhaust the memory. */
const maxRepeatedBytes = 64 << 20

const repeatBytes = (bytes: Uint8Array, times: number): Uint8Array => {
  if (!Number.isInteger(times) || times < 0) throw new Error('"times" must be a whole number')
  const size = bytes.length * times
  if (size > maxRepeatedBytes) throw new Error('"repeat" times "times" is more than 64 MiB')
  return Buffer.alloc(size, bytes)
}
