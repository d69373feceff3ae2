import { type Json, kindOf, stringOf } from '../../../json/json'
import { readJson } from './read-json'
import { readTerms, type Visit } from './terms'

/** Distinct stems, and whether each is negated where it stands last. */
export type Terms = ReadonlyArray<{ readonly stem: string; readonly negated: boolean }>

/** What instructions ask, whatever the state. */
export interface Instructions {
  /** What stands in backquotes, in order: names of a state's members, perhaps. */
  readonly quoted: ReadonlyArray<string>
  /** The terms without those quoted names that are `named` in a state. */
  readonly terms: (named: ReadonlyArray<string>) => Terms
}

const quotes = /`([^`]+)`/g

/** Reads instructions; only a text can name members of a state. */
export const readInstructions = (instructions: Json | undefined): Instructions => {
  if (instructions === undefined) return { quoted: [], terms: () => [] }
  if (kindOf(instructions) !== 'string') {
    const terms = termsOf((add) => readJson(instructions, add))
    return { quoted: [], terms: () => terms }
  }
  const text = stringOf(instructions)
  const quoted = [...text.matchAll(quotes)].map(([, name = '']) => name)
  const without = (named: ReadonlyArray<string>): Terms => {
    const known = new Set(named)
    const rest = text.replace(quotes, (whole, name: string) => (known.has(name) ? ' ' : whole))
    return termsOf((add) => readTerms(rest, 0, add))
  }
  if (quoted.length === 0) {
    const terms = without([])
    return { quoted, terms: () => terms }
  }
  let last: { readonly named: ReadonlyArray<string>; readonly terms: Terms } | undefined
  return {
    quoted,
    terms: (named) => {
      if (last === undefined || !same(last.named, named)) last = { named, terms: without(named) }
      return last.terms
    },
  }
}

const termsOf = (read: (add: Visit) => void): Terms => {
  const terms = new Map<string, boolean>()
  read((stem, negated) => terms.set(stem, negated))
  return [...terms].map(([stem, negated]) => ({ stem, negated }))
}

const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((name, i) => name === b[i])
