import { stringIn } from '../json/field'
import { type Json, kindOf } from '../json/json'
import { countIn, fieldsOf, numberIn } from './fields'

/** The probability of each label or level, in the order of the answer. */
export type Probabilities = ReadonlyArray<readonly [label: string, probability: number]>

/** An answer in a record, as far as figures and gates use it. spec: Response document */
export type RunAnswer =
  | { readonly type: 'noul'; readonly noul: number }
  | {
      readonly type: 'choice'
      readonly choice: string
      readonly confidence: number
      /** Empty where the service sent none. */
      readonly probabilities: Probabilities
      /** Present where the options were asked in several orders. R13 */
      readonly orders?: Orders
    }
  | {
      readonly type: 'score'
      readonly score: number
      readonly confidence: number
      readonly probabilities: Probabilities
    }
  /** An answer of a type that this program does not know. */
  | { readonly type: 'other'; readonly name: string }

/** The answers of a row by question id, as far as gates and policies read them. */
export type Answers = Pick<ReadonlyMap<string, RunAnswer>, 'get'>

/** How far the answers to several orders of a choice's options agree. R13 */
interface Orders {
  readonly n: number
  /** The largest difference between two orders in the probability of one label. */
  readonly spread: number
  /** How many orders chose another label than the mean. */
  readonly flips: number
}

/** The level with the largest probability, the lowest of equal ones; `undefined` where there are none. R14 */
export const likeliestLevel = (probabilities: Probabilities): string | undefined => {
  let level: string | undefined
  let largest = Number.NEGATIVE_INFINITY
  for (const [name, p] of probabilities) {
    if (p > largest || (p === largest && Number(name) < Number(level))) {
      level = name
      largest = p
    }
  }
  return level
}

/**
 * The largest probability, and its margin: how far it is above the second, or all of it where there is no
 * second. `undefined` where there are none. R14, R25
 */
export const lead = (
  probabilities: Probabilities,
): { readonly top: number; readonly margin: number } | undefined => {
  const [top, second = 0] = probabilities.map(([, p]) => p).sort((a, b) => b - a)
  return top === undefined ? undefined : { top, margin: top - second }
}

/** Reads an answer in a record, or returns what is wrong with it. */
export const readAnswer = (value: Json): RunAnswer | { readonly fault: string } => {
  const fields = fieldsOf(value)
  if (fields === undefined) return { fault: 'must be an object' }
  const type = stringIn(fields.get('type'))
  switch (type) {
    case undefined:
    case '':
      return { fault: 'must have a "type"' }
    case 'noul': {
      const noul = numberIn(fields.get('noul'))
      return noul === undefined ? needs('noul', 'a number') : { type, noul }
    }
    case 'choice': {
      const choice = stringIn(fields.get('choice'))
      const orders = ordersOf(fields.get('orders'))
      if (choice === undefined) return needs('choice', 'a text')
      const shared = distributionOf(fields)
      return 'fault' in shared ? shared : { type, choice, ...shared, ...(orders && { orders }) }
    }
    case 'score': {
      const score = numberIn(fields.get('score'))
      if (score === undefined) return needs('score', 'a number')
      const shared = distributionOf(fields)
      if ('fault' in shared) return shared
      // Services may list levels in any order; figures begin with the lowest.
      const probabilities = [...shared.probabilities].sort(([a], [b]) => Number(a) - Number(b))
      return { type, score, ...shared, probabilities }
    }
    default:
      return { type: 'other', name: type }
  }
}

const needs = (field: string, what: string) => ({ fault: `"${field}" must be ${what}` })

type Fields = ReadonlyMap<string, Json>

/** Reads what choices and scores have in common. Absent and null probabilities mean none. */
const distributionOf = (
  fields: Fields,
):
  | { readonly confidence: number; readonly probabilities: Probabilities }
  | { readonly fault: string } => {
  const confidence = numberIn(fields.get('confidence'))
  const given = fields.get('probabilities')
  const probabilities = given === undefined || kindOf(given) === 'null' ? [] : numbersOf(given)
  if (confidence === undefined) return needs('confidence', 'a number')
  if (probabilities === undefined) return needs('probabilities', 'an object of numbers')
  return { confidence, probabilities }
}

/** Reads an object of numbers; `undefined` for anything else. */
const numbersOf = (value: Json): Probabilities | undefined => {
  const fields = fieldsOf(value)
  if (fields === undefined) return undefined
  const numbers = [...fields].map(([name, one]) => [name, numberIn(one)] as const)
  const areNumbers = numbers.every(
    (pair): pair is readonly [string, number] => pair[1] !== undefined,
  )
  return areNumbers ? numbers : undefined
}

const ordersOf = (value: Json | undefined): Orders | undefined => {
  const orders = fieldsOf(value)
  const n = countIn(orders?.get('n'))
  const spread = numberIn(orders?.get('spread'))
  const flips = countIn(orders?.get('flips'))
  return n !== undefined && spread !== undefined && flips !== undefined
    ? { n, spread, flips }
    : undefined
}
