import { bufferOf } from '../../codec/json/parse'

/** What may be between two fields of CSV if `--delimiter` does not say it. Of equals the first counts. */
const candidates = [',', ';', '\t'] as const

/** Finds the delimiter that splits a CSV header into the most fields outside quotes; a comma if none splits it. */
export const guessDelimiter = (header: string): string => {
  const counts = new Map<string, number>(candidates.map((one) => [one, 0]))
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

/** How many bytes of an input are searched for the end of its header. */
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
  let isDone = false
  while (header === undefined && !isDone) {
    const next = await chunks.next()
    if (next.done) isDone = true
    else start = start.length === 0 ? bufferOf(next.value) : Buffer.concat([start, next.value])
    header = takeHeader(start.toString('utf8'))
    if (start.length >= maxHeaderBytes) isDone = true
  }
  return { header: header ?? start.toString('utf8'), chunks: startWith(start, chunks) }
}

/** The first line with text and its end; `undefined` if the end has not been read yet. */
const takeHeader = (text: string): string | undefined => {
  let isQuoted = false
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    if (text[at] !== '\n' || isQuoted) continue
    const line = text.slice(from, at)
    if (line.trim() !== '') return line
    from = at + 1
  }
  return undefined
}

async function* startWith(
  start: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (start.length > 0) yield start
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
