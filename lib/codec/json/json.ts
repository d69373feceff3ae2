import { endOfString, endOfValue, isClosing, isOpening, skipBlanks } from './skip'

/**
 * A JSON value in a text that is known to be valid: its bytes from `start` up to, but not including, `end`,
 * without whitespace around it. Nothing is decoded until it is asked for, so a value that is only passed on
 * keeps its exact text. D7
 */
export class Json {
  constructor(
    readonly bytes: Buffer,
    readonly start: number,
    readonly end: number,
  ) {}
}

/**
 * Copies a value. Use this for values that are kept, because a value keeps the whole text that it was read from
 * in memory.
 */
export const copyValue = ({ bytes, start, end }: Json): Json =>
  new Json(Buffer.from(bytes.subarray(start, end)), 0, end - start)

/** The kind of a JSON value. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** The kind of a value, which its first byte determines. */
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

/** A member of an object: the key as text, the key as it is written, and the value. */
export interface Member {
  readonly key: string
  readonly name: Json
  readonly value: Json
}

const comma = 0x2c
const backslash = 0x5c
const quote = 0x22

/** Goes through the members of an object, duplicates included, in document order. `next` moves to the first one. */
export class MemberCursor {
  private readonly bytes: Buffer
  private readonly last: number
  private nameStart: number
  private nameEnd = 0
  private valueStart = 0
  private valueEnd = 0
  /** Where `findName` begins to search. */
  private expected = 0

  constructor(object: Json) {
    this.bytes = object.bytes
    this.last = object.end - 1
    this.nameStart = object.start
  }

  /** Moves to the next member. Returns false where there is none. */
  next(): boolean {
    const { bytes } = this
    const after = this.valueEnd === 0 ? this.nameStart : skipBlanks(bytes, this.valueEnd)
    if (after >= this.last) return false
    // A brace or a comma stands there.
    this.nameStart = skipBlanks(bytes, after + 1)
    if (this.nameStart >= this.last) return false
    this.nameEnd = endOfString(bytes, this.nameStart)
    this.valueStart = skipBlanks(bytes, skipBlanks(bytes, this.nameEnd) + 1)
    this.valueEnd = endOfValue(bytes, this.valueStart)
    return true
  }

  /** The key of the member as text. */
  get key(): string {
    return stringAt(this.bytes, this.nameStart, this.nameEnd)
  }

  /** Whether the key is this text. */
  has(text: string): boolean {
    return isTextAt(this.bytes, this.nameStart, this.nameEnd, text)
  }

  /**
   * Where the key stands among `names`; -1 where it is none of them. The search begins after the name that was found
   * last, since most documents have their members in one order.
   */
  findName(names: ReadonlyArray<string>): number {
    for (let tried = 0; tried < names.length; tried++) {
      const at = this.expected
      this.expected = at + 1 === names.length ? 0 : at + 1
      if (this.has(names[at] as string)) return at
    }
    return -1
  }

  /** The key of the member as it is written. */
  get name(): Json {
    return new Json(this.bytes, this.nameStart, this.nameEnd)
  }

  get value(): Json {
    return new Json(this.bytes, this.valueStart, this.valueEnd)
  }
}

/**
 * The members of an object in document order. Where a key is repeated, its last value counts, at the place of its
 * first. D13
 */
export const membersOf = (object: Json): ReadonlyArray<Member> => {
  const byKey = new Map<string, Member>()
  const member = new MemberCursor(object)
  while (member.next()) {
    const { key, name, value } = member
    byKey.set(key, { key, name, value })
  }
  return [...byKey.values()]
}

/** The values of an object by key, ordered and without duplicates as in `membersOf`. D13 */
export const valuesOf = (object: Json): Map<string, Json> => {
  const byKey = new Map<string, Json>()
  const member = new MemberCursor(object)
  while (member.next()) byKey.set(member.key, member.value)
  return byKey
}

