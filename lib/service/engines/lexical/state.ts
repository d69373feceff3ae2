import { type Json, kindOf, members } from '../../../json/json'
import { complaint, feelingOf, praise } from './feeling'
import { readJson } from './read-json'

/**
 * Where each stem occurs in a state: twice the number of the sentence, plus 1 where the word is negated there.
 * With this index a question costs as much time as its own words occur, however large the state is.
 */
export type Places = ReadonlyMap<string, ReadonlyArray<number>>

/** A state that questions are asked about. */
export interface State {
  /** Whether the state is an object with a member of this name. */
  readonly isMember: (name: string) => boolean
  /**
   * The words of these members, or of the whole state where none is named. Questions that name the same share
   * the index.
   */
  readonly placesIn: (named: ReadonlyArray<string>) => Places
}

/** Prepares a state for questions. Its words are read when the first question needs them. */
export const readState = (state: Json): State => {
  const values = new Map(
    kindOf(state) === 'object' ? members(state).map(({ key, value }) => [key, value]) : [],
  )
  const read = new Map<string, Places>()
  return {
    isMember: (name) => values.has(name),
    placesIn: (named) => {
      const key = JSON.stringify(named)
      const known = read.get(key)
      if (known !== undefined) return known
      const parts = named.length === 0 ? [state] : named.flatMap((name) => values.get(name) ?? [])
      const places = index(parts)
      read.set(key, places)
      return places
    },
  }
}

const index = (values: ReadonlyArray<Json>): Places => {
  const places = new Map<string, number[]>()
  let base = 0
  for (const value of values) {
    base += readJson(value, (stem, negated, sentence) => {
      const place = 2 * (base + sentence) + (negated ? 1 : 0)
      const found = places.get(stem)
      if (found === undefined) places.set(stem, [place])
      else found.push(place)
    })
  }
  const feelings = { [praise]: [] as number[], [complaint]: [] as number[] }
  for (const [stem, found] of places) {
    const feeling = feelingOf(stem)
    if (feeling !== 0)
      for (const place of found) feelings[feeling > 0 ? praise : complaint].push(place)
  }
  for (const [word, found] of Object.entries(feelings))
    if (found.length > 0) places.set(word, found)
  return places
}
