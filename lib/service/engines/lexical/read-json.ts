import { Json, stringOf, textOf } from '../../../json/json'
import { endOfString, endOfValue, skipBlanks } from '../../../json/skip'
import { readTerms, type Visit } from './terms'

const quote = 0x22
const colon = 0x3a

/**
 * Reads the words of any JSON value in one pass, without recursion, so that deep nesting cannot overflow the
 * stack. A member's name belongs to the first sentence of its value. Before `false` and `null` the words of the
 * name count as negated (`"shipped": false`). A number is read as the text it is written as. Returns the number
 * of sentences.
 */
export const readJson = (json: Json, visit: Visit): number => {
  const { bytes, end } = json
  let sentence = 0
  let key = ''
  let at = json.start
  while (at < end) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      const after = endOfString(bytes, at)
      const text = stringOf(new Json(bytes, at, after))
      at = after < end ? skipBlanks(bytes, after) : after
      if (at < end && bytes[at] === colon) {
        key = text
      } else {
        readTerms(key, sentence, visit)
        sentence = readTerms(text, sentence, visit)
        key = ''
      }
    } else if (isAtom(byte)) {
      const after = endOfValue(bytes, at)
      const denied = byte === 0x66 || byte === 0x6e
      readTerms(key, sentence, denied ? opposed(visit) : visit)
      if (byte < 0x61) readTerms(textOf(new Json(bytes, at, after)), sentence, visit)
      sentence += 1
      key = ''
      at = after
    } else {
      if ((byte === 0x7b || byte === 0x5b) && key !== '') {
        sentence = readTerms(key, sentence, visit)
        key = ''
      }
      at += 1
    }
  }
  return sentence
}

const opposed =
  (visit: Visit): Visit =>
  (stem, negated, sentence) =>
    visit(stem, !negated, sentence)

/** Whether a number, `true`, `false` or `null` begins with this byte. */
const isAtom = (byte: number): boolean =>
  byte === 0x2d || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a)
