import { skipBlanks } from './skip'

/** Why a text is not JSON: what was expected at `offset`, in bytes. */
interface ScanFault {
  readonly offset: number
  readonly expected: string
}

/** For each byte 1 if it cannot stand for itself inside a string (quote, backslash, control character), else 0. */
const stops = new Uint8Array(256)
stops.fill(1, 0, 0x20)
stops[0x22] = 1
stops[0x5c] = 1

const hex = new Uint8Array(256)
for (const digit of Buffer.from('0123456789abcdefABCDEF')) hex[digit] = 1

const escapes = new Uint8Array(256)
for (const letter of Buffer.from('"\\/bfnrt')) escapes[letter] = 1

const isDigit = (byte = 0): boolean => byte >= 0x30 && byte <= 0x39

const endOfObject = 0x7d
const endOfArray = 0x5d

/**
 * Checks that `bytes` from `from` on are a JSON text (RFC 8259), with or without whitespace around it. The
 * bytes must be valid UTF-8. There is no recursion and nothing is built, so deep nesting does no harm.
 */
export const scan = (bytes: Buffer, from: number): ScanFault | undefined =>
  new Scanner(bytes).run(from)

class Scanner {
  /** The byte that ends each open object or array, outermost first. */
  private stack = new Uint8Array(64)
  private depth = 0
  private expected = ''

  constructor(private readonly bytes: Buffer) {}

  run(from: number): ScanFault | undefined {
    const end = this.document(from)
    return end >= 0 ? undefined : { offset: -1 - end, expected: this.expected }
  }

  /** This method and all below return the offset after what they read, or `-1 - offset` for a fault. */
  private document(from: number): number {
    const { bytes } = this
    let at = skipBlanks(bytes, from)
    for (;;) {
      const byte = bytes[at]
      if (byte === 0x7b || byte === 0x5b) {
        const end = byte === 0x7b ? endOfObject : endOfArray
        this.push(end)
        at = skipBlanks(bytes, at + 1)
        if (bytes[at] !== end) {
          if (end === endOfObject) at = this.name(at)
          if (at < 0) return at
          continue
        }
      } else at = this.scalar(at)
      if (at < 0) return at
      at = this.afterValue(at)
      if (at < 0 || this.depth === 0) return at
    }
  }

  /** Reads what follows a value, up to the next value, or to the end of the document, where the depth is 0. */
  private afterValue(from: number): number {
    const { bytes } = this
    let at = from
    for (;;) {
      at = skipBlanks(bytes, at)
      if (this.depth === 0)
        return at === bytes.length ? at : this.fail(at, 'the end of the document')
      const end = this.stack[this.depth - 1] as number
      const byte = bytes[at]
      if (byte === 0x2c) {
        at = skipBlanks(bytes, at + 1)
        return end === endOfObject ? this.name(at) : at
      }
      if (byte !== end) return this.fail(at, `"," or "${String.fromCharCode(end)}"`)
      this.depth--
      at++
    }
  }

  /** Reads the name of a member and the colon, up to its value. */
  private name(from: number): number {
    const { bytes } = this
    if (bytes[from] !== 0x22) return this.fail(from, 'a member name in double quotes')
    const end = this.string(from)
    if (end < 0) return end
    const at = skipBlanks(bytes, end)
    return bytes[at] === 0x3a ? skipBlanks(bytes, at + 1) : this.fail(at, '":" after a member name')
  }

  private string(from: number): number {
    const { bytes } = this
    const { length } = bytes
    let at = from + 1
    for (;;) {
      while (at < length && stops[bytes[at] as number] === 0) at++
      if (at >= length) return this.fail(length, 'the closing quote of a string')
      const byte = bytes[at]
      if (byte === 0x22) return at + 1
      if (byte !== 0x5c) return this.fail(at, 'a control character in a string to be escaped')
      at = this.escape(at + 1)
      if (at < 0) return at
    }
  }

  private escape(from: number): number {
    const { bytes } = this
    const letter = bytes[from] ?? 0
    if (escapes[letter] === 1) return from + 1
    if (letter !== 0x75) return this.fail(from, 'one of " \\ / b f n r t u after a backslash')
    for (let at = from + 1; at < from + 5; at++)
      if (hex[bytes[at] ?? 0] === 0) return this.fail(at, 'four hexadecimal digits after \\u')
    return from + 5
  }

  /** Reads a string, a number, `true`, `false` or `null`. */
  private scalar(from: number): number {
    switch (this.bytes[from]) {
      case 0x22:
        return this.string(from)
      case 0x74:
        return this.word(from, 'true')
      case 0x66:
        return this.word(from, 'false')
      case 0x6e:
        return this.word(from, 'null')
      default:
        return this.number(from)
    }
  }

  private word(from: number, word: string): number {
    for (let i = 1; i < word.length; i++)
      if (this.bytes[from + i] !== word.charCodeAt(i))
        return this.fail(from + i, `the word ${word}`)
    return from + word.length
  }

  private number(from: number): number {
    const { bytes } = this
    let at = bytes[from] === 0x2d ? from + 1 : from
    if (bytes[at] === 0x30) at++
    else {
      at = this.digits(at)
      if (at < 0) return at === -1 - from ? this.fail(from, 'a value') : at
    }
    if (bytes[at] === 0x2e) at = this.digits(at + 1)
    if (at < 0) return at
    const exponent = bytes[at]
    if (exponent !== 0x65 && exponent !== 0x45) return at
    const sign = bytes[at + 1]
    return this.digits(sign === 0x2b || sign === 0x2d ? at + 2 : at + 1)
  }

  /** Reads one or more digits. */
  private digits(from: number): number {
    const { bytes } = this
    let at = from
    while (isDigit(bytes[at])) at++
    return at > from ? at : this.fail(from, 'a digit')
  }

  private push(end: number): void {
    if (this.depth === this.stack.length) {
      const larger = new Uint8Array(this.stack.length * 2)
      larger.set(this.stack)
      this.stack = larger
    }
    this.stack[this.depth++] = end
  }

  private fail(offset: number, expected: string): number {
    this.expected = expected
    return -1 - offset
  }
}
