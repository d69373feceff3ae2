import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeFiles } from '../../../../lib/runtime/node/files'
import {
  loadVectorTable,
  type VectorTable,
} from '../../../../lib/service/engines/embedded/vector-table'
import { splitIntoPieces, splitWords } from '../../../../lib/service/engines/embedded/word-pieces'

const test = suite('embedded engine: word pieces')

let table: VectorTable
test.before(async () => {
  table = await loadVectorTable(nodeFiles)
})

/** Splits a text into pieces. `[none]` is a word that the vocabulary cannot make up. */
const splitText = (text: string): string => {
  const names = [...table.vocabulary.keys()]
  const pieces = splitWords(text).flatMap((word) => {
    const rows = splitIntoPieces(word, table.vocabulary)
    return rows.length === 0 ? ['[none]'] : rows.map((row) => names[row])
  })
  return pieces.join(' ')
}

// The expected pieces are those of BERT's uncased tokenizer, without punctuation. For a word that has a piece outside this table, it is [none].
const cases: ReadonlyArray<readonly [title: string, text: string, pieces: string]> = [
  ['capitals and apostrophes', "I wasn't BILLED", 'i wasn t billed'],
  ['a curly apostrophe', 'don’t', 'don t'],
  ['accents', 'Crème Zürich ÅNGSTRÖM', 'cr ##eme zurich ang ##strom'],
  ['an accent as a character by itself', 'naïve co\u0301operation', 'naive cooperation'],
  ['a capital whose lower case has an accent', 'İstanbul', 'istanbul'],
  ['ideographs', '價格100元', '[none] [none] 100 [none]'],
  ['Japanese without blanks', '東京です', '[none] [none] [none]'],
  ['other scripts', 'Привет мир 한국어', '[none] [none] [none]'],
  ['emoji', '😀 great 👍🏽', '[none] great [none]'],
  ['digits', '3.14159 2026-11-28', '3 141 ##59 202 ##6 11 28'],
  ['digits beside letters', '£9.99', '£ ##9 99'],
  ['punctuation and symbols', '$5 + <b> = ~`|^', '5 b'],
  ['an address', 'e-mail@example.com', 'e mail example com'],
  ['underscores', 'top_up_failed', 'top up failed'],
  ['every kind of blank', 'a\tb\r\nc\u00a0d\u2003e', 'a b c d e'],
  ['invisible characters', 'soft\u00adware\u200b \u0000null\ufffd', 'software null'],
  ['the longest pieces first', 'unbelievableness', 'unbelievable ##ness'],
  ['the longest piece of all', 'telecommunications', 'telecommunications'],
  ['nothing', ' \n\u200b', ''],
]

for (const [title, text, pieces] of cases)
  test(`splits ${title}`, () => {
    assert.is(splitText(text), pieces)
  })

test('a word of 100 letters has pieces, and a longer one has none', () => {
  assert.is(splitText('x'.repeat(100)), `xx${' ##xx'.repeat(49)}`)
  assert.is(splitText('x'.repeat(101)), '[none]')
})

const longTexts: ReadonlyArray<readonly [text: string, words: number]> = [
  ['a'.repeat(200_000), 1],
  ['é'.repeat(200_000), 1],
  ['ab '.repeat(66_667), 66_667],
  ['東'.repeat(200_000), 200_000],
  ["'".repeat(200_000), 0],
]

for (const [text, words] of longTexts)
  test(`splits 200,000 letters into ${words} words: ${text.slice(0, 3)}`, () => {
    assert.is(splitWords(text).length, words)
  })

test('looks up a word of 100 letters at most 24 times per letter', () => {
  let lookups = 0
  const vocabulary = new Map(
    [...'abc'].flatMap((letter) => [[letter, 0] as const, [`##${letter}`, 0] as const]),
  )
  const counting = {
    get: (piece: string) => {
      lookups += 1
      return vocabulary.get(piece)
    },
  }
  splitIntoPieces('abca'.repeat(25), Object.assign(new Map<string, number>(), counting))
  assert.ok(lookups <= 24 * 100, String(lookups))
})

test.run()
