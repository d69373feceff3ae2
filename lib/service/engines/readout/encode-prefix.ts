import { setImmediate as endOfTurn } from 'node:timers/promises'
import { encodeText } from '../../../codec/json/draft'
import type { JsonValue } from '../../../codec/json/json'
import { frameOf, marksIn, unusedMark } from './prompt'

/** How many characters of a state are looked at in one turn of the event loop. */
const pieceSize = 256 << 10

/** The most characters of a closing mark: its number has up to fifteen digits. */
const longestMark = '</material-123456789012345'.length

/**
 * Writes the text of `promptPrefix` as the inside of a JSON string, in pieces. Other work goes on between two pieces of a
 * state.
 */
export const encodePrefix = async (state: JsonValue): Promise<ReadonlyArray<Uint8Array>> => {
  const text = typeof state === 'string' ? state : encodeText(state)
  const used = new Set<number>()
  const pieces: Array<Uint8Array> = []
  for (let from = 0; from < text.length; from += pieceSize) {
    const end = from + pieceSize
    // Neighbouring pieces overlap here, so that no mark is missed between them.
    for (const mark of marksIn(text.slice(from, end + longestMark))) used.add(mark)
    pieces.push(Buffer.from(escapeText(text.slice(from, end))))
    await endOfTurn()
  }
  const { before, after } = frameOf(unusedMark(used))
  return [Buffer.from(escapeText(before)), ...pieces, Buffer.from(escapeText(after))]
}

/** Writes a text as it stands between the quotes of a JSON string. */
const escapeText = (text: string): string => JSON.stringify(text).slice(1, -1)
