/** The text that replaces a secret. */
export const redacted = '[redacted]'

/** Replaces the secrets in a text by `[redacted]`. */
export type Redact = (text: string) => string

/** Shorter secrets also occur in ordinary words. Redacting them would garble texts and hide nothing. */
const minSecretLength = 4

/** The maximum number of characters that one regular expression matches. V8 refuses an expression for 8,000 characters. */
const maxPieceLength = 512

/**
 * Creates a function that redacts secrets of at least four characters. Each character of a secret may be written as itself, with a
 * backslash, as `\uNNNN` or percent-encoded, with hexadecimal digits in either case. The function also redacts the Base64 form of a
 * secret, alone and followed by a colon, as HTTP's `Basic` scheme sends it. It takes linear time.
 */
export const createRedact = (secrets: ReadonlyArray<string>): Redact => {
  const longEnough = secrets.filter((secret) => secret.length >= minSecretLength)
  const spellings = [...new Set(longEnough.flatMap(listSpellings))]
  // Longer spellings come first, because a secret can be a part of another one.
  spellings.sort((a, b) => b.length - a.length)
  const matchers = spellings.map(createMatcher)
  return (text) => matchers.reduce((result, matcher) => replaceMatches(result, matcher), text)
}

/** Matches a text, however its characters are written: `first` finds its first piece, and `rest` match the other pieces in turn. */
interface Matcher {
  readonly first: RegExp
  readonly rest: ReadonlyArray<RegExp>
}

const createMatcher = (text: string): Matcher => {
  const patterns: string[] = []
  const characters = [...text]
  for (let start = 0; start < characters.length; start += maxPieceLength)
    patterns.push(createPattern(characters.slice(start, start + maxPieceLength)))
  const [first = '', ...rest] = patterns
  return { first: new RegExp(first, 'g'), rest: rest.map((pattern) => new RegExp(pattern, 'y')) }
}

const replaceMatches = (text: string, { first, rest }: Matcher): string => {
  if (rest.length === 0) return text.replace(first, redacted)
  let result = ''
  let end = 0
  first.lastIndex = 0
  for (let match = first.exec(text); match !== null; match = first.exec(text)) {
    const matchEnd = findMatchEnd(text, first.lastIndex, rest)
    // The search goes on after the first piece. To go back to the character after `index` could take quadratic time.
    if (matchEnd === undefined) continue
    first.lastIndex = matchEnd
    result += text.slice(end, match.index) + redacted
    end = matchEnd
  }
  return result + text.slice(end)
}

/** Returns the offset after the pieces that begin at `offset`, one after the other; `undefined` if one does not match. */
const findMatchEnd = (
  text: string,
  offset: number,
  pieces: ReadonlyArray<RegExp>,
): number | undefined => {
  let end = offset
  for (const piece of pieces) {
    piece.lastIndex = end
    if (!piece.test(text)) return undefined
    end = piece.lastIndex
  }
  return end
}

/** Lists a secret and its Base64 forms. Padding is left out, because a URL may leave it out too. */
const listSpellings = (secret: string): ReadonlyArray<string> => {
  const spellings = [secret]
  for (const text of [secret, `${secret}:`])
    for (const alphabet of ['base64', 'base64url'] as const)
      spellings.push(Buffer.from(text).toString(alphabet).replace(/=+$/, ''))
  return spellings
}

/**
 * Creates the pattern that matches a text, however its characters are written. A text with a backslash has two alternatives: a text
 * without escapes, and one in which every backslash is escaped. If each backslash had these alternatives, `\\` would match in two ways,
 * and the time would grow exponentially with the number of backslashes.
 */
const createPattern = (characters: ReadonlyArray<string>): string => {
  const escaped = characters.map((character, index) => createEscapedPattern(character, index === 0))
  if (!characters.includes('\\')) return escaped.join('')
  const plain = characters.map((character, index) => createPlainPattern(character, index === 0))
  return `${escaped.join('')}|${plain.join('')}`
}

/** Matches a backslash before the first character of a secret, unless another one escapes it: what is left is still valid JSON. */
const firstBackslash = '(?:(?<!\\\\)\\\\)?'

/** Creates the pattern of a character in a text in which some characters may have a backslash, such as JSON or the text of a shell. */
const createEscapedPattern = (character: string, isFirst: boolean): string => {
  // Codes come first: `%25` at the end of a secret is a `%`, not a `%` before the text `25`.
  const alternatives = listCodes(character, isFirst)
  const shortEscape = JSON.stringify(character).slice(1, -1)
  if (/^\\[bfnrt]$/.test(shortEscape)) alternatives.push(escapePattern(shortEscape))
  if (character === '\\') alternatives.push('\\\\\\\\')
  // In JSON, a backslash before a letter or a digit is part of another escape.
  else if (/\w/.test(character)) alternatives.push(character)
  else alternatives.push((isFirst ? firstBackslash : '\\\\?') + escapePattern(character))
  return `(?:${alternatives.join('|')})`
}

/** Creates the pattern of a character in a text in which a backslash is a character like any other. */
const createPlainPattern = (character: string, isFirst: boolean): string =>
  `(?:${[...listCodes(character, isFirst), escapePattern(character)].join('|')})`

/** Lists the patterns of a character as `\uNNNN`, also in JSON inside of JSON, and percent-encoded. */
const listCodes = (character: string, isFirst: boolean): string[] => {
  let unicode = ''
  for (let index = 0; index < character.length; index++) {
    const digits = character.charCodeAt(index).toString(16).padStart(4, '0')
    const extraBackslash = isFirst && index === 0 ? firstBackslash : '\\\\?'
    unicode += `${extraBackslash}\\\\u${inEitherCase(digits)}`
  }
  // `encodeURIComponent` throws on lone surrogates, which `Buffer` replaces, and leaves most punctuation as it is.
  const bytes = Buffer.from(character).toString('hex').match(/../g) ?? []
  const percent = bytes.map((digits) => `%${inEitherCase(digits)}`).join('')
  return [unicode, percent]
}

/** Creates the pattern of hexadecimal digits in either case: `2f` becomes `2[fF]`. */
const inEitherCase = (digits: string): string =>
  digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** A value that prints as `[redacted]` in every conversion to text. */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  /** The value itself. Use it only in the header that carries it. */
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return redacted
  }
  toJSON(): string {
    return redacted
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return redacted
  }
}

/**
 * Redacts credentials in a text that should be a URL but is not valid: everything between its slashes and the last
 * `@`, because a malformed URL does not show where its credentials end.
 */
export const redactCredentials = (text: string): string => {
  const schemeAndSlashes = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*/i.exec(text)?.[0] ?? ''
  const atSignIndex = text.lastIndexOf('@')
  return atSignIndex < 0 ? text : `${schemeAndSlashes}${redacted}${text.slice(atSignIndex)}`
}

/** Redacts everything after the first `?` of a URL. Some services take their key in the query. */
export const redactQuery = (text: string): string => text.replace(/\?.+$/s, `?${redacted}`)
