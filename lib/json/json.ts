import { endOfString, endOfValue, skipBlanks } from './skip'

/**
 * A JSON value as a window on validated UTF-8 text: `bytes[start, end)`, without
 * surrounding blanks. Nothing is decoded until it is asked for, so a value that only
 * passes through keeps its text. D7
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

/** The kind of a value, told by its first byte. */
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

/** One member of an object: the decoded key, the key's literal and the value. */
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

/** Up to this many members are compared one by one; a map costs more. */
const few = 8

const placeOf = (list: ReadonlyArray<Member>, key: string): number => {
  for (let i = 0; i < list.length; i++) if (list[i]?.key === key) return i
  return -1
}

/** The members of an object in document order. Of duplicate keys the last wins, in the first's place. D13 */
export const members = (object: Json): ReadonlyArray<Member> => {
  const list: Array<Member> = []
  let places: Map<string, number> | undefined
  walk(object, (name, value) => {
    const key = stringOf(name)
    if (places === undefined && list.length >= few)
      places = new Map(list.map((one, place) => [one.key, place]))
    const place = places ? (places.get(key) ?? -1) : placeOf(list, key)
    if (place >= 0) {
      list[place] = { key, name, value }
    } else {
      places?.set(key, list.length)
      list.push({ key, name, value })
    }
  })
  return list
}

/** The value of one member of an object; the last of duplicates. D13 */
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

/** Strings of up to this many bytes are looked through here rather than natively. */
const short = 64

/** The text a JSON string stands for; lone surrogate escapes stay lone surrogates. */
export const stringOf = (json: Json): string => {
  const { bytes, start, end } = json
  let at = start + 1
  const limit = Math.min(end, start + short)
  while (at < limit && isPlain(bytes[at] as number)) at++
  if (at === end) return bytes.toString('latin1', start + 1, end - 1)
  return bytes.subarray(at, end).includes(backslash)
    ? String(JSON.parse(textOf(json)))
    : bytes.toString('utf8', start + 1, end - 1)
}

/** ASCII that stands for itself. */
const isPlain = (byte: number): boolean => byte < 0x80 && byte !== backslash

/** The nearest double of a JSON number; `1e400` is `Infinity`. */
export const numberOf = (json: Json): number => Number(textOf(json))

/** The literal text of a value, unchanged. */
export const textOf = (json: Json): string => json.bytes.toString('utf8', json.start, json.end)
