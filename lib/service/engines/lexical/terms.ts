import { stemmer } from 'stemmer'
import { negators, stopWords, turns } from './stop-words'

/** Called for each word with its stem, whether it is negated, and the number of its sentence. */
export type Visit = (stem: string, negated: boolean, sentence: number) => void

interface Word {
  readonly kind: 'term' | 'stop' | 'negator' | 'turn'
  readonly stems: ReadonlyArray<string>
}

const tokens = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)*|[.!?;:,\n()]/gu
const marks = new Set('.!?;:,\n()')
const camel = /(?<=\p{Ll})(?=\p{Lu})/u
const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
/** How many words a negation reaches. */
const reach = 3
/** The most characters of a word that are read. */
const longest = 40
/**
 * Words up to this length are remembered with their stems, which makes a large state three times as fast to
 * read. V8 keeps a longer part of a string as a pointer into it, so remembering one would keep the whole state
 * in memory.
 */
const longestKnown = 12
const mostKnown = 8_000
const known = new Map<string, Word>()

/** Forgets the words of earlier requests once `mostKnown` are remembered. */
export const makeRoom = (): void => {
  if (known.size >= mostKnown) known.clear()
}

/**
 * Reads a text word by word: in lower case, reduced to stems, without stop words. A negation reaches over the
 * next three words of its clause. The first sentence has the number `sentence`; returns the number after that
 * of the last.
 */
export const readTerms = (text: string, sentence: number, visit: Visit): number => {
  let at = sentence
  let reached = 0
  let any = false
  tokens.lastIndex = 0
  for (let m = tokens.exec(text); m !== null; m = tokens.exec(text)) {
    const token = m[0]
    if (token.length === 1 && marks.has(token)) {
      reached = 0
      if (any && endsSentence(text, tokens.lastIndex, token)) {
        at += 1
        any = false
      }
      continue
    }
    const word = wordOf(token)
    if (word.kind === 'negator') reached = reach
    else if (word.kind === 'turn') reached = 0
    else if (word.kind === 'term') {
      for (const stem of word.stems) visit(stem, reached > 0, at)
      any = true
      if (reached > 0) reached -= 1
    }
  }
  return at + 1
}

/** A full stop within a word (`1.5`, `v2.8`, `a.b`) ends no sentence. */
const endsSentence = (text: string, after: number, mark: string): boolean =>
  mark === '.'
    ? after === text.length || text.charCodeAt(after) <= 0x20
    : mark === '\n' || mark === '!' || mark === '?' || mark === ';'

const wordOf = (token: string): Word => {
  const found = known.get(token)
  if (found !== undefined) return found
  const word = classify(token)
  if (token.length <= longestKnown) {
    if (known.size < mostKnown) known.set(token, word)
  }
  return word
}

const classify = (token: string): Word => {
  const lower = token.toLowerCase()
  if (/n['’]t$/.test(lower) || negators.has(lower)) return { kind: 'negator', stems: [] }
  if (turns.has(lower)) return { kind: 'turn', stems: [] }
  const parts = token === lower ? [token] : token.slice(0, longest).split(camel)
  const stems = parts.flatMap((part) => stemsOf(part.slice(0, longest).toLowerCase()))
  return stems.length === 0 ? { kind: 'stop', stems } : { kind: 'term', stems }
}

const stemsOf = (word: string): ReadonlyArray<string> => {
  const lower = word.replace(/['’].*$/, '')
  if (stopWords.has(lower)) return []
  if (/^[a-z]+$/.test(lower)) return [stemmer(lower)]
  if (/^[a-z0-9]+$/.test(lower)) return [lower]
  const plain = lower.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return ideographs.test(plain) ? [...plain] : [plain]
}
