import { Json, membersOf, textOf } from './json'
import { respace } from './respace'

/**
 * A document that the program creates. `Json` parts keep their text. Plain objects are only for names that the
 * program itself chooses; a member that is `undefined` is left out. Names from outside go into `Entries`,
 * because JavaScript re-orders keys such as `10` and treats `__proto__` specially.
 */
export type Draft =
  | Json
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<Draft>
  | Entries
  | { readonly [name: string]: Draft | undefined }

/** An object whose names come from outside. Its members are written in this order. */
export class Entries {
  constructor(readonly list: Iterable<readonly [name: string | Json, value: Draft]>) {}
}

/** Whether a part of a draft is an array. TypeScript does not narrow read-only arrays by `Array.isArray`. */
export const isList = (draft: Draft | object): draft is ReadonlyArray<Draft> => Array.isArray(draft)

/** Writes a document without whitespace, except inside `Json` parts, which are copied unchanged. D7 */
export const encode = (draft: Draft): Buffer => {
  if (draft instanceof Json) return draft.bytes.subarray(draft.start, draft.end)
  const writer = new BytesWriter()
  write(writer, draft)
  return writer.finish()
}

/** Writes a document as `encode` does, as text: for a short document that takes half the time. */
export const encodeText = (draft: Draft): string => {
  const writer = new TextWriter()
  write(writer, draft)
  return writer.text
}

/**
 * Writes a document for output: compact, or indented by two spaces. `Json` parts keep their literals, their
 * order and their duplicate keys. There is no final newline.
 */
export const print = (draft: Draft, pretty: boolean): Buffer => respace(encode(draft), pretty)

/** Turns a draft into a `Json`, the form of values that were read. */
export const toJson = (draft: Draft): Json => {
  if (draft instanceof Json) return draft
  const bytes = encode(draft)
  return new Json(bytes, 0, bytes.length)
}

/** A member of an object with its new value and name. It is added where the object has none of its old name. */
export type Change = readonly [name: string, value: Draft, newName?: string]

/** Writes an object again with some members changed or dropped. All others keep their text and place. D7 */
export const changeMembers = (
  received: Json,
  changes: ReadonlyArray<Change>,
  dropped: ReadonlyArray<string> = [],
): Json => {
  if (changes.length + dropped.length === 0) return received
  const left = new Map(
    changes.map(([name, value, newName = name]) => [name, [newName, value] as const]),
  )
  const taken = new Set([...dropped, ...changes.map(([name, , newName = name]) => newName)])
  const list: Array<readonly [Json | string, Draft]> = []
  for (const { key, name, value } of membersOf(received)) {
    const change = left.get(key)
    if (change !== undefined) list.push(change)
    else if (!taken.has(key)) list.push([name, value])
    left.delete(key)
  }
  return toJson(new Entries([...list, ...left.values()]))
}

/** What a document is written to, piece by piece. */
interface Writer {
  readonly add: (text: string) => void
  readonly addJson: (json: Json) => void
}

class TextWriter implements Writer {
  text = ''

  add(text: string): void {
    this.text += text
  }

  addJson(json: Json): void {
    this.text += textOf(json)
  }
}

/** Writes into one growing buffer. Texts or separate buffers for all parts would take far more memory. */
class BytesWriter implements Writer {
  private out = Buffer.allocUnsafe(1024)
  private length = 0
  /** Text that follows the contents of `out` and has not been written there yet. */
  private text = ''

  add(text: string): void {
    this.text += text
  }

  addJson({ bytes, start, end }: Json): void {
    this.flush()
    this.grow(end - start)
    this.length += bytes.copy(this.out, this.length, start, end)
  }

  finish(): Buffer {
    this.flush()
    return this.out.subarray(0, this.length)
  }

  private flush(): void {
    if (this.text === '') return
    // A UTF-16 unit takes at most three bytes.
    this.grow(this.text.length * 3)
    this.length += this.out.write(this.text, this.length)
    this.text = ''
  }

  private grow(most: number): void {
    const needed = this.length + most
    if (needed <= this.out.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.out.length))
    this.out.copy(larger, 0, 0, this.length)
    this.out = larger
  }
}

const write = (writer: Writer, draft: Draft): void => {
  if (draft instanceof Json) writer.addJson(draft)
  else if (draft instanceof Entries) writeMembers(writer, draft.list)
  else if (isList(draft)) writeItems(writer, draft)
  else if (typeof draft === 'object' && draft !== null) writeMembers(writer, Object.entries(draft))
  else writer.add(JSON.stringify(draft))
}

const writeItems = (writer: Writer, list: ReadonlyArray<Draft>): void => {
  writer.add('[')
  list.forEach((item, index) => {
    if (index > 0) writer.add(',')
    write(writer, item)
  })
  writer.add(']')
}

const writeMembers = (
  writer: Writer,
  list: Iterable<readonly [string | Json, Draft | undefined]>,
): void => {
  writer.add('{')
  let first = true
  for (const [name, value] of list) {
    if (value === undefined) continue
    if (!first) writer.add(',')
    first = false
    write(writer, name)
    writer.add(':')
    write(writer, value)
  }
  writer.add('}')
}
