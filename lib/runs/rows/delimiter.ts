import { bufferOf } from '../../codec/json/parse'

/** The delimiters that svc tries. Of several that fit equally well, it chooses the first. */
const candidates = [',', ';', '\t'] as const

/** Finds the delimiter that splits a CSV header into the most fields, ignoring quoted text. Returns a comma if none occurs. */
export const guessDelimiter = (header: string): string => {
  const counts = new Map<string, number>(candidates.map((delimiter) => [delimiter, 0]))
  let isQuoted = false
  for (const character of header) {
    if (character === '"') isQuoted = !isQuoted
    const count = counts.get(character)
    if (!isQuoted && count !== undefined) counts.set(character, count + 1)
  }
  let best: string = ','
  for (const [delimiter, count] of counts) if (count > (counts.get(best) ?? 0)) best = delimiter
  return best
}

/** svc searches this number of bytes for the end of a header. */
const maxHeaderBytes = 1 << 20

/**
 * Reads the CSV header: the first line that is not blank. It may have newlines inside quotes. Also returns all chunks of the
 * input, including those already read.
 */
export const readCsvHeader = async (
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ readonly header: string; readonly chunks: AsyncGenerator<Uint8Array> }> => {
  let bytesRead: Buffer = Buffer.alloc(0)
  let header: string | undefined
  while (header === undefined && bytesRead.length < maxHeaderBytes) {
    const next = await chunks.next()
    if (next.done) break
    bytesRead =
      bytesRead.length === 0 ? bufferOf(next.value) : Buffer.concat([bytesRead, next.value])
    header = findHeader(bytesRead.toString('utf8'))
  }
  return {
    header: header ?? bytesRead.toString('utf8'),
    chunks: prependBytes(bytesRead, chunks),
  }
}

/** Finds the first line that is not blank; `undefined` if its end has not been read yet. */
const findHeader = (text: string): string | undefined => {
  let isQuoted = false
  let lineStart = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    if (text[at] !== '\n' || isQuoted) continue
    const line = text.slice(lineStart, at)
    if (line.trim() !== '') return line
    lineStart = at + 1
  }
  return undefined
}

async function* prependBytes(
  bytes: Uint8Array,
  remaining: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (bytes.length > 0) yield bytes
    for (let next = await remaining.next(); !next.done; next = await remaining.next())
      yield next.value
  } finally {
    await remaining.return?.()
  }
}
