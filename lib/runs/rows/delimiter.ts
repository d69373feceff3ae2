import { bufferOf } from '../../codec/json/parse'

/** The delimiters that svc tries. If several occur equally often, it chooses the first. */
const candidateDelimiters = [',', ';', '\t'] as const

/** Guesses the delimiter of a CSV header: the candidate that occurs most often outside quotes; a comma if none occurs. */
export const guessDelimiter = (header: string): string => {
  const counts = new Map<string, number>(candidateDelimiters.map((delimiter) => [delimiter, 0]))
  let isQuoted = false
  for (const character of header) {
    if (character === '"') isQuoted = !isQuoted
    const count = counts.get(character)
    if (!isQuoted && count !== undefined) counts.set(character, count + 1)
  }
  let mostFrequent: string = ','
  for (const [delimiter, count] of counts)
    if (count > (counts.get(mostFrequent) ?? 0)) mostFrequent = delimiter
  return mostFrequent
}

/** svc reads only about this much of an input to guess the delimiter, even if the header is longer. */
const maxHeaderBytes = 1 << 20

/**
 * Reads the CSV header, the first line that is not blank, or the beginning of a header that is longer than 1 MiB. The header may have
 * newlines inside quotes. Also returns the chunks of the whole input, including those that were read to find the header.
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

/** Finds the first line that is not blank, without its newline; `undefined` if its end has not been read yet. */
const findHeader = (text: string): string | undefined => {
  let isQuoted = false
  let lineStart = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '"') isQuoted = !isQuoted
    if (text[index] !== '\n' || isQuoted) continue
    const line = text.slice(lineStart, index)
    if (line.trim() !== '') return line
    lineStart = index + 1
  }
  return undefined
}

/** Yields bytes, and then the remaining chunks. */
async function* prependBytes(
  bytes: Uint8Array,
  remainingChunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (bytes.length > 0) yield bytes
    for (;;) {
      const next = await remainingChunks.next()
      if (next.done) return
      yield next.value
    }
  } finally {
    await remainingChunks.return?.()
  }
}
