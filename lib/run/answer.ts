import { isCount, namesInOrder, objectOf, type Plain, type PlainObject } from './plain'

/** Probabilities by label or level, in the order of the answer. */
export type Probabilities = ReadonlyArray<readonly [label: string, probability: number]>

/** An answer of a record: what figures and gates are made from. spec: Response document */
export type RunAnswer =
  | { readonly type: 'noul'; readonly noul: number }
  | {
      readonly type: 'choice'
      readonly choice: string
      readonly confidence: number
      /** Empty where the service gave none. */
      readonly probabilities: Probabilities
      /** Where the options were asked in several orders. R13 */
      readonly orders?: Orders
    }
  | {
      readonly type: 'score'
      readonly score: number
      readonly confidence: number
      readonly probabilities: Probabilities
    }
  /** Of a type that this program does not know. */
  | { readonly type: 'other'; readonly name: string }

/** What gates and policies ask of a row's answers, by question id. */
export type Answers = Pick<ReadonlyMap<string, RunAnswer>, 'get'>

/** How far the orders of a choice's options agree. R13 */
interface Orders {
  readonly n: number
  /** The largest range of one label's probability over the orders. */
  readonly spread: number
  /** Orders that chose another label than the mean. */
  readonly flips: number
}

/**
 * Reads one answer of a record, or tells what is wrong with it. `names` gives the names of `probabilities`
 * in the order of the text, which plain objects lose for names such as `10`.
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

/** In the order of `names`, where it is given. Absent and null stand for none. */
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
