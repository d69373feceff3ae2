import { Json } from './json'
import { respace } from './respace'

/**
 * A document that the program puts together. `Json` parts keep their text. Plain objects are for names that the
 * program itself chooses (a member that is `undefined` is left out); names from outside go into `Entries`,
 * since JavaScript re-orders keys such as `10` and gives `__proto__` a meaning.
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

/** An object whose names come from outside. It is written in this order. */
export class Entries {
  constructor(readonly list: Iterable<readonly [name: string | Json, value: Draft]>) {}
}

/** Writes a document without blanks, but for those inside `Json` parts, which are copied as they are. D7 */
export const encode = (draft: Draft): Buffer => {
  if (draft instanceof Json) return draft.bytes.subarray(draft.start, draft.end)
  const writer = new Writer()
  write(writer, draft)
  return writer.finish()
}

/**
 * Writes a document for output, compact or indented by two spaces throughout. `Json` parts keep their literals,
 * their order and their duplicate keys. No final newline.
 */
export const print = (draft: Draft, pretty: boolean): Buffer => respace(encode(draft), pretty)

/** A value that the program made, in the form of one that was read. */
export const toJson = (draft: Draft): Json => {
  if (draft instanceof Json) return draft
  const bytes = encode(draft)
  return new Json(bytes, 0, bytes.length)
}

/** Puts a document together in one buffer, which grows as needed: a piece of its own for each part would take far more. */
class Writer {
  private out = Buffer.allocUnsafe(128)
  private length = 0
  /** Comes after what `out` holds. */
  private text = ''

  add(text: string): void {
    this.text += text
  }

  addJson({ bytes, start, end }: Json): void {
    this.flush()
    this.grow(end - start)
    const { out, length } = this
    // A call for a copy takes as long as copying this many bytes.
    if (end - start > 200) bytes.copy(out, length, start, end)
    else for (let at = start; at < end; at++) out[length + at - start] = bytes[at] as number
    this.length += end - start
  }

  finish(): Buffer {
    this.flush()
    return this.out.subarray(0, this.length)
  }

  private flush(): void {
    if (this.text === '') return
    // A character takes at most three bytes.
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
  else if (Array.isArray(draft)) writeItems(writer, draft)
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
