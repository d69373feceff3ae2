import * as E from 'fp-ts/Either'
import { type Draft, encodeText } from '../codec/json/draft'
import type { JsonValue } from '../codec/json/json'
import { parseText } from '../codec/json/parse'

/**
 * Returns the JSON text of a value. Returns `undefined` if JSON cannot express it: a function, a big integer, an object that contains
 * itself.
 */
export const stringify = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Encodes a JavaScript value as svc's JSON value. Returns `undefined` if `stringify` does, or if there are over 1,000 levels. */
export const encodeValue = (value: unknown): JsonValue | undefined => {
  const text = stringify(value)
  if (text === undefined) return undefined
  const parsed = parseText(text)
  return E.isRight(parsed) ? parsed.right : undefined
}

/** Converts a document that svc composes to plain JavaScript values, by way of its JSON text. */
export const parseDraft = <A>(draft: Draft): A => JSON.parse(encodeText(draft))

/** Adds a JSON text to an object as `json`, a member that `JSON.stringify` leaves out. */
export const addJsonText = <A extends object>(target: A, text: string): A =>
  Object.defineProperty(target, 'json', { value: text })

/** The key of a member with a function that encodes the object. The getter of `json` calls that function. */
const encoderKey = Symbol('encoder')

/** The getter of `json`. All objects share it, since V8 would create a hidden class for each object with another getter. */
const lazyJsonText = {
  get(this: { readonly [encoderKey]: () => string }): string {
    return this[encoderKey]()
  },
}

/** Adds `json` to an object like `addJsonText`, but encodes the text only when `json` is read, because encoding takes a tenth of a call. */
export const addLazyJsonText = <A extends object>(
  target: A,
  encodeLazily: () => string,
): A & { readonly json: string } => {
  Object.defineProperty(target, encoderKey, { value: encodeLazily })
  Object.defineProperty(target, 'json', lazyJsonText)
  // TypeScript does not know that `defineProperty` adds a member.
  return target as A & { readonly json: string }
}

/** Parses the text of an object, and adds the text to it as `json`. */
export const parseWithJsonText = <A extends { readonly json: string }>(text: string): A =>
  addJsonText(JSON.parse(text), text)
