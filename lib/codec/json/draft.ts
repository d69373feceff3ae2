import { type JsonObject, type JsonValue, Literal } from './json'

/**
 * The largest indented document, in bytes. Deep nesting can inflate a few kilobytes to this size, and nobody could read
 * the result.
 */
const maxIndentedBytes = 512 << 20

/** How many characters are collected before they are encoded. */
const pieceLength = 1 << 16

/**
 * A document that the program creates. Plain objects are only for names that the program itself chooses; a member that is
 * `undefined` is left out. Names from outside go into a `Map`.
 */
export type Draft =
  | JsonValue
  | number
  | ReadonlyArray<Draft>
  | ReadonlyMap<string, Draft>
  | { readonly [name: string]: Draft | undefined }

/** Whether a part of a draft is an array. TypeScript does not narrow read-only arrays by `Array.isArray`. */
export const isList = (draft: Draft | object): draft is ReadonlyArray<Draft> => Array.isArray(draft)

/** The members of an object of a draft by name, without those that are `undefined`. */
export const entriesOf = (
  draft: ReadonlyMap<string, Draft> | { readonly [name: string]: Draft | undefined },
): Iterable<readonly [name: string, value: Draft | undefined]> =>
  draft instanceof Map ? draft : Object.entries(draft)

/** Writes a document without whitespace. */
export const encode = (draft: Draft): Buffer => print(draft, false)

/** Writes a document as `encode` does, as text: for a short document that takes less time. */
export const encodeText = (draft: Draft): string => {
  const printer = new Printer(false, JSON.stringify, Number.POSITIVE_INFINITY)
  printer.write(draft, 0)
  return printer.text
}

/** A string as it is, and any other value as JSON text. */
export const plainText = (value: JsonValue): string =>
  typeof value === 'string' ? value : encodeText(value)

/**
 * Writes a document for output, without a final newline: compact, or indented by two spaces. A document that indenting
 * would inflate beyond reason is compact.
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

/** Turns a draft into a JSON value, the form of documents that were read. */
export const toJson = (draft: Draft): JsonValue => {
  if (typeof draft === 'number') return new Literal(JSON.stringify(draft))
  if (typeof draft !== 'object' || draft === null || draft instanceof Literal) return draft
  if (isList(draft)) return draft.map(toJson)
  return toObject(draft as ReadonlyMap<string, Draft>)
}

/** Turns the object of a draft into a JSON object. */
export const toObject = (
  draft: ReadonlyMap<string, Draft> | { readonly [name: string]: Draft | undefined },
): JsonObject => {
  const members = new Map<string, JsonValue>()
  for (const [name, value] of entriesOf(draft))
    if (value !== undefined) members.set(name, toJson(value))
  return members
}

/** A member of an object with its new value and name. It is added if the object has none of its old name. */
export type Change = readonly [name: string, value: Draft, newName?: string]

/** Changes or drops some members of an object. All others keep their value and place. */
export const changeMembers = (
  received: JsonObject,
  changes: ReadonlyArray<Change>,
  dropped: ReadonlyArray<string> = [],
): JsonObject => {
  if (changes.length + dropped.length === 0) return received
  const pending = new Map(changes.map((change) => [change[0], change]))
  const taken = new Set([...dropped, ...changes.map(([name, , newName = name]) => newName)])
  const members = new Map<string, JsonValue>()
  for (const [key, value] of received) {
    const change = pending.get(key)
    if (change !== undefined) members.set(change[2] ?? key, toJson(change[1]))
    else if (!taken.has(key)) members.set(key, value)
    pending.delete(key)
  }
  for (const [name, value, newName = name] of pending.values()) members.set(newName, toJson(value))
  return members
}

/** Writes a text as a JSON string, with its quotes. */
type WriteString = (text: string) => string

/** Writes a document piece by piece: one text for all of a large document would take far more memory. */
class Printer {
  /** What is written but not yet encoded. */
  text = ''
  /** Whether the indented document is too large. Nothing more is written then. */
  isTooLarge = false
  private readonly parts: Buffer[] = []
  private size = 0

  constructor(
    private readonly pretty: boolean,
    private readonly writeString: WriteString,
    private readonly maxText: number,
  ) {}

  /** Writes a value that is `depth` levels deep. */
  write(draft: Draft, depth: number): void {
    if (draft instanceof Literal) this.text += draft.text
    else if (typeof draft === 'string') this.text += this.writeString(draft)
    else if (typeof draft !== 'object' || draft === null) this.text += JSON.stringify(draft)
    else if (isList(draft)) this.writeItems(draft, depth)
    else this.writeMembers(draft as ReadonlyMap<string, Draft>, depth)
    if (this.text.length > this.maxText) this.encodeText()
  }

  /** The bytes of the whole document. */
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

  /** Writes what is between two members or elements, of which `count` are written. */
  private separate(count: number, depth: number): void {
    if (count > 0) this.text += ','
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
