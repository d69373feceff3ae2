import { type Draft, encode } from '../json/draft'
import { Json } from '../json/json'

/**
 * Turns a value of JavaScript into JSON, as `JSON.stringify` writes it. `undefined` where it cannot be written: a
 * function, a big integer, an object that holds itself.
 */
export const encodeValue = (value: unknown): Json | undefined => {
  try {
    const text: string | undefined = JSON.stringify(value)
    if (text === undefined) return undefined
    const bytes = Buffer.from(text)
    return new Json(bytes, 0, bytes.length)
  } catch {
    return undefined
  }
}

/** Turns a document that the library wrote into values of JavaScript. */
export const parseDraft = <A>(draft: Draft): A => JSON.parse(encode(draft).toString())

/** Defines a member that `JSON.stringify` leaves out. */
export const define = (target: object, name: string, get: () => unknown): void => {
  Object.defineProperty(target, name, { get })
}
