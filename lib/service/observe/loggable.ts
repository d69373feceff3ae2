import { prefixOfBytes } from '../../text/cut'

/** The most that a log line says of a cause, in bytes. D76 */
const mostBytes = 500

/** Pieces of this many characters are looked for in the document, and one begins at every `step`-th character. */
const piece = 8
const step = 3

/**
 * The cause of a failure as the log may have it: at most 500 bytes, with `…` for whatever runs for more than ten
 * characters in the request's document too. Some engines repeat parts of the prompt in their messages, and the log
 * has neither state nor questions. D76
 */
export const loggable = (cause: string, document: Uint8Array): string => {
  const text = prefixOfBytes(cause, mostBytes)
  const source = Buffer.from(document.buffer, document.byteOffset, document.byteLength).toString()
  const parts: Array<string> = []
  let written = 0
  for (let at = 0; at + piece <= text.length; at += step) {
    if (!source.includes(text.slice(at, at + piece))) continue
    // What two neighbouring pieces leave between them may be the same too.
    const from = Math.max(written, at - step)
    if (from > written || parts.length === 0) parts.push(text.slice(written, from), '…')
    written = Math.min(text.length, at + piece + step)
  }
  return parts.join('') + text.slice(written)
}
