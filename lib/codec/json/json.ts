/** A JSON value. Objects keep the order of their keys, and numbers keep their text. */
export type JsonValue = null | boolean | string | Literal | JsonArray | JsonObject

/** A JSON array. */
export type JsonArray = ReadonlyArray<JsonValue>

/** A JSON object. A plain object of JavaScript would reorder keys such as `10` and treat `__proto__` specially. */
export type JsonObject = ReadonlyMap<string, JsonValue>

/** A JSON number as its text: `1.0`, `1e400` and numbers of many digits stay as they are written. */
export class Literal {
  constructor(readonly text: string) {}
}

/** The kind of a JSON value. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** The kind of a value. */
export const kindOf = (json: JsonValue): JsonKind => {
  if (typeof json === 'string') return 'string'
  if (json instanceof Literal) return 'number'
  if (json instanceof Map) return 'object'
  if (Array.isArray(json)) return 'array'
  return json === null ? 'null' : 'boolean'
}

/** The type of the values of each kind. */
export interface KindTypes {
  object: JsonObject
  array: JsonArray
  string: string
  number: Literal
  boolean: boolean
  null: null
}

/** Whether a value is of this kind. */
export const isKind = <K extends JsonKind>(value: unknown, kind: K): value is KindTypes[K] =>
  value !== undefined && kindOf(value as JsonValue) === kind

/** A member of an object. */
export interface Member {
  readonly key: string
  readonly value: JsonValue
}

/** The members of an object in order. */
export const membersOf = (object: JsonValue): ReadonlyArray<Member> =>
  Array.from(valuesOf(object), ([key, value]) => ({ key, value }))

/** The values of an object by key. */
export const valuesOf = (object: JsonValue): JsonObject =>
  isKind(object, 'object') ? object : noMembers

const noMembers: JsonObject = new Map()

/** The value, or `undefined` for null. */
export const dropNull = <A extends JsonValue>(value: A | undefined): Exclude<A, null> | undefined =>
  (value ?? undefined) as Exclude<A, null> | undefined

/** The value of a member; `undefined` if there is none, and if `object` is another kind of value. */
export const memberIn = (object: JsonValue | undefined, key: string): JsonValue | undefined =>
  object instanceof Map ? object.get(key) : undefined

/** The elements of an array. */
export const itemsOf = (array: JsonValue): JsonArray => itemsIn(array)

/** The elements of an array; none if the value is no array. */
export const itemsIn = (json: JsonValue | undefined): JsonArray =>
  isKind(json, 'array') ? json : []

/** The text of a string. */
export const stringOf = (json: JsonValue): string => stringIn(json) ?? ''

/** The text of a string; `undefined` if the value is no string. */
export const stringIn = (json: JsonValue | undefined): string | undefined =>
  typeof json === 'string' ? json : undefined

/** A JSON number as the nearest double. `1e400` is `Infinity`. */
export const numberOf = (json: JsonValue): number =>
  json instanceof Literal ? Number(json.text) : Number.NaN

/** A JSON number as the nearest double; `undefined` if the value is no number. */
export const numberIn = (json: JsonValue | undefined): number | undefined =>
  json instanceof Literal ? Number(json.text) : undefined

/** Counts the values in a JSON value: itself, and each member and element at any depth. */
export const countValues = (json: JsonValue): number => {
  let count = 1
  if (json instanceof Map) for (const value of json.values()) count += countValues(value)
  else if (Array.isArray(json)) for (const value of json) count += countValues(value)
  return count
}