/** The value, or `undefined` for null. */
export const dropNull = (value: Json | undefined): Json | undefined =>
  value === undefined || kindOf(value) === 'null' ? undefined : value

/**
 * The value of a member; `undefined` where there is none, and where `object` is another kind of value. Where a key is
 * repeated, its last value counts. D13
 */
export const memberIn = (object: Json | undefined, key: string): Json | undefined => {
  let found: Json | undefined
  if (object !== undefined && kindOf(object) === 'object') {
    const member = new MemberCursor(object)
    while (member.next()) if (member.has(key)) found = member.value
  }
  return found
}

/** The elements of an array. */
export const itemsOf = (array: Json): ReadonlyArray<Json> => {
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

/** The text of a JSON string. An escaped lone surrogate (`\ud800`) is kept. */
export const stringOf = ({ bytes, start, end }: Json): string => stringAt(bytes, start, end)

/** Whether a JSON value is this string. */
export const isText = ({ bytes, start, end }: Json, text: string): boolean =>
  bytes[start] === quote && isTextAt(bytes, start, end, text)

/** Whether a string is this text. A string of plain ASCII is not decoded for this. */
const isTextAt = (bytes: Buffer, start: number, end: number, text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const byte = bytes[start + 1 + at] as number
    if (byte === backslash || byte >= 0x80) return stringAt(bytes, start, end) === text
    if (byte !== text.charCodeAt(at)) return false
  }
  return end - start === text.length + 2
}

const stringAt = (bytes: Buffer, start: number, end: number): string => {
  const short = shortText(bytes, start + 1, end - 1)
  if (short !== undefined) return short
  const text = bytes.toString('utf8', start + 1, end - 1)
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text
}

/** Reads a few characters of ASCII, such as a name or a label, in half the time that Node takes for it. */
const shortText = (bytes: Buffer, start: number, end: number): string | undefined => {
  if (end - start > 12) return undefined
  let text = ''
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte >= 0x80 || byte === backslash) return undefined
    text += String.fromCharCode(byte)
  }
  return text
}

/** A JSON number as the nearest double. `1e400` is `Infinity`. */
export const numberOf = ({ bytes, start, end }: Json): number =>
  shortNumber(bytes, start, end) ?? Number(bytes.toString('latin1', start, end))

/**
 * Reads a number of few digits and without exponent, such as a probability. The quotient of two integers below 2^53 is
 * the nearest double.
 */
const shortNumber = (bytes: Buffer, start: number, end: number): number | undefined => {
  if (end - start > 15) return undefined
  let digits = 0
  let scale = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === 0x2e) scale = 1
    else if (byte >= 0x30 && byte <= 0x39) {
      digits = digits * 10 + byte - 0x30
      scale *= 10
    } else return undefined
  }
  return scale === 0 ? digits : digits / scale
}

/** The exact text of a value. */
export const textOf = (json: Json): string => json.bytes.toString('utf8', json.start, json.end)

/** The values of an array; none where the value is no array. */
export const itemsIn = (json: Json | undefined): ReadonlyArray<Json> =>
  json !== undefined && kindOf(json) === 'array' ? itemsOf(json) : []

/** The text of a string; `undefined` where the value is no string. */
export const stringIn = (json: Json | undefined): string | undefined =>
  json !== undefined && kindOf(json) === 'string' ? stringOf(json) : undefined

/**
 * Counts the values in a JSON value: itself, and each member and element at any depth. It reads every byte once
 * and stores nothing, so it can check a document before that is decoded.
 */
export const countValues = ({ bytes, start, end }: Json): number => {
  let count = 1
  let at = start
  while (at < end) {
    const byte = bytes[at]
    if (byte === 0x22) {
      at = endOfString(bytes, at)
      continue
    }
    at++
    if (byte === 0x2c || (isOpening(byte) && !isClosing(bytes[skipBlanks(bytes, at)]))) count++
  }
  return count
}
