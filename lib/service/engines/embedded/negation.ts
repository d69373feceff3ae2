import { splitIntoParts } from './read-text'
import type { VectorTable } from './vector-table'
import { splitIntoPieces, splitWords } from './word-pieces'

/** Words that negate the words after them. Words that end with `n't` negate too. */
const negators = new Set(
  'no not never none nobody nothing nowhere nor neither without cannot hardly'.split(' '),
)

/** The number of words after a negator that it negates, without `weakWords`. The negation also ends at a punctuation mark. */
const negationReach = 3

/** Words whose negation says little: in "I do not want a refund" the refund is what is negated. */
const weakWords = new Set(
  `a an the to of any for my our your his her their i we you they it he she is are was were be been am have has had do does did will
  would can could may might must shall should that this these those them me us him in on at with by from and or if as so too very yet
  want wants wanted need needs needed please`.split(/\s+/),
)

/** Matches a word, with the letters after an apostrophe and the punctuation mark after it. */
const wordPattern = /([\p{L}\p{M}\p{N}]{1,40})(['’]\p{L}{1,3})?([.!?;:,\n()"])?/gu

/** A word of a text, in lower case. */
interface PolarWord {
  readonly word: string
  readonly isNegated: boolean
}

/** Lists the words of a text without negators and weak words. */
const listPolarWords = function* (text: string): Generator<PolarWord> {
  let negatedWordsLeft = 0
  for (const [, word = '', suffix = '', punctuation] of text.toLowerCase().matchAll(wordPattern)) {
    if (isNegator(word, suffix)) negatedWordsLeft = negationReach
    else if (!weakWords.has(word)) {
      yield { word, isNegated: negatedWordsLeft > 0 }
      negatedWordsLeft -= 1
    }
    if (punctuation !== undefined) negatedWordsLeft = 0
  }
}

/** In `don't`, `word` is `don` and `suffix` is `'t`. */
const isNegator = (word: string, suffix: string): boolean =>
  negators.has(word) || (word.endsWith('n') && /^.t$/.test(suffix))

/** Returns `true` if a text has a word that negates. */
export const hasNegator = (text: string): boolean => {
  for (const [, word = '', suffix = ''] of text.toLowerCase().matchAll(wordPattern))
    if (isNegator(word, suffix)) return true
  return false
}

/**
 * Reads the pieces of words that texts only negate: `refund` in "I do not want a refund". After each part of a text it yields the number
 * of characters in the part, which is a measure of the time that the part took.
 */
export const readNegatedPiecesInSteps = function* (
  texts: ReadonlyArray<string>,
  { vocabulary }: VectorTable,
): Generator<number, ReadonlySet<number>> {
  const affirmed = new Set<number>()
  const negated = new Set<number>()
  for (const part of splitIntoParts(texts)) {
    for (const { word, isNegated } of listPolarWords(part)) {
      const pieces = splitWords(word).flatMap((plain) => splitIntoPieces(plain, vocabulary))
      for (const piece of pieces) (isNegated ? negated : affirmed).add(piece)
    }
    yield part.length
  }
  for (const piece of affirmed) negated.delete(piece)
  return negated
}
