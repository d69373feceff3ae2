import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type Json, kindOf } from '../../../codec/json/json'
import { frameOf, marksIn, unusedMark } from './prompt'

/** How many bytes of a state are looked at in one turn of the event loop. */
const pieceSize = 256 << 10

/** The most bytes of a closing mark: its number has up to fifteen digits, and an escape of six bytes can spell each sign. */
const longestMark = 6 * '</material-123456789012345'.length

/**
 * Writes the text of `promptPrefix` as the inside of a JSON string, in pieces. A state that is a text is neither decoded nor
 * copied, and keeps the escapes that its caller wrote. Other work goes on between two pieces of a state. D40, D75
 */
export const encodePrefix = async (state: Json): Promise<ReadonlyArray<Uint8Array>> => {
  const isText = kindOf(state) === 'string'
  const quotes = isText ? 1 : 0
  const bytes = state.bytes.subarray(state.start + quotes, state.end - quotes)
  const used = new Set<number>()
  const pieces: Array<Uint8Array> = isText ? [bytes] : []
  for (let from = 0; from < bytes.length; from += pieceSize) {
    const end = from + pieceSize
    // Neighbouring pieces overlap here, so that no mark is missed between them.
    const text = bytes.toString('latin1', from, Math.min(bytes.length, end + longestMark))
    for (const mark of marksIn(isText ? undoEscapes(text) : text)) used.add(mark)
    if (!isText) {
      const piece = bytes.toString('latin1', from, Math.min(bytes.length, end))
      pieces.push(Buffer.from(escapeText(piece), 'latin1'))
    }
    await endOfTurn()
  }
  const { before, after } = frameOf(unusedMark(used))
  return [Buffer.from(escapeText(before)), ...pieces, Buffer.from(escapeText(after))]
}

/** Writes a text as it stands between the quotes of a JSON string. Bytes that are read as Latin-1 come out unchanged. */
const escapeText = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Undoes the escapes in which a closing mark could be spelled. The text is only searched for marks: a mark that is found
 * where there is none does no harm.
 */
const undoEscapes = (text: string): string =>
  text.replace(/\\(?:u00([2-7][0-9a-f])|\/)/gi, (_, code: string | undefined) =>
    code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16)),
  )
