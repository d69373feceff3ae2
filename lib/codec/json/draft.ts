import { escapeJson } from '../../text/sanitize'
import type { Redact } from '../../text/secret'
import { type JsonObject, type JsonValue, Literal } from './json'

/**
 * The maximum size of an indented document. A larger document is printed without indentation. Indentation can make a few kilobytes that
 * large, if they are nested deeply.
 */
const maxIndentedBytes = 512 << 20

/** A document is encoded to bytes in pieces of about this number of characters. */
const pieceLength = 1 << 16

/**
 * A document that svc creates. An object whose names come from input must be a `Map`. An object whose names svc chooses may be a plain
 * object. Its `undefined` members are omitted. A number may be a JavaScript number; those of a `JsonValue` are `Literal`s, which keep
 * their spelling.
 */
export type Draft = JsonValue | number | ReadonlyArray<Draft> | DraftObject

/** An object of a draft. */
export type DraftObject =
  | ReadonlyMap<string, Draft>
  | { readonly [name: string]: Draft | undefined }

/** Returns `true` for an array. `Array.isArray` does not narrow the type of read-only arrays. */
export const isList = (draft: Draft | object): draft is ReadonlyArray<Draft> => Array.isArray(draft)

/** Returns the members of an object. Some may be `undefined`. */
export const entriesOf = (
  draft: DraftObject,
): Iterable<readonly [name: string, value: Draft | undefined]> =>
  draft instanceof Map ? draft : Object.entries(draft)

/** Encodes a text as a JSON string with quotes. */
type WriteString = (text: string) => string

/** Encodes a document without whitespace. */
export const encode = (draft: Draft): Buffer => print(draft, false)

/** Encodes a document without whitespace, as text. This is faster than `encode` for short documents. */
export const encodeText = (draft: Draft): string => {
  // With this limit the printer keeps all its text.
  const printer = new Printer(false, JSON.stringify, Number.POSITIVE_INFINITY)
  printer.write(draft, 0)
  return printer.text
}

/** Returns a string unchanged, and any other value as JSON text. */
export const plainText = (value: JsonValue): string =>
  typeof value === 'string' ? value : encodeText(value)

/** Encodes a document, without a final newline. If `pretty`, indents it by two spaces, unless it would then exceed 512 MiB. */
export const print = (
  draft: Draft,
  pretty: boolean,
  writeString: WriteString = JSON.stringify,
): Buffer => {
  const printer = new Printer(pretty, writeString, pieceLength)
  printer.write(draft, 0)
  return printer.isTooLarge ? print(draft, false, writeString) : printer.finish()
}

/** Encodes a document for stdout. Escapes commands of CI systems in its texts, such as `::error`. */
export const printEscaped = (draft: Draft, pretty: boolean): Buffer =>
  print(draft, pretty, encodeEscaped)

const encodeEscaped = (text: string): string => escapeJson(JSON.stringify(text))

/** Converts a draft to a JSON value. */
export const toJson = (draft: Draft): JsonValue => {
  if (typeof draft === 'number') return new Literal(JSON.stringify(draft))
  if (typeof draft !== 'object' || draft === null || draft instanceof Literal) return draft
  if (isList(draft)) return draft.map(toJson)
  return toObject(draft as DraftObject)
}

/** Converts an object of a draft to a JSON object. */
export const toObject = (draft: DraftObject): JsonObject => {
  const members = new Map<string, JsonValue>()
  for (const [name, value] of entriesOf(draft))
    if (value !== undefined) members.set(name, toJson(value))
  return members
}

/** A change of an object: the member `name` gets the value `value` and the name `newName`. It is added if the object lacks it. */
export interface Change {
  readonly name: string
  readonly value: Draft
  /** The same as `name` if absent. */
  readonly newName?: string
}

/**
 * Returns an object with changed members. Drops the members of `namesToDrop`, and those whose name a change gives to another member.
 * Keeps the order of the members, and adds new members at the end.
 */
