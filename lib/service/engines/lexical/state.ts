import { type Json, kindOf, members, stringOf } from '../../../json/json'
import { readJson } from './read-json'
import { readTerms, type Visit } from './terms'

/**
 * Where each stem occurs in a state: `2 × sentence`, plus 1 where it is negated.
 * Looking a question up costs what its own words occur, whatever the size of the state.
 */
export type Places = ReadonlyMap<string, ReadonlyArray<number>>

/** The words of some instructions, and the part of the state they ask about. */
export interface Asked {
  readonly places: Places
  /** Distinct stems of the instructions, and whether each is negated there. */
  readonly terms: ReadonlyMap<string, boolean>
}

const quoted = /`([^`]+)`/g

/**
 * Reads a state once for all questions of a request. Instructions that name top-level members of the
 * state in backquotes (``Is `ticket` about …``) are judged by those members alone, and the names
 * themselves are no evidence.
 */
export const readState = (state: Json): ((instructions: Json | undefined) => Asked) => {
  const parts = new Map<string, Places>()
  let named: ReadonlyMap<string, Json> | undefined
  const placesOf = (names: ReadonlyArray<string>): Places => {
    const id = JSON.stringify(names)
    const values = names.flatMap((name) => named?.get(name) ?? [])
    const places = parts.get(id) ?? index(values.length === 0 ? [state] : values)
    parts.set(id, places)
    return places
  }
  return (instructions) => {
    const terms = new Map<string, boolean>()
    const add: Visit = (stem, negated) => terms.set(stem, negated)
    if (instructions === undefined) return { places: placesOf([]), terms }
    if (kindOf(instructions) !== 'string' || kindOf(state) !== 'object') {
      readJson(instructions, add)
      return { places: placesOf([]), terms }
    }
    const names: string[] = []
    const text = stringOf(instructions).replace(quoted, (whole, name: string) => {
      named ??= new Map(members(state).map(({ key, value }) => [key, value]))
      if (!named.has(name)) return whole
      names.push(name)
      return ' '
    })
    readTerms(text, 0, add)
    return { places: placesOf(names), terms }
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
  return places
}
