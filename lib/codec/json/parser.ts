import { type JsonArray, type JsonObject, type JsonValue, Literal } from './json'

/** The maximum nesting of arrays and objects. */
const maxDepth = 1000

const quote = 0x22
const plus = 0x2b
const comma = 0x2c
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const letterA = 0x61
const letterE = 0x65
const letterF = 0x66
const letterN = 0x6e
const letterT = 0x74
const letterU = 0x75
const openBrace = 0x7b
const closeBrace = 0x7d
/** The first character that is not a control character. */
const firstPrintable = 0x20
/** The bit that is set in lower-case ASCII letters only. */
const lowerCaseBit = 0x20

/** An array or object. */
type Container = JsonArray | JsonObject

/** A method returns this if the current array or object continues with another value. */
const more = Symbol('more')

/** The numbers from 0 to 9. They are the most frequent numbers, and are shared to save memory. */
const sharedDigits = Array.from('0123456789', (digit) => new Literal(digit))

/**
 * Parses one JSON text, without recursion. After a fault, a method returns `undefined`, or -1 if its result is an offset. The field
 * `offset` is then the offset of the fault, and `expected` describes what the text should have there. Most methods need not check for
 * the end of the text, because `charCodeAt` returns NaN there, which equals no character.
 */
export class Parser {
  /** The text that was expected at the fault, in words; `''` before a fault. */
  expected = ''
  /** The current array or object; `undefined` outside of all. */
  private container: Container | undefined
  /** The key of the next value, if the current container is an object. */
  private key = ''
  /**
   * The arrays and objects around the current one, outermost first, and their keys. The first entry is `undefined`: no container. So the
   * number of entries is the depth of the current container.
   */
  private readonly containers: Array<Container | undefined> = []
  private readonly keys: string[] = []

  /** The number of arrays and objects that have begun. */
  private containerCount = 0

  /** `offset` is the offset to start at. Parsing fails after `maxContainers` arrays and objects. */
  constructor(
    private readonly text: string,
    public offset: number,
    private readonly maxContainers: number,
  ) {}

  /** Parses the whole text, with or without whitespace around the value. */
  parseDocument(): JsonValue | undefined {
    for (;;) {
      const started = this.startValue()
      // `more` and `undefined` (a fault) are not values, so they are not added to a container.
      const value = started === more || started === undefined ? started : this.addValue(started)
      if (value === more) continue
      if (value === undefined) return undefined
      this.skipWhitespace()
      return this.offset === this.text.length
        ? value
        : this.fail(this.offset, 'the end of the document')
    }
  }

  /** Parses a scalar or an empty container. Of any other container, parses only the beginning, and returns `more`. */
  private startValue(): JsonValue | typeof more | undefined {
    this.skipWhitespace()
    switch (this.text.charCodeAt(this.offset)) {
      case openBrace:
        return this.openContainer(new Map(), closeBrace)
      case openBracket:
        return this.openContainer([], closeBracket)
      case quote:
        return this.parseString()
      case letterT:
        return this.parseWord('true', true)
      case letterF:
        return this.parseWord('false', false)
      case letterN:
        return this.parseWord('null', null)
      default:
        return this.parseNumber()
    }
  }

  private openContainer(container: Container, end: number): JsonValue | typeof more | undefined {
    if (this.containers.length === maxDepth) return this.fail(this.offset, 'at most 1,000 levels')
    if (this.containerCount === this.maxContainers)
      return this.fail(this.offset, `at most ${this.maxContainers} objects and arrays`)
    this.containerCount++
    this.offset++
    this.skipWhitespace()
    if (this.text.charCodeAt(this.offset) === end) {
      this.offset++
      return container
    }
    this.containers.push(this.container)
    this.keys.push(this.key)
    this.container = container
    return Array.isArray(container) ? more : this.parseKey()
  }

  /**
   * Adds a value to the current array or object. Then closes all arrays and objects whose closing brackets follow. Returns the
   * outermost value when it is complete, or `more` if a container continues.
   */
  private addValue(added: JsonValue): JsonValue | typeof more | undefined {
    let value = added
    for (;;) {
      const { container } = this
      if (container === undefined) return value
      const isArray = Array.isArray(container)
      if (isArray) container.push(value)
      else container.set(this.key, value)
      this.skipWhitespace()
      const code = this.text.charCodeAt(this.offset)
      if (code === comma) {
        this.offset++
        return isArray ? more : this.parseKey()
      }
      if (code !== (isArray ? closeBracket : closeBrace))
        return this.fail(this.offset, `"," or "${isArray ? ']' : '}'}"`)
      this.offset++
      value = container
      this.container = this.containers.pop()
      // `keys` has an entry for each container, so `''` is only for the compiler.
      this.key = this.keys.pop() ?? ''
    }
  }

