import * as E from 'fp-ts/Either'
import { type Draft, encodeText } from '../codec/json/draft'
import type { JsonValue } from '../codec/json/json'
import { parseText } from '../codec/json/parse'

/**
 * The text of a value, as `JSON.stringify` writes it; `undefined` for what it cannot write: a function, a big integer, an
 * object that holds itself.
 */
export const stringify = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Turns a value of JavaScript into JSON; `undefined` if `stringify` cannot write it. */
export const encodeValue = (value: unknown): JsonValue | undefined => {
  const text = stringify(value)
  if (text === undefined) return undefined
  const parsed = parseText(text)
  return E.isRight(parsed) ? parsed.right : undefined
}

/** Turns a document that the library wrote into values of JavaScript. */
export const parseDraft = <A>(draft: Draft): A => JSON.parse(encodeText(draft))

/** Gives an object its JSON text as `json`, which `JSON.stringify` leaves out. */
export const defineText = <A extends object>(target: A, text: string): A =>
  Object.defineProperty(target, 'json', { value: text })

/** Holds what writes the text of an object, for the getter below. */
const source = Symbol('source')

/** All objects share this getter. With a getter of its own, each object would need a hidden class of its own in V8. */
const writtenText = {
  get(this: { readonly [source]: () => string }): string {
    return this[source]()
  },
}

/** Gives an object its JSON text as `json`, which is only written when it is read: that takes as long as a tenth of a call. */
export const defineTextLater = <A extends object>(
  target: A,
  write: () => string,
): A & { readonly json: string } =>
  Object.defineProperty(
    Object.defineProperty(target, source, { value: write }),
    'json',
    writtenText,
  ) as never

/** Turns the text of an object into that object, which keeps the text as `json`. */
export const parseWithText = <A extends { readonly json: string }>(text: string): A =>
  defineText(JSON.parse(text), text)
