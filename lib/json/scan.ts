import { skipBlanks } from './skip'

/** Why a text is not JSON: what was expected at `offset`, in bytes. */
interface ScanFault {
  readonly offset: number
  readonly expected: string
}

/**
 * For each byte 1 if it cannot stand for itself inside a string (quote, backslash, control character), else 0.
 */
const stops = new Uint8Array(256)
stops.fill(1, 0, 0x20)
stops[0x22] = 1
stops[0x5c] = 1

const hex = new Uint8Array(256)
for (const digit of Buffer.from('0123456789abcdefABCDEF')) hex[digit] = 1

const escapes = new Uint8Array(256)
for (const letter of Buffer.from('"\\/bfnrt')) escapes[letter] = 1

const literals = {
  true: Buffer.from('true'),
  false: Buffer.from('false'),
  null: Buffer.from('null'),
}

const inObject = 1
const inArray = 0

/**
 * Checks that `bytes` from `from` on are a JSON text (RFC 8259), with or without whitespace around it. The
 * bytes must be valid UTF-8. There is no recursion and nothing is built, so deep nesting does no harm.
 */
export const scan = (bytes: Buffer, from: number): ScanFault | undefined =>
  new Scanner(bytes).run(from)

class Scanner {
  private readonly length: number
  private stack = new Uint8Array(64)
  private depth = 0
  private expected = ''

  constructor(private readonly bytes: Buffer) {
    this.length = bytes.length
  }

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
      if (byte === 0x22) at = this.string(at)
      else if (byte === 0x7b || byte === 0x5b) {
        this.push(byte === 0x7b ? inObject : inArray)
        at = skipBlanks(bytes, at + 1)
        if (bytes[at] !== byte + 2) {
          if (byte === 0x7b) at = this.name(at)
          if (at < 0) return at
          continue
        }
        this.depth--
        at++
      } else at = this.atom(at)
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
        return at === this.length ? at : this.fail(at, 'the end of the document')
      const within = this.stack[this.depth - 1]
      const byte = bytes[at]
      if (byte === 0x2c) {
        at = skipBlanks(bytes, at + 1)
        return within === inObject ? this.name(at) : at
      }
      if (byte !== (within === inObject ? 0x7d : 0x5d))
        return this.fail(at, within === inObject ? '"," or "}"' : '"," or "]"')
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
    const { bytes, length } = this
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

  /** Reads a number, `true`, `false` or `null`. */
  private atom(from: number): number {
    switch (this.bytes[from]) {
      case 0x74:
        return this.word(from, literals.true)
      case 0x66:
        return this.word(from, literals.false)
      case 0x6e:
        return this.word(from, literals.null)
      default:
        return this.number(from)
    }
  }

  private word(from: number, word: Buffer): number {
    for (let i = 1; i < word.length; i++)
      if (this.bytes[from + i] !== word[i]) return this.fail(from + i, `the word ${word}`)
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
    const { bytes, length } = this
    let at = from
    while (at < length) {
      const byte = bytes[at] as number
      if (byte < 0x30 || byte > 0x39) break
      at++
    }
    return at > from ? at : this.fail(from, 'a digit')
  }

  private push(kind: number): void {
    if (this.depth === this.stack.length) {
      const larger = new Uint8Array(this.stack.length * 2)
      larger.set(this.stack)
      this.stack = larger
    }
    this.stack[this.depth++] = kind
  }

  private fail(offset: number, expected: string): number {
    this.expected = expected
    return -1 - offset
  }
}
