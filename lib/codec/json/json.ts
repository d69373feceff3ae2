/** A JSON value. Objects keep the order of their keys, and numbers keep their text. */
export type JsonValue = null | boolean | string | Literal | JsonArray | JsonObject

/** A JSON array. */
export type JsonArray = JsonValue[]

/** A JSON object. A plain object of JavaScript would reorder keys such as `10` and treat `__proto__` specially. */
export type JsonObject = Map<string, JsonValue>

/** A JSON number as its text: `1.0`, `1e400` and numbers of many digits stay as they are written. */
export class Literal {
  constructor(readonly text: string) {}
}

/** Whether a value that is JSON of any kind, or absent, is an object. */
export const isObject = (value: unknown): value is JsonObject => value instanceof Map

/** Whether a value that is JSON of any kind, or absent, is an array. */
export const isArray = (value: unknown): value is JsonArray => Array.isArray(value)

/** The value, or `undefined` for null. */
export const dropNull = <A extends JsonValue>(value: A | undefined): Exclude<A, null> | undefined =>
  (value ?? undefined) as Exclude<A, null> | undefined

/** The value of a member; `undefined` if there is none, and if `object` is another kind of value. */
export const memberIn = (object: JsonValue | undefined, key: string): JsonValue | undefined =>
  object instanceof Map ? object.get(key) : undefined

/** The members of an object; none if the value is no object. */
export const membersIn = (json: JsonValue | undefined): JsonObject =>
  json instanceof Map ? json : new Map()

/** The elements of an array; none if the value is no array. */
export const itemsIn = (json: JsonValue | undefined): JsonArray => (Array.isArray(json) ? json : [])

/** The text of a string; `undefined` if the value is no string. */
export const stringIn = (json: JsonValue | undefined): string | undefined =>
  typeof json === 'string' ? json : undefined

/** A JSON number as the nearest double. `1e400` is `Infinity`. */
export const numberOf = (literal: Literal): number => Number(literal.text)

/** A JSON number as the nearest double; `undefined` if the value is no number. */
export const numberIn = (json: JsonValue | undefined): number | undefined =>
  json instanceof Literal ? numberOf(json) : undefined

/** Counts the values in a JSON value: itself, and each member and element at any depth. */
export const countValues = (json: JsonValue): number => {
  let count = 1
  if (json instanceof Map) for (const value of json.values()) count += countValues(value)
  else if (Array.isArray(json)) for (const value of json) count += countValues(value)
  return count
}
