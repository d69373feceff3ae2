import { type Json, kindOf, pickMembers } from '../../../json/json'
import type { Asked } from './asked'
import { complaint, feelingOf, praise } from './feeling'
import type { Places } from './places'
import { readJson } from './read-json'

/** A state, indexed for the questions about it. */
export interface State {
  /** Whether the state is an object with a member of this name, and a question names it in backquotes. */
  readonly isMember: (name: string) => boolean
  /** The index of these members' words, or of the whole state where `named` is empty. */
  readonly placesIn: (named: ReadonlyArray<string>) => Places
}

/** The index of one JSON value, and its number of sentences. */
interface Index extends Places {
  readonly sentences: number
}

/** The most places that are kept of one word; more would hardly change its weight. */
const mostPlaces = 20_000

/**
 * Prepares a state for questions about these words and members, and no others. A value is indexed when a
 * question first needs it, and the index is kept for the next one.
 */
export const readState = (state: Json, { stems, names }: Asked): State => {
  const values: ReadonlyMap<string, Json> =
    kindOf(state) === 'object' && names.size > 0 ? pickMembers(state, names) : new Map()
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

/** Joins the indexes of several values, as if their sentences followed each other. */
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
