// Git for Windows checks text files out with CRLF line ends. A scenario must still pass, so such files are read as LF.

/** Returns `true` if a file is text with at least one line end, and all its line ends are CRLF. */
export const hasOnlyCrlf = (bytes: Uint8Array): boolean => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let lineEnd = buffer.indexOf('\n')
  // A file with a null character is not text.
  if (lineEnd < 0 || buffer.includes(0)) return false
  for (; lineEnd >= 0; lineEnd = buffer.indexOf('\n', lineEnd + 1))
    if (buffer[lineEnd - 1] !== 0x0d) return false
  return true
}

/** In `latin1` every byte is a character, so bytes that are not UTF-8 stay unchanged. */
const replaceLineEnds = (bytes: Uint8Array, from: string, to: string): Buffer =>
  Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll(from, to), 'latin1')

/** Turns a text file that has only CRLF line ends into one with LF. Returns any other file unchanged. */
export const toLf = (bytes: Uint8Array): Uint8Array =>
  hasOnlyCrlf(bytes) ? replaceLineEnds(bytes, '\r\n', '\n') : bytes

/**
 * Restores the line ends that a file of a scenario had when it was written. `hadCrlf` is `true` if the scenario lists the file as one with
 * CRLF. A file with both kinds of line ends was not changed by a checkout.
 */
export const restoreLineEnds = (bytes: Uint8Array, hadCrlf: boolean): Uint8Array => {
  if (!hadCrlf) return toLf(bytes)
  return bytes.includes(0x0d) ? bytes : replaceLineEnds(bytes, '\n', '\r\n')
}
