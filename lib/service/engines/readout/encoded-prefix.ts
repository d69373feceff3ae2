import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type Json, kindOf } from '../../../json/json'
import { around, marksIn, unusedMark } from './prompt'

/** How many bytes of a state are looked at in one turn of the event loop. */
const pieceSize = 256 << 10

/** The most bytes of a closing mark with fifteen digits, each of them escaped: pieces overlap by so many. */
const longestMark = 6 * '</material-123456789012345'.length

/**
 * The text of `promptPrefix` as the inside of a JSON string, in pieces. A state of many megabytes is neither decoded nor
 * copied where it is a text, and other work goes on between two pieces of it. Of escapes in a text, those stay that the
 * caller wrote. D40, D75
 */
export const encodedPrefix = async (state: Json): Promise<ReadonlyArray<Uint8Array>> => {
  const isText = kindOf(state) === 'string'
  const quotes = isText ? 1 : 0
  const bytes = state.bytes.subarray(state.start + quotes, state.end - quotes)
  const used = new Set<number>()
  const pieces: Array<Uint8Array> = isText ? [bytes] : []
  for (let from = 0; from < bytes.length; from += pieceSize) {
    const end = from + pieceSize
    const text = bytes.toString('latin1', from, Math.min(bytes.length, end + longestMark))
    for (const mark of marksIn(isText ? withoutEscapes(text) : text)) used.add(mark)
    if (!isText)
      pieces.push(
        Buffer.from(inside(bytes.toString('latin1', from, Math.min(bytes.length, end))), 'latin1'),
      )
    await endOfTurn()
  }
  const { before, after } = around(unusedMark(used))
  return [Buffer.from(inside(before)), ...pieces, Buffer.from(inside(after))]
}

/** What stands between the quotes of a JSON string. Of Latin-1, bytes that belong to one character stay together. */
const inside = (text: string): string => JSON.stringify(text).slice(1, -1)

/** A text without the escapes in which a mark could be spelled. It may find one where there is none. */
const withoutEscapes = (text: string): string =>
  text.replace(/\\(?:u00([2-7][0-9a-f])|\/)/gi, (_, code: string | undefined) =>
    code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16)),
  )
