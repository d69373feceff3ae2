import { isUtf8 } from 'node:buffer'
import { bufferOf } from '../runtime/node/buffer-of'

/** The length of the byte order mark with which a text may begin: 3, or 0 without one. D48 */
export const markLength = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0

/** The offset of the first byte that is not valid UTF-8; the length where all are valid. */
export const firstInvalidByte = (bytes: Uint8Array): number => {
  if (isUtf8(bytes)) return bytes.length
  // Decoding puts U+FFFD in place of what is invalid, which may begin with some of the same bytes.
  const repaired = Buffer.from(bufferOf(bytes).toString())
  let at = 0
  while (bytes[at] === repaired[at]) at++
  while (isContinuation(repaired[at])) at--
  return at
}

/** Whether a byte continues a UTF-8 sequence that an earlier byte begins. */
const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80
