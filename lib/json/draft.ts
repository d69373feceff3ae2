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
  const writer = new Writer()
  write(writer, draft)
  return writer.finish()
}

/**
 * Writes a document for people or programs: `Json` parts are spaced anew, compact or indented
 * by two spaces, and keep literals, key order and duplicates. No trailing newline.
 */
export const print = (draft: Draft, pretty: boolean): Buffer => {
  const whole = draft instanceof Json ? draft.bytes.subarray(draft.start, draft.end) : encode(draft)
  return respace(whole, pretty)
}

/** A value made in the program, as one that came from a document. */
export const toJson = (draft: Draft): Json => {
  if (draft instanceof Json) return draft
  const bytes = encode(draft)
  return new Json(bytes, 0, bytes.length)
}

/** Gathers text and windows; copies each byte once, at the end. */
class Writer {
  private readonly parts: Array<Uint8Array> = []
  private text = ''

  add(text: string): void {
    this.text += text
  }

  addJson(json: Json): void {
    this.flush()
    this.parts.push(json.bytes.subarray(json.start, json.end))
  }

  finish(): Buffer {
    this.flush()
    const [only] = this.parts
    return this.parts.length === 1 && only instanceof Buffer ? only : Buffer.concat(this.parts)
  }

  private flush(): void {
    if (this.text === '') return
    this.parts.push(Buffer.from(this.text))
    this.text = ''
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
