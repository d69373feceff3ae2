import type { Json } from './json'
import { closes, endOfString, opens, skipBlanks } from './skip'

/**
 * Counts the values in a JSON value: itself, and each member and element at any depth. It reads every byte once
 * and stores nothing, so it can check a document before that is decoded.
 */
export const countValues = ({ bytes, start, end }: Json): number => {
  let count = 1
  let at = start
  while (at < end) {
    const byte = bytes[at]
    if (byte === 0x22) {
      at = endOfString(bytes, at)
      continue
    }
    at++
    if (byte === 0x2c || (opens(byte) && !closes(bytes[skipBlanks(bytes, at)]))) count++
  }
  return count
}