export const changeMembers = (
  object: JsonObject,
  changes: ReadonlyArray<Change>,
  namesToDrop: ReadonlyArray<string> = [],
): JsonObject => {
  if (changes.length + namesToDrop.length === 0) return object
  const pendingChanges = new Map(changes.map((change) => [change.name, change]))
  const removedNames = new Set([
    ...namesToDrop,
    ...changes.map(({ name, newName = name }) => newName),
  ])
  const members = new Map<string, JsonValue>()
  for (const [key, value] of object) {
    const change = pendingChanges.get(key)
    if (change !== undefined) members.set(change.newName ?? key, toJson(change.value))
    else if (!removedNames.has(key)) members.set(key, value)
    pendingChanges.delete(key)
  }
  for (const { name, value, newName = name } of pendingChanges.values())
    members.set(newName, toJson(value))
  return members
}

/** Encodes a document to bytes in pieces, because a single text of a large document would take far more memory. */
class Printer {
  /** The text that is not encoded to bytes yet. */
  text = ''
  /** `true` if the indented document exceeds the maximum size. The printer then stops. */
  isTooLarge = false
  /** The bytes of the text before. */
  private readonly parts: Buffer[] = []
  /** The total size of `parts`. */
  private partsSize = 0

  constructor(
    private readonly pretty: boolean,
    private readonly writeString: WriteString,
    /** The number of characters from which on the text is encoded to bytes. */
    private readonly maxTextLength: number,
  ) {}

  /** Writes a value that is inside of `depth` arrays and objects. */
  write(draft: Draft, depth: number): void {
    if (draft instanceof Literal) this.text += draft.text
    else if (typeof draft === 'string') this.text += this.writeString(draft)
    else if (typeof draft !== 'object' || draft === null) this.text += JSON.stringify(draft)
    else if (isList(draft)) this.writeItems(draft, depth)
    else this.writeMembers(draft as DraftObject, depth)
    if (this.text.length > this.maxTextLength) this.flush()
  }

  /** Returns the bytes of the whole document. */
  finish(): Buffer {
    this.flush()
    const [firstPart] = this.parts
    return this.parts.length === 1 && firstPart ? firstPart : Buffer.concat(this.parts)
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

  private writeMembers(members: DraftObject, depth: number): void {
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

  /** Writes the separator before the member or element at `index`. */
  private separate(index: number, depth: number): void {
    if (index > 0) this.text += ','
    this.startLine(depth)
  }

  private startLine(depth: number): void {
    if (this.pretty) this.text += `\n${'  '.repeat(depth)}`
  }

  private flush(): void {
    const part = Buffer.from(this.text)
    this.parts.push(part)
    this.partsSize += part.length
    this.text = ''
    this.isTooLarge = this.pretty && this.partsSize > maxIndentedBytes
  }
}

/** Redacts secrets in the texts of a document and in the names of its maps. Does not change numbers. */
export const redactDraft = (draft: Draft, redact: Redact): Draft =>
  hasSecret(draft, redact) ? replaceSecrets(draft, redact) : draft

/** Most documents have no secret, and need not be copied. */
const hasSecret = (draft: Draft, redact: Redact): boolean => {
  if (typeof draft === 'string') return redact(draft) !== draft
  if (typeof draft !== 'object' || draft === null || draft instanceof Literal) return false
  if (isList(draft)) return draft.some((item) => hasSecret(item, redact))
  for (const [name, value] of entriesOf(draft as DraftObject)) {
    // Only the names of a map are from input. Names that svc chose cannot be secrets.
    if (draft instanceof Map && redact(name) !== name) return true
    if (value !== undefined && hasSecret(value, redact)) return true
  }
  return false
}

const replaceSecrets = (draft: Draft, redact: Redact): Draft => {
  if (typeof draft === 'string') return redact(draft)
  if (typeof draft !== 'object' || draft === null || draft instanceof Literal) return draft
  if (isList(draft)) return draft.map((item) => replaceSecrets(item, redact))
  const redacted = new Map<string, Draft>()
  for (const [name, value] of entriesOf(draft as DraftObject)) {
    if (value === undefined) continue
    const redactedName = draft instanceof Map ? redact(name) : name
    redacted.set(redactedName, replaceSecrets(value, redact))
  }
  return redacted
}
