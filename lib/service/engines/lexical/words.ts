import { encodeText } from '../../../codec/json/draft'
import type { JsonValue } from '../../../codec/json/json'

const createWordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** English words that say nothing about a state: function words, and words of questions about a state. */
const stopWords = createWordSet(
  `a about above after again all almost along already also although always am among an and any are
  around as at away back be became because become been before being below between both but by came
  can come could did do does doing done down during each either else even ever every few find for
  from further get gets give given go goes going gone got had has have having he her here hers him
  his however i if in into is it its itself just keep let like ll made make makes may me
  might mine more most much must my near of off often on once one only or other our ours out over
  own per perhaps put quite rather re really s same say says see seem seems several shall she should
  since so some someone something soon still such take than that the their theirs them then there
  these they thing this those though through thus to together too toward under until up upon us use
  used using ve very via was way we well were what whatever whether which while
  will with within would yes yet you your yours
  question kind sort type topic text message state content contain contains mention mentions
  describe describes belong belongs`,
)

/** Words that instructions need to form a question. They are skipped in instructions, but not in a state or an option. */
const questionWords = createWordSet('how many when where who whom whose why')

/** Words that negate the words after them. Words that end with `n't` negate too. */
const negators = createWordSet(
  'no not never none nobody nothing nowhere nor neither without cannot hardly',
)

/** The number of words after a negator that it negates, without stop words. The negation also ends at a punctuation mark. */
const negationReach = 3

/** The maximum length of a word in characters. A longer run of letters is split, which limits the memory for matching. */
const maxWordLength = 40

/**
 * Matches a word, with the letters after an apostrophe and the punctuation mark after it. Each Chinese or Japanese
 * character counts as a word, because these languages put no spaces between words.
 */
const wordPattern = new RegExp(
  `([\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]|[\\p{L}\\p{M}\\p{N}]{1,${maxWordLength}})` +
    `(['’]\\p{L}{1,3})?([.!?;:,\\n()"])?`,
  'gu',
)

/** The endings that are removed from a word: `refunds`, `refunded` and `refunding` count as the same word. */
const endings = 'ations ation ions ion ing ed es er ly s e'.split(' ')

/** Matches a name in backquotes, without the closing one. A name begins with a letter or a digit and has up to 100 characters. */
const quotedName = /`[\p{L}\p{N}][^`]{0,99}`/gu

/**
 * Returns the text of a content value: a string unchanged, any other value as JSON. In JSON text, a space replaces the letter of each
 * escape other than `\uXXXX`, because the `n` of `\n` would become a part of the next word.
 */
export const textOfContent = (content: JsonValue): string => {
  if (typeof content === 'string') return content
  return encodeText(content).replace(/\\[^u]/g, '\\ ')
}

/** The first character of the Chinese and Japanese scripts. This character and all later ones count as a word each. */
const firstIdeograph = 0x2e80

/**
 * Counts the words of a text approximately. Digits and characters outside ASCII, below `firstIdeograph`, count as letters. A run of
 * more than `maxWordLength` letters counts as several words.
 */
export const countWords = (text: string): number => {
  let count = 0
  let wordLength = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code >= firstIdeograph) count += 1
    wordLength = isLetterCode(code) ? wordLength + 1 : 0
    // A word begins at the first letter of a run, and again after every 40 letters.
    if (wordLength % maxWordLength === 1) count += 1
  }
  return count
}

const isLetterCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x80 && code < firstIdeograph)

/** The number of occurrences of each word in a text, by the word's stem. A negated occurrence counts -1. */
export type Words = ReadonlyMap<string, number>

/** Reads the words of a text, without stop words and negators. */
export const readWords = (text: string): Words => {
  const words = new Map<string, number>()
  let negatedWordsLeft = 0
  const matches = decodeEscapes(text).toLowerCase().matchAll(wordPattern)
  for (const [, word = '', suffix = '', punctuation] of matches) {
    // In `don't`, `word` is `don` and `suffix` is `'t`.
    const isNegator = negators.has(word) || (word.endsWith('n') && /^.t$/.test(suffix))
    if (isNegator) negatedWordsLeft = negationReach
    else if (!stopWords.has(word)) {
      const stem = stemOf(word)
      words.set(stem, (words.get(stem) ?? 0) + (negatedWordsLeft > 0 ? -1 : 1))
      negatedWordsLeft -= 1
    }
    if (punctuation !== undefined) negatedWordsLeft = 0
  }
  return words
}

/** Decodes escapes such as `\u00e9`. Other programs write them into JSON text for letters outside ASCII. */
const decodeEscapes = (text: string): string =>
  text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

/** Removes the ending of a word. A word of up to 4 letters loses only an `s`. */
const stemOf = (word: string): string => {
  if (word.length <= 4) return word.endsWith('s') ? word.slice(0, -1) : word
  const ending = endings.find((candidate) => word.endsWith(candidate))
  return ending === undefined ? word : word.slice(0, -ending.length)
}

const questionStems = [...questionWords].map(stemOf)

/** Reads the words of instructions. Skips names in backquotes, which refer to members of the state. */
export const readInstructions = (text: string): Words => {
  const words = new Map(readWords(text.replace(quotedName, ' ')))
  for (const stem of questionStems) words.delete(stem)
  return words
}
