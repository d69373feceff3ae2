import { endOfString, isClosing, isOpening, skipBlanks } from './skip'

/**
 * The largest indented document, in bytes. A larger one is printed compact instead: deep nesting can inflate a
 * few kilobytes to this size, and nobody could read the result.
 */
const largestIndented = 512 * 1024 * 1024

/** Rewrites the whitespace of valid JSON text: removes it, or puts each element on a line, indented by two spaces. */
export const respace = (text: Buffer, pretty: boolean): Buffer => {
  const short = compact(text)
  if (!pretty) return short
  const size = indent(short)
  if (size > largestIndented) return short
  const out = Buffer.allocUnsafe(size)
  indent(short, out)
  return out
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
      to += text.copy(out, to, from, at)
      at = skipBlanks(text, at)
      from = at
    }
  }
  if (from === 0) return text
  return out.subarray(0, to + text.copy(out, to, from, at))
}

/** Writes the indented form of a text without whitespace into `out`, if given. Returns its size in bytes. */
const indent = (text: Buffer, out?: Buffer): number => {
  let to = 0
  let depth = 0
  let at = 0
  const put = (byte: number): void => {
    if (out) out[to] = byte
    to++
  }
  const line = (): void => {
    put(0x0a)
    out?.fill(0x20, to, to + 2 * depth)
    to += 2 * depth
  }
  while (at < text.length) {
    const byte = text[at] as number
    if (byte === 0x22) {
      const end = endOfString(text, at)
      if (out) text.copy(out, to, at, end)
      to += end - at
      at = end
      continue
    }
    if (isClosing(byte)) {
      depth--
      if (!isOpening(text[at - 1])) line()
    }
    put(byte)
    at++
    if (isOpening(byte)) {
      depth++
      if (!isClosing(text[at])) line()
    } else if (byte === 0x2c) line()
    else if (byte === 0x3a) put(0x20)
  }
  return to
}
