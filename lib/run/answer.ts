import { isCount, namesInOrder, objectOf, type Plain, type PlainObject } from './plain'

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
export const leadOf = (
  probabilities: Probabilities,
): { readonly top: number; readonly margin: number } | undefined => {
  const [top, second = 0] = probabilities.map(([, p]) => p).sort((a, b) => b - a)
  return top === undefined ? undefined : { top, margin: top - second }
}

/**
 * Reads an answer in a record, or returns what is wrong with it. `names` returns the names in `probabilities`
 * in the order of the text: plain objects put names such as `10` first.
 */
export const readAnswer = (
  value: Plain,
  names: () => ReadonlyArray<string>,
): RunAnswer | { readonly fault: string } => {
  const answer = objectOf(value)
  if (answer === undefined) return { fault: 'must be an object' }
  const type = answer.type
  if (typeof type !== 'string' || type === '') return { fault: 'must have a "type"' }
  switch (type) {
    case 'noul': {
      const noul = answer.noul
      return typeof noul === 'number' ? { type, noul } : needs('noul', 'a number')
    }
    case 'choice':
      return choiceOf(answer, names)
    case 'score': {
      const score = answer.score
      const confidence = answer.confidence
      const probabilities = probabilitiesOf(answer)
      if (typeof score !== 'number') return needs('score', 'a number')
      if (typeof confidence !== 'number') return needs('confidence', 'a number')
      if (probabilities === undefined) return needs('probabilities', 'an object of numbers')
      return { type, score, confidence, probabilities }
    }
    default:
      return { type: 'other', name: type }
  }
}

const needs = (field: string, what: string) => ({ fault: `"${field}" must be ${what}` })

const choiceOf = (
  answer: PlainObject,
  names: () => ReadonlyArray<string>,
): RunAnswer | { readonly fault: string } => {
  const choice = answer.choice
  const confidence = answer.confidence
  const probabilities = probabilitiesOf(answer, names)
  const orders = answer.orders
  const told = orders === undefined ? undefined : ordersOf(orders)
  if (typeof choice !== 'string') return needs('choice', 'a text')
  if (typeof confidence !== 'number') return needs('confidence', 'a number')
  if (probabilities === undefined) return needs('probabilities', 'an object of numbers')
  return {
    type: 'choice',
    choice,
    confidence,
    probabilities,
    ...(told && { orders: told }),
  }
}

/**
 * Reads probabilities, in the order of `names` where that is given. Absent and null mean none; `undefined` for
 * anything that is not an object of numbers.
 */
const probabilitiesOf = (
  answer: PlainObject,
  names?: () => ReadonlyArray<string>,
): Probabilities | undefined => {
  const given = answer.probabilities ?? null
  if (given === null) return []
  const object = objectOf(given)
  if (object === undefined) return undefined
  const list: Array<readonly [string, number]> = []
  for (const name of names ? namesInOrder(object, names) : Object.keys(object)) {
    const value = object[name]
    if (typeof value !== 'number') return undefined
    list.push([name, value])
  }
  return list
}

const ordersOf = (value: Plain): Orders | undefined => {
  const orders = objectOf(value)
  if (orders === undefined) return undefined
  const n = orders.n
  const spread = orders.spread
  const flips = orders.flips
  return isCount(n) && typeof spread === 'number' && isCount(flips)
    ? { n, spread, flips }
    : undefined
}
