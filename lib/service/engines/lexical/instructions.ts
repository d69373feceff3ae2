import { stemmer } from 'stemmer'
import { type Json, kindOf, stringOf } from '../../../json/json'
import { readJson } from './read-json'
import { questionWords } from './stop-words'
import { readTerms, type Visit } from './terms'

/** Word stems, each once. `negated` says whether the word's last occurrence was negated. */
export type Terms = ReadonlyArray<{ readonly stem: string; readonly negated: boolean }>

/** What a question's instructions look for in a state. */
interface Instructions {
  /** The members of the state that the instructions name in backquotes, each once, in order. */
  readonly named: ReadonlyArray<string>
  /** The words of the instructions, without those names. */
  readonly terms: Terms
}

const quotes = /`([^`]+)`/g

/**
 * Reads a question's instructions. `isMember` is asked for each name in backquotes whether the state has a member
 * of that name. Only instructions that are a string can name members.
 */
export const readInstructions = (
  instructions: Json | undefined,
  isMember: (name: string) => boolean,
): Instructions => {
  if (instructions === undefined) return { named: [], terms: [] }
  if (kindOf(instructions) !== 'string') {
    return { named: [], terms: termsOf((add) => readJson(instructions, add)) }
  }
  const named = new Set<string>()
  const text = stringOf(instructions).replace(quotes, (whole, name: string) => {
    if (!isMember(name)) return whole
    named.add(name)
    return ' '
  })
  return { named: [...named], terms: termsOf((add) => readTerms(text, 0, add)) }
}

/** The stems of words such as "how" and "which", which only frame a question. */
const framing: ReadonlySet<string> = new Set([...questionWords].map(stemmer))

/** The most different words that are kept of one text. */
export const mostTerms = 100_000

const termsOf = (read: (add: Visit) => void): Terms => {
  const terms = new Map<string, boolean>()
  read((stem, negated) => {
    if (framing.has(stem)) return
    if (terms.size < mostTerms || terms.has(stem)) terms.set(stem, negated)
  })
  return [...terms].map(([stem, negated]) => ({ stem, negated }))
}
