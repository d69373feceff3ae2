import { type Json, kindOf, members } from '../../../json/json'
import type { Instructions, Terms } from './instructions'
import { readJson } from './read-json'

/**
 * Where each stem occurs in a state: `2 × sentence`, plus 1 where it is negated.
 * Looking a question up costs what its own words occur, whatever the size of the state.
 */
export type Places = ReadonlyMap<string, ReadonlyArray<number>>

/** The words of some instructions, and the part of the state they ask about. */
export interface Asked {
  readonly places: Places
  readonly terms: Terms
}

const none: ReadonlyArray<string> = []

/**
 * Reads a state once for all questions of a request. Instructions that name top-level members of the
 * state in backquotes (``Is `ticket` about …``) are judged by those members alone, and the names
 * themselves are no evidence.
 */
export const readState = (state: Json): ((instructions: Instructions) => Asked) => {
  const parts = new Map<string, Places>()
  let values: ReadonlyMap<string, Json> | undefined
  const namedBy = ({ quoted }: Instructions): ReadonlyArray<string> => {
    if (quoted.length === 0 || kindOf(state) !== 'object') return none
    values ??= new Map(members(state).map(({ key, value }) => [key, value]))
    return quoted.filter((name) => values?.has(name))
  }
  const placesOf = (named: ReadonlyArray<string>): Places => {
    const id = idOf(named)
    const known = parts.get(id)
    if (known !== undefined) return known
    const places = index(named.length === 0 ? [state] : named.flatMap((n) => values?.get(n) ?? []))
    parts.set(id, places)
    return places
  }
  return (instructions) => {
    const named = namedBy(instructions)
    return { places: placesOf(named), terms: instructions.terms(named) }
  }
}

/** One name, the usual case, needs no encoding; no other list of names begins like it. */
const idOf = (named: ReadonlyArray<string>): string =>
  named.length === 1 ? `=${named[0]}` : JSON.stringify(named)

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
  return places
}
