import { itemsOf, type Json, kindOf, membersOf, numberOf, stringOf, textOf } from '../json/json'

/**
 * A value as `JSON.parse` gives it. Number literals and the position of names such as `10` are lost.
 */
export type Plain = string | number | boolean | null | ReadonlyArray<Plain> | PlainObject

/**
 * An object from `JSON.parse`. It inherits `toString` and other members, so only read names that are not
 * inherited, or go through its keys.
 */
export type PlainObject = { readonly [name: string]: Plain }

/** Turns a value into what `JSON.parse` would make of it. Throws where it is nested too deeply for the stack. */
export const plainOf = (json: Json): Plain => {
  switch (kindOf(json)) {
    case 'object':
      return Object.fromEntries(membersOf(json).map(({ key, value }) => [key, plainOf(value)]))
    case 'array':
      return itemsOf(json).map(plainOf)
    case 'string':
      return stringOf(json)
    case 'number':
      return numberOf(json)
    case 'boolean':
      return textOf(json) === 'true'
    case 'null':
      return null
  }
}

/** The value if it is an object, else `undefined`. */
export const objectOf = (value: Plain | undefined): PlainObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as PlainObject)
    : undefined

/**
 * The names of an object in the order of its text. JavaScript objects put names such as `10` first; only then
 * is `text` called, which reads the names from the text.
 */
export const namesInOrder = (
  object: PlainObject,
  text: () => ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const names = Object.keys(object)
  return /^(?:0|[1-9]\d{0,9})$/.test(names[0] ?? '') ? text() : names
}

/** Whether a value is a whole number from 0 on. */
export const isCount = (value: Plain | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
