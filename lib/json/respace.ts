import { endOfString } from './skip'

/**
 * The largest indented document, in bytes. A larger one is printed compact instead: deep nesting can inflate a
 * few kilobytes to this size, and nobody could read the result.
 */
const largestIndented = 512 * 1024 * 1024

/**
 * Rewrites the whitespace of valid JSON text: removes it, or puts each element on a line, indented by two
 * spaces.
 */
export const respace = (text: Buffer, pretty: boolean): Buffer => {
  if (!pretty) return compact(text)
  const size = measure(text)
  return size > largestIndented ? compact(text) : indent(text, Buffer.allocUnsafe(size))
}

const compact = (text: Buffer): Buffer => {
  const out = Buffer.allocUnsafe(text.length)
  let to = 0
  let from = 0
  let at = 0
  while (at < text.length) {
    const byte = text[at] as number
    if (byte === 0x22) at = endOfString(text, at)
    else if (byte > 0x20) at++
    else {
      to = copy(text, from, at, out, to)
      while (at < text.length && (text[at] as number) <= 0x20) at++
      from = at
    }
  }
  if (from === 0) return text
  return out.subarray(0, copy(text, from, at, out, to))
}

/** Copies `text[from, end)` and returns the offset past it in `out`. */
const copy = (text: Buffer, from: number, end: number, out: Buffer, to: number): number =>
  to + text.copy(out, to, from, end)

/** Whether a byte is `[` or `{`. */
const opens = (byte: number): boolean => byte === 0x5b || byte === 0x7b
/** Whether a byte is `]` or `}`. */
const closes = (byte: number): boolean => byte === 0x5d || byte === 0x7d

const nextSolid = (text: Buffer, at: number): number => {
  let i = at
  while ((text[i] as number) <= 0x20) i++
  return i
}

/** The size of the indented form in bytes. */
const measure = (text: Buffer): number => {
  let size = 0
  let depth = 0
  let at = 0
  while (at < text.length) {
    const byte = text[at] as number
    if (byte === 0x22) {
      const end = endOfString(text, at)
      size += end - at
      at = end
      continue
    }
    at++
    if (byte <= 0x20) continue
    size++
    if (byte === 0x3a) size++
    else if (byte === 0x2c) size += 1 + 2 * depth
    else if (opens(byte)) {
      at = nextSolid(text, at)
      if (closes(text[at] as number)) {
        size++
        at++
      } else {
        depth++
        size += 1 + 2 * depth
      }
    } else if (closes(byte)) {
      depth--
      size += 1 + 2 * depth
    }
  }
  return size
}

/** Writes the indented form into `out`, which must have exactly its size. */
const indent = (text: Buffer, out: Buffer): Buffer => {
  let to = 0
  let depth = 0
  let at = 0
  const line = (): void => {
    out[to++] = 0x0a
    const end = to + 2 * depth
    out.fill(0x20, to, end)
    to = end
  }
  while (at < text.length) {
    const byte = text[at] as number
    if (byte === 0x22) {
      const end = endOfString(text, at)
      to = copy(text, at, end, out, to)
      at = end
      continue
    }
    at++
    if (byte <= 0x20) continue
    if (closes(byte)) {
      depth--
      line()
    }
    out[to++] = byte
    if (byte === 0x3a) out[to++] = 0x20
    else if (byte === 0x2c) line()
    else if (opens(byte)) {
      at = nextSolid(text, at)
      if (closes(text[at] as number)) out[to++] = text[at++] as number
      else {
        depth++
        line()
      }
    }
  }
  return out
}
