/** A JSON value. Objects keep the order of their keys, and numbers keep their text. */
export type JsonValue = null | boolean | string | Literal | JsonArray | JsonObject

/** A JSON array. */
export type JsonArray = JsonValue[]

/** A JSON object. It is a `Map` because a plain object would reorder keys such as `10`, and treat `__proto__` specially. */
export type JsonObject = Map<string, JsonValue>

/** A JSON number as its text. As a double, `1.0`, `1e400` and numbers with many digits would change. */
export class Literal {
  constructor(readonly text: string) {}
}

export const isObject = (value: unknown): value is JsonObject => value instanceof Map

export const isArray = (value: unknown): value is JsonArray => Array.isArray(value)

/** Converts null to `undefined`. */
export const dropNull = <A extends JsonValue>(value: A | undefined): Exclude<A, null> | undefined =>
  (value ?? undefined) as Exclude<A, null> | undefined

/** Returns the value of a member; `undefined` if it is absent or `object` is not an object. */
export const memberIn = (object: JsonValue | undefined, key: string): JsonValue | undefined =>
  object instanceof Map ? object.get(key) : undefined

/** Returns the value if it is an object, or else an empty object. */
export const membersIn = (json: JsonValue | undefined): JsonObject =>
  json instanceof Map ? json : new Map()

/** Returns the value if it is an array, or else an empty array. */
export const itemsIn = (json: JsonValue | undefined): JsonArray => (Array.isArray(json) ? json : [])

/** Returns the value if it is a string, or else `undefined`. */
export const stringIn = (json: JsonValue | undefined): string | undefined =>
  typeof json === 'string' ? json : undefined

/** Converts a JSON number to the nearest double. `1e400` becomes `Infinity`. */
export const numberOf = (number: Literal): number => Number(number.text)

/** Converts a JSON number to the nearest double; `undefined` if the value is not a number. */
export const numberIn = (json: JsonValue | undefined): number | undefined =>
  json instanceof Literal ? numberOf(json) : undefined

/** Counts the value itself, and all members and elements at any depth. */
export const countValues = (json: JsonValue): number => {
  let count = 1
  if (json instanceof Map) for (const value of json.values()) count += countValues(value)
  else if (Array.isArray(json)) for (const value of json) count += countValues(value)
  return count
}
