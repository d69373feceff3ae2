import { endOfString, endOfValue, skipBlanks } from './skip'

/**
 * A JSON value that was read: the bytes from `start` to before `end` of a text that is known to be valid, without
 * blanks around it. Nothing is decoded before it is asked for, so that a value which only passes through keeps
 * its text to the letter. D7
 */
export class Json {
  constructor(
    readonly bytes: Buffer,
    readonly start: number,
    readonly end: number,
  ) {}
}

/** What a JSON value is. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** The kind of a value. Its first byte tells. */
export const kindOf = (json: Json): JsonKind => {
  switch (json.bytes[json.start]) {
    case 0x7b:
      return 'object'
    case 0x5b:
      return 'array'
    case 0x22:
      return 'string'
    case 0x74:
    case 0x66:
      return 'boolean'
    case 0x6e:
      return 'null'
    default:
      return 'number'
  }
}

/** One member of an object: the key as text, the key as it is written, and the value. */
export interface Member {
  readonly key: string
  readonly name: Json
  readonly value: Json
}

const comma = 0x2c
const backslash = 0x5c

/** Calls `visit` for each member of an object, duplicates included, in document order. */
const walk = (object: Json, visit: (name: Json, value: Json) => void): void => {
  const { bytes } = object
  const last = object.end - 1
  let at = skipBlanks(bytes, object.start + 1)
  while (at < last) {
    const nameEnd = endOfString(bytes, at)
    const name = new Json(bytes, at, nameEnd)
    const valueStart = skipBlanks(bytes, skipBlanks(bytes, nameEnd) + 1)
    const valueEnd = endOfValue(bytes, valueStart)
    visit(name, new Json(bytes, valueStart, valueEnd))
    at = skipBlanks(bytes, valueEnd)
    if (bytes[at] === comma) at = skipBlanks(bytes, at + 1)
  }
}

/** The members of an object in document order. Of equal keys the last one counts, at the place of the first. D13 */
export const members = (object: Json): ReadonlyArray<Member> => {
  const byKey = new Map<string, Member>()
  walk(object, (name, value) => {
    const key = stringOf(name)
    byKey.set(key, { key, name, value })
  })
  return [...byKey.values()]
}

/** The value of a member; of equal keys the last one counts. `undefined` where there is none. D13 */
export const member = (object: Json, key: string): Json | undefined => {
  let found: Json | undefined
  walk(object, (name, value) => {
    if (stringOf(name) === key) found = value
  })
  return found
}

/** The elements of an array. */
export const items = (array: Json): ReadonlyArray<Json> => {
  const { bytes } = array
  const last = array.end - 1
  const list: Array<Json> = []
  let at = skipBlanks(bytes, array.start + 1)
  while (at < last) {
    const end = endOfValue(bytes, at)
    list.push(new Json(bytes, at, end))
    at = skipBlanks(bytes, end)
    if (bytes[at] === comma) at = skipBlanks(bytes, at + 1)
  }
  return list
}

/** The text that a JSON string stands for. An escaped half of a surrogate pair (`\ud800`) stays one. */
export const stringOf = (json: Json): string => {
  const { bytes, start, end } = json
  return bytes.subarray(start, end).includes(backslash)
    ? String(JSON.parse(textOf(json)))
    : bytes.toString('utf8', start + 1, end - 1)
}

/** A JSON number as the nearest double. `1e400` is `Infinity`. */
export const numberOf = (json: Json): number => Number(textOf(json))

/** A value as it is written in its document. */
export const textOf = (json: Json): string => json.bytes.toString('utf8', json.start, json.end)
