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
