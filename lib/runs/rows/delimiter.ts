import { bufferOf } from '../../codec/json/parse'

/** The delimiters that are tried without `--delimiter`. If several fit equally well, the first counts. */
const candidates = [',', ';', '\t'] as const

/** Finds the delimiter that splits a CSV header into the most fields outside quotes; a comma if it is one field by any of them. */
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

/** The maximum of bytes in which the end of a header is searched for. */
const maxHeaderBytes = 1 << 20

/**
 * Reads the first line of an input that is not blank, which may span several lines inside quotes. Returns it with all chunks
 * of the input.
 */
export const readCsvHeader = async (
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ readonly header: string; readonly chunks: AsyncGenerator<Uint8Array> }> => {
  let start: Buffer = Buffer.alloc(0)
  let header: string | undefined
  while (header === undefined && start.length < maxHeaderBytes) {
    const next = await chunks.next()
    if (next.done) break
    start = start.length === 0 ? bufferOf(next.value) : Buffer.concat([start, next.value])
    header = findHeader(start.toString('utf8'))
  }
  return { header: header ?? start.toString('utf8'), chunks: startWith(start, chunks) }
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

async function* startWith(
  start: Uint8Array,
  remaining: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (start.length > 0) yield start
    for (let next = await remaining.next(); !next.done; next = await remaining.next())
      yield next.value
  } finally {
    await remaining.return?.()
  }
}
