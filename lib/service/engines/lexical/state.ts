import { type Json, kindOf, membersNamed } from '../../../json/json'
import type { Asked } from './asked'
import { complaint, feelingOf, praise } from './feeling'
import type { Places } from './places'
import { readJson } from './read-json'

/** A state that questions are asked about. */
export interface State {
  /** Whether the state is an object with a member of this name, which a question names in backquotes. */
  readonly isMember: (name: string) => boolean
  /** The words of these members, or of the whole state where none is named. */
  readonly placesIn: (named: ReadonlyArray<string>) => Places
}

/** The words of one value, and how many sentences it has. */
interface Index extends Places {
  readonly sentences: number
}

/** Of a word that occurs more often, the first so many places count. The weight of further ones is next to nothing. */
const mostPlaces = 20_000

/**
 * Prepares a state for questions that ask for these words and members; others it does not know. What is read of it is
 * remembered for the next question.
 */
export const readState = (state: Json, { stems, names }: Asked): State => {
  const values: ReadonlyMap<string, Json> =
    kindOf(state) === 'object' && names.size > 0 ? membersNamed(state, names) : new Map()
  const known = new Map<Json, Index>()
  const indexed = (value: Json): Index => {
    const index = known.get(value) ?? read(value, stems)
    known.set(value, index)
    return index
  }
  return {
    isMember: (name) => values.has(name),
    placesIn: (named) => {
      const parts = named.length === 0 ? [state] : named.flatMap((name) => values.get(name) ?? [])
      const indexes = parts.map(indexed)
      return indexes.length === 1 ? (indexes[0] as Index) : joined(indexes)
    },
  }
}

const read = (value: Json, stems: ReadonlySet<string>): Index => {
  const places = new Map<string, number[]>()
  const add = (word: string, place: number): void => {
    const found = places.get(word)
    if (found === undefined) places.set(word, [place])
    else if (found.length < mostPlaces) found.push(place)
  }
  const sentences = readJson(value, (stem, negated, sentence) => {
    const place = 2 * sentence + (negated ? 1 : 0)
    if (stems.has(stem)) add(stem, place)
    const feeling = feelingOf(stem)
    if (feeling !== 0) add(feeling > 0 ? praise : complaint, place)
  })
  return { get: (stem) => places.get(stem), sentences }
}

/** Several values as one: the sentences of each come after those of the one before. */
const joined = (parts: ReadonlyArray<Index>): Places => ({
  get: (stem) => {
    let base = 0
    const all: number[] = []
    for (const { get, sentences } of parts) {
      for (const place of get(stem) ?? []) all.push(2 * base + place)
      base += sentences
    }
    return all.length === 0 ? undefined : all
  },
})
