/** The number of each word piece of a vocabulary. The name of a piece that continues a word begins with `##`. */
export type Vocabulary = ReadonlyMap<string, number>

/** A longer word has no pieces. */
const maxWordLength = 100

/** No piece of a vocabulary may be longer, without its `##`. This bounds the time for a word. */
export const maxPieceLength = 24

const accents = /\p{Mn}/gu
const invisible = /[\p{Cc}\p{Cf}\ufffd]/gu
const ideographs =
  '\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}'
const punctuation = '\\p{P}$+<=>^`|~'

/** Matches an ideograph, or a run of other characters without blanks and punctuation. */
const wordPattern = new RegExp(`[${ideographs}]|[^\\s${punctuation}${ideographs}]+`, 'gu')

/**
 * Splits a text into words by the rules of BERT's uncased tokenizer: in lower case, without accents and invisible characters. An
 * ideograph is a word. Punctuation is left out. Takes time in proportion to the length of the text.
 */
export const splitWords = (text: string): ReadonlyArray<string> =>
  text
    .replace(/[\t\n\r]/g, ' ')
    .replace(invisible, '')
    .toLowerCase()
    .normalize('NFD')
    .replace(accents, '')
    .match(wordPattern) ?? []

/**
 * Splits a word into the longest pieces of the vocabulary, from left to right. Returns the numbers of the pieces. Returns no pieces
 * if they cannot make up the whole word, or if the word is longer than 100 characters.
 */
export const splitIntoPieces = (word: string, vocabulary: Vocabulary): ReadonlyArray<number> => {
  if (word.length > maxWordLength) return []
  const pieces: number[] = []
  for (let start = 0; start < word.length; ) {
    let end = Math.min(word.length, start + maxPieceLength)
    let piece: number | undefined
    for (; end > start && piece === undefined; end -= 1)
      piece = vocabulary.get((start === 0 ? '' : '##') + word.slice(start, end))
    if (piece === undefined) return []
    pieces.push(piece)
    // The loop has moved `end` to one character before the end of the piece.
    start = end + 1
  }
  return pieces
}
