import * as E from 'fp-ts/Either'
import { type Draft, encodeText } from '../codec/json/draft'
import type { JsonValue } from '../codec/json/json'
import { parseText } from '../codec/json/parse'

/**
 * Returns the JSON text of a value; `undefined` if `JSON.stringify` cannot encode it: a function, a big integer, an object that
 * contains itself.
 */
export const stringify = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Encodes a JavaScript value as svc's JSON value; `undefined` if `stringify` cannot, or if the value is nested too deeply. */
export const encodeValue = (value: unknown): JsonValue | undefined => {
  const text = stringify(value)
  if (text === undefined) return undefined
  const parsed = parseText(text)
  return E.isRight(parsed) ? parsed.right : undefined
}

/** Converts a document of the library to JavaScript values. */
export const parseDraft = <A>(draft: Draft): A => JSON.parse(encodeText(draft))

/** Adds a JSON text to an object as `json`, a member that `JSON.stringify` leaves out. */
export const defineText = <A extends object>(target: A, text: string): A =>
  Object.defineProperty(target, 'json', { value: text })

/** The member with the function that encodes an object, for the getter below. */
const encoder = Symbol('encoder')

/** The getter of `json`. All objects share it, since V8 would create a hidden class for each object with another getter. */
const lazyText = {
  get(this: { readonly [encoder]: () => string }): string {
    return this[encoder]()
  },
}

/** Adds `json` to an object like `defineText`, but encodes it on first use, since that takes a tenth of the time of a call. */
export const defineLazyText = <A extends object>(
  target: A,
  encodeLazily: () => string,
): A & { readonly json: string } =>
  Object.defineProperty(
    Object.defineProperty(target, encoder, { value: encodeLazily }),
    'json',
    lazyText,
  ) as never

/** Parses the text of an object, and adds the text to it as `json`. */
export const parseWithText = <A extends { readonly json: string }>(text: string): A =>
  defineText(JSON.parse(text), text)
