import type { Json } from './json'
import { endOfString, skipBlanks } from './skip'

/**
 * Counts the values in a JSON value: itself, and each member and element at any depth. It reads every byte once
 * and stores nothing, so it can check a document before that is decoded.
 */
export const countValues = ({ bytes, start, end }: Json): number => {
  let count = 1
  let at = start
  while (at < end) {
    switch (bytes[at]) {
      case 0x22:
        at = endOfString(bytes, at)
        continue
      case 0x2c:
        count += 1
        break
      case 0x5b:
      case 0x7b:
        if (!closes(bytes[skipBlanks(bytes, at + 1)])) count += 1
        break
    }
    at += 1
  }
  return count
}

/** Whether a byte is `]` or `}`. */
const closes = (byte: number | undefined): boolean => byte === 0x5d || byte === 0x7d
