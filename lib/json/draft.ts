import { Json } from './json'
import { respace } from './respace'

/**
 * A document being put together. `Json` parts keep their text. Plain objects are for names
 * fixed in the program (an `undefined` member is left out); names that come from outside go
 * into `Entries`.
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

/** An object with names from outside (`__proto__`, `10`), written in this order. */
export class Entries {
  constructor(readonly list: ReadonlyArray<readonly [name: string | Json, value: Draft]>) {}
}

/** Writes a document without added blanks; `Json` parts are copied as they are. D7 */
export const encode = (draft: Draft): Buffer => {
  if (draft instanceof Json) return draft.bytes.subarray(draft.start, draft.end)
  const writer = new Writer()
  write(writer, draft)
  return writer.finish()
}

/**
 * Writes a document for people or programs: `Json` parts are spaced anew, compact or indented
 * by two spaces, and keep literals, key order and duplicates. No trailing newline.
 */
export const print = (draft: Draft, pretty: boolean): Buffer => respace(encode(draft), pretty)

/** A value made in the program, as one that came from a document. */
export const toJson = (draft: Draft): Json => {
  if (draft instanceof Json) return draft
  const bytes = encode(draft)
  return new Json(bytes, 0, bytes.length)
}

/** Gathers text and windows; copies each byte once, at the end. */
class Writer {
  private readonly parts: Array<string | Json> = []
  private text = ''

  add(text: string): void {
    this.text += text
  }

  addJson(json: Json): void {
    this.flush()
    this.parts.push(json)
  }

  finish(): Buffer {
    this.flush()
    let size = 0
    for (const part of this.parts) size += sizeOf(part)
    const out = Buffer.allocUnsafe(size)
    let to = 0
    for (const part of this.parts)
      to += part instanceof Json ? copy(part, out, to) : out.write(part, to)
    return out
  }

  private flush(): void {
    if (this.text === '') return
    this.parts.push(this.text)
    this.text = ''
  }
}

const sizeOf = (part: string | Json): number =>
  part instanceof Json ? part.end - part.start : Buffer.byteLength(part)

const copy = (json: Json, out: Buffer, to: number): number => {
  const { bytes, start, end } = json
  if (end - start > 32) return bytes.copy(out, to, start, end)
  for (let i = start, j = to; i < end; i++, j++) out[j] = bytes[i] as number
  return end - start
}

const write = (writer: Writer, draft: Draft): void => {
  if (draft instanceof Json) writer.addJson(draft)
  else if (draft instanceof Entries) writeMembers(writer, draft.list)
  else if (Array.isArray(draft)) writeItems(writer, draft)
  else if (typeof draft === 'object' && draft !== null) writeMembers(writer, Object.entries(draft))
  else writer.add(typeof draft === 'string' ? quoted(draft) : JSON.stringify(draft))
}

/** Texts of up to this length are looked through here: most need no escape, and a native call costs more. */
const short = 64

/** A text as a JSON string. */
export const quoted = (text: string): string => {
  if (text.length > short) return JSON.stringify(text)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const plain = unit >= 0x20 && unit !== 0x22 && unit !== 0x5c && (unit & 0xf800) !== 0xd800
    if (!plain) return JSON.stringify(text)
  }
  return `"${text}"`
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
  list: ReadonlyArray<readonly [string | Json, Draft | undefined]>,
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
