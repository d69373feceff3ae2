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

/** The same value in memory of its own, for what is kept: a value that was read keeps all of its input in memory. */
export const copied = ({ bytes, start, end }: Json): Json =>
  new Json(Buffer.from(bytes.subarray(start, end)), 0, end - start)

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

/**
 * Calls `visit` for each member of an object, duplicates included, in document order. The key as it is written stands
 * at `from`, and ends before `to`.
 */
export const eachMember = (
  object: Json,
  visit: (key: string, value: Json, from: number, to: number) => void,
): void => {
  const { bytes } = object
  const last = object.end - 1
  let at = skipBlanks(bytes, object.start + 1)
  while (at < last) {
    const nameEnd = endOfString(bytes, at)
    const valueStart = skipBlanks(bytes, skipBlanks(bytes, nameEnd) + 1)
    const valueEnd = endOfValue(bytes, valueStart)
    visit(textOfString(bytes, at, nameEnd), new Json(bytes, valueStart, valueEnd), at, nameEnd)
    at = skipBlanks(bytes, valueEnd)
    if (bytes[at] === comma) at = skipBlanks(bytes, at + 1)
  }
}

/** The members of an object in document order. Of equal keys the last one counts, at the place of the first. D13 */
export const members = (object: Json): ReadonlyArray<Member> => {
  const byKey = new Map<string, Member>()
  eachMember(object, (key, value, from, to) =>
    byKey.set(key, { key, name: new Json(object.bytes, from, to), value }),
  )
  return [...byKey.values()]
}

/** The values of an object by key, in the order and by the rule of `members`. D13 */
export const valuesOf = (object: Json): Map<string, Json> => {
  const byKey = new Map<string, Json>()
  eachMember(object, (key, value) => byKey.set(key, value))
  return byKey
}

/** The members of these names, in no more memory than they take; of equal keys the last one counts. D13 */
export const membersNamed = (
  object: Json,
  names: ReadonlySet<string>,
): ReadonlyMap<string, Json> => {
  const found = new Map<string, Json>()
  eachMember(object, (key, value) => {
    if (names.has(key)) found.set(key, value)
  })
  return found
}

/** The value of a member; of equal keys the last one counts. `undefined` where there is none. D13 */
export const member = (object: Json, key: string): Json | undefined => {
  let found: Json | undefined
  eachMember(object, (one, value) => {
    if (one === key) found = value
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
export const stringOf = ({ bytes, start, end }: Json): string => textOfString(bytes, start, end)

const textOfString = (bytes: Buffer, start: number, end: number): string => {
  for (let at = start + 1; at < end - 1; at++)
    if (bytes[at] === backslash) return String(JSON.parse(bytes.toString('utf8', start, end)))
  return textBetween(bytes, start + 1, end - 1)
}

/** A JSON number as the nearest double. `1e400` is `Infinity`. */
export const numberOf = ({ bytes, start, end }: Json): number =>
  Number(textBetween(bytes, start, end))

/** Short texts, the last of each hash: names and labels come again and again in a document. */
const met: Array<string> = Array(1024).fill('')
/** In bytes. */
const mostMet = 32

/** Bytes as text. A short one that was met before is found again, not made anew: that takes a tenth of the time. */
const textBetween = (bytes: Buffer, start: number, end: number): string => {
  const length = end - start
  if (length > mostMet) return bytes.toString('utf8', start, end)
  let hash = length
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0
  const slot = hash & (met.length - 1)
  const known = met[slot] as string
  if (known.length === length) {
    let same = 0
    while (same < length && known.charCodeAt(same) === bytes[start + same]) same++
    if (same === length) return known
  }
  const text = bytes.toString('utf8', start, end)
  met[slot] = text
  return text
}

/** A value as it is written in its document. */
export const textOf = (json: Json): string => json.bytes.toString('utf8', json.start, json.end)