  /** Parses the key of a member and the colon after it. */
  private parseKey(): typeof more | undefined {
    this.skipWhitespace()
    if (this.text.charCodeAt(this.offset) !== quote)
      return this.fail(this.offset, 'a member name in double quotes')
    const key = this.parseString()
    if (key === undefined) return undefined
    this.key = key
    this.skipWhitespace()
    if (this.text.charCodeAt(this.offset) !== colon)
      return this.fail(this.offset, '":" after a member name')
    this.offset++
    return more
  }

  private parseString(): string | undefined {
    const { text } = this
    const start = this.offset + 1
    let isEscaped = false
    for (let offset = start; ; offset++) {
      const code = text.charCodeAt(offset)
      if (code === quote) {
        this.offset = offset + 1
        const written = text.slice(start, offset)
        return isEscaped ? String(JSON.parse(`"${written}"`)) : written
      }
      if (code === backslash) {
        isEscaped = true
        offset = this.findEscapeEnd(offset + 1)
        if (offset < 0) return undefined
      } else if (code < firstPrintable || offset >= text.length) return this.failInString(offset)
    }
  }

  /** Fails at a control character or at the end of the text. */
  private failInString(offset: number): undefined {
    return offset >= this.text.length
      ? this.fail(offset, 'the closing quote of a string')
      : this.fail(offset, 'a control character in a string to be escaped')
  }

  /** Returns the offset of the last character of an escape, or -1 after a fault. `start` is the offset after the backslash. */
  private findEscapeEnd(start: number): number {
    const { text } = this
    const letter = text.charCodeAt(start)
    if (letter !== letterU) {
      // At the end of the text, `charAt` returns `''`, which every text includes.
      if ('"\\/bfnrt'.includes(text.charAt(start)) && start < text.length) return start
      this.fail(start, 'one of " \\ / b f n r t u after a backslash')
      return -1
    }
    for (let offset = start + 1; offset <= start + 4; offset++)
      if (!isHex(text.charCodeAt(offset))) {
        this.fail(offset, 'four hexadecimal digits after \\u')
        return -1
      }
    return start + 4
  }

  private parseWord<A extends boolean | null>(word: string, value: A): A | undefined {
    // The caller has read the first letter.
    for (let i = 1; i < word.length; i++)
      if (this.text.charCodeAt(this.offset + i) !== word.charCodeAt(i))
        return this.fail(this.offset + i, `the word ${word}`)
    this.offset += word.length
    return value
  }

  private parseNumber(): Literal | undefined {
    const { text, offset: start } = this
    let offset = text.charCodeAt(start) === minus ? start + 1 : start
    if (text.charCodeAt(offset) === zero) offset++
    else {
      const end = this.findDigitsEnd(offset)
      if (end === offset) return this.fail(offset, offset === start ? 'a value' : 'a digit')
      offset = end
    }
    offset = this.findFractionAndExponentEnd(offset)
    if (offset < 0) return undefined
    this.offset = offset
    const isOneCharacter = offset - start === 1
    const sharedDigit = isOneCharacter ? sharedDigits[text.charCodeAt(start) - zero] : undefined
    return sharedDigit ?? new Literal(text.slice(start, offset))
  }

  /** Returns the offset after an optional fraction and exponent at `start`, or -1 after a fault. */
  private findFractionAndExponentEnd(start: number): number {
    const { text } = this
    let offset = start
    if (text.charCodeAt(offset) === dot) {
      offset = this.findDigitsEnd(start + 1)
      if (offset === start + 1) return this.failAtDigit(offset)
    }
    if ((text.charCodeAt(offset) | lowerCaseBit) !== letterE) return offset
    const sign = text.charCodeAt(offset + 1)
    const firstDigit = sign === plus || sign === minus ? offset + 2 : offset + 1
    const end = this.findDigitsEnd(firstDigit)
    return end === firstDigit ? this.failAtDigit(end) : end
  }

  private failAtDigit(offset: number): number {
    this.fail(offset, 'a digit')
    return -1
  }

  /** Returns the offset after the digits at `start`; `start` if there are none. */
  private findDigitsEnd(start: number): number {
    let offset = start
    while (isDigit(this.text.charCodeAt(offset))) offset++
    return offset
  }

  private skipWhitespace(): void {
    const { text } = this
    let { offset } = this
    while (isWhitespace(text.charCodeAt(offset))) offset++
    this.offset = offset
  }

  private fail(offset: number, expected: string): undefined {
    this.offset = offset
    this.expected = expected
    return undefined
  }
}

const isDigit = (code: number): boolean => code >= zero && code <= nine

const isHex = (code: number): boolean =>
  isDigit(code) || ((code | lowerCaseBit) >= letterA && (code | lowerCaseBit) <= letterF)

/** Returns `true` for a space, a line feed, a carriage return and a tab. */
const isWhitespace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
