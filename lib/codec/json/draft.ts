import { type JsonObject, type JsonValue, Literal } from './json'

/** Indentation of deep nesting can inflate a few kilobytes to this size. Such a document is printed compactly. */
const maxIndentedBytes = 512 << 20

/** Text is encoded to bytes in pieces of this many characters. */
const pieceLength = 1 << 16

/**
 * A document that svc creates. A plain object has only names that svc chooses, and its `undefined` members are omitted.
 * Names from outside go into a `Map`.
 */
export type Draft =
  | JsonValue
  | number
  | ReadonlyArray<Draft>
  | ReadonlyMap<string, Draft>
  | { readonly [name: string]: Draft | undefined }

/** Checks if a part of a draft is an array. TypeScript does not narrow read-only arrays by `Array.isArray`. */
export const isList = (draft: Draft | object): draft is ReadonlyArray<Draft> => Array.isArray(draft)

/** Returns the members of an object of a draft. Some may be `undefined`. */
export const entriesOf = (
  draft: ReadonlyMap<string, Draft> | { readonly [name: string]: Draft | undefined },
): Iterable<readonly [name: string, value: Draft | undefined]> =>
  draft instanceof Map ? draft : Object.entries(draft)

/** Encodes a document without whitespace. */
export const encode = (draft: Draft): Buffer => print(draft, false)

/** Encodes a document as text, which takes less time than `encode` if the document is short. */
export const encodeText = (draft: Draft): string => {
  const printer = new Printer(false, JSON.stringify, Number.POSITIVE_INFINITY)
  printer.write(draft, 0)
  return printer.text
}

/** Returns a string unchanged, and any other value as JSON text. */
export const plainText = (value: JsonValue): string =>
  typeof value === 'string' ? value : encodeText(value)

/**
 * Encodes a document for output, without a final newline: indented by two spaces if `pretty`, unless it would then exceed
 * 512 MiB.
 */
export const print = (
  draft: Draft,
  pretty: boolean,
  writeString: WriteString = JSON.stringify,
): Buffer => {
  const printer = new Printer(pretty, writeString, pieceLength)
  printer.write(draft, 0)
  return printer.isTooLarge ? print(draft, false, writeString) : printer.finish()
}

/** Converts a draft to a JSON value. */
export const toJson = (draft: Draft): JsonValue => {
  if (typeof draft === 'number') return new Literal(JSON.stringify(draft))
  if (typeof draft !== 'object' || draft === null || draft instanceof Literal) return draft
  if (isList(draft)) return draft.map(toJson)
  return toObject(draft as ReadonlyMap<string, Draft>)
}

/** Converts the object of a draft to a JSON object. */
export const toObject = (
  draft: ReadonlyMap<string, Draft> | { readonly [name: string]: Draft | undefined },
): JsonObject => {
  const members = new Map<string, JsonValue>()
  for (const [name, value] of entriesOf(draft))
    if (value !== undefined) members.set(name, toJson(value))
  return members
}

/** A new value for the member `name`, which may also get a new name. It is added if the object has no such member. */
export type Change = readonly [name: string, value: Draft, newName?: string]

/** Changes or drops some members of an object. All others keep their value and place. */
export const changeMembers = (
  received: JsonObject,
  changes: ReadonlyArray<Change>,
  drops: ReadonlyArray<string> = [],
): JsonObject => {
  if (changes.length + drops.length === 0) return received
  const pending = new Map(changes.map((change) => [change[0], change]))
  const replaced = new Set([...drops, ...changes.map(([name, , newName = name]) => newName)])
  const members = new Map<string, JsonValue>()
  for (const [key, value] of received) {
    const change = pending.get(key)
    if (change !== undefined) members.set(change[2] ?? key, toJson(change[1]))
    else if (!replaced.has(key)) members.set(key, value)
    pending.delete(key)
  }
  for (const [name, value, newName = name] of pending.values()) members.set(newName, toJson(value))
  return members
}

/** Encodes a text as a JSON string, with its quotes. */
type WriteString = (text: string) => string

/** Encodes a document piece by piece, because one text for a large document would take far more memory. */
class Printer {
  /** The text that is not yet encoded to bytes. */
  text = ''
  /** `true` if the indented document is too large. The printer then stops. */
  isTooLarge = false
  private readonly parts: Buffer[] = []
  private size = 0

  constructor(
    private readonly pretty: boolean,
    private readonly writeString: WriteString,
    private readonly maxTextLength: number,
  ) {}

  /** Writes a value that is `depth` levels deep. */
  write(draft: Draft, depth: number): void {
    if (draft instanceof Literal) this.text += draft.text
    else if (typeof draft === 'string') this.text += this.writeString(draft)
    else if (typeof draft !== 'object' || draft === null) this.text += JSON.stringify(draft)
    else if (isList(draft)) this.writeItems(draft, depth)
    else this.writeMembers(draft as ReadonlyMap<string, Draft>, depth)
    if (this.text.length > this.maxTextLength) this.encodeText()
  }

  /** Returns the bytes of the whole document. */
  finish(): Buffer {
    this.encodeText()
    const [only] = this.parts
    return this.parts.length === 1 && only !== undefined ? only : Buffer.concat(this.parts)
  }

  private writeItems(list: ReadonlyArray<Draft>, depth: number): void {
    this.text += '['
    let count = 0
    for (const item of list) {
      if (this.isTooLarge) return
      this.separate(count++, depth + 1)
      this.write(item, depth + 1)
    }
    if (count > 0) this.startLine(depth)
    this.text += ']'
  }

  private writeMembers(
    members: ReadonlyMap<string, Draft> | { readonly [name: string]: Draft | undefined },
    depth: number,
  ): void {
    this.text += '{'
    let count = 0
    for (const [name, value] of entriesOf(members)) {
      if (value === undefined) continue
      if (this.isTooLarge) return
      this.separate(count++, depth + 1)
      this.text += this.writeString(name) + (this.pretty ? ': ' : ':')
      this.write(value, depth + 1)
    }
    if (count > 0) this.startLine(depth)
    this.text += '}'
  }

  /** Writes the separator before a member or element. `index` is its position. */
  private separate(index: number, depth: number): void {
    if (index > 0) this.text += ','
    this.startLine(depth)
  }

  private startLine(depth: number): void {
    if (this.pretty) this.text += `\n${'  '.repeat(depth)}`
  }

  private encodeText(): void {
    const part = Buffer.from(this.text)
    this.parts.push(part)
    this.size += part.length
    this.text = ''
    this.isTooLarge = this.pretty && this.size > maxIndentedBytes
  }
}
