/**
 * Makes texts from outside safe to show, and cuts them. `sanitize` makes one visible line of a text. `escapeCiCommands`, for any output,
 * and `escapeJson`, for JSON text, keep a CI system from taking a part of the output for a command.
 */
import type { Runtime } from '../runtime/runtime'
import type { Redact } from './secret'

// In the expressions below, `\p{Cf}` and `\p{DI}` match invisible characters, which Unicode calls format characters and default
// ignorable. Some programs skip invisible characters when they compare texts.

/**
 * Matches `##[`, `##vso[` and `##teamcity[`, up to the bracket. CI systems look for such commands anywhere in a line.
 * The group and the lookahead cannot pass a `#`, so even a text of many `##` is matched in linear time.
 */
const bracketCommandPattern = /#([\p{Cf}\p{DI}]*)#(?=[\w\p{Cf}\p{DI}]*\[)/gu

/**
 * Matches `::` at the start of a line, also after white space: GitHub reads it as the start of a command. The lookahead keeps the
 * match within its line. Without it, a text of many empty lines would take quadratic time.
 */
const colonCommandPattern = /^((?:(?![\r\n\u2028\u2029])[\s\p{Cf}\p{DI}])*)::/gmu

/**
 * Matches control characters, and invisible characters that change how a text looks: line and paragraph separators,
 * text directions, zero widths, fillers. Does not match a tab, or the selectors that turn a sign into an emoji.
 */
const invisiblePattern = /(?!\t|\ufe0e|\ufe0f)[\p{Cc}\u2028\u2029\p{Cf}\p{DI}]/gu

/**
 * Matches texts of printable ASCII without `#`, which need no escapes. It takes a fifth of the time of the other expressions. Only
 * `escapeJson` needs the speed, because it runs for every text of a document.
 */
const ordinaryTextPattern = /^[\x20-\x22\x24-\x7e]*$/

/** Formats a character as an escape: `\x1b` for a control character, otherwise `\u202e` or `\u{e0041}`. */
const escapeCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  if (code < 0x100 && /\p{Cc}/u.test(character)) return `\\x${digits.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`
}

/** Replaces all invisible characters, except tab, by escapes. The result is a single line on which every character is visible. */
export const sanitize = (text: string): string => text.replace(invisiblePattern, escapeCharacter)

/**
 * Breaks up commands of CI systems in a text: `##[` becomes `#\x23[`, and `::` at the start of a line becomes `:\x3a`.
 */
export const escapeCiCommands = (text: string): string =>
  text.replace(bracketCommandPattern, '#$1\\x23').replace(colonCommandPattern, '$1:\\x3a')

/**
 * Breaks up commands of CI systems in JSON text and escapes invisible characters. The escapes are `\uNNNN`, so the values of the strings
 * stay the same. `::` needs no escape, because no line of JSON text begins with it.
 */
export const escapeJson = (json: string): string => {
  if (ordinaryTextPattern.test(json)) return json
  return json
    .replace(bracketCommandPattern, '\\u0023$1\\u0023')
    .replace(invisiblePattern, (character) =>
      // A line break in JSON text is outside of strings, where an escape would be invalid.
      character === '\n' ? character : escapeInJson(character),
    )
}

/** Formats each UTF-16 unit of a character as `\uNNNN`. */
const escapeInJson = (character: string): string => {
  let escaped = ''
  for (let index = 0; index < character.length; index++)
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  return escaped
}

/** Cuts a text to at most `maxBytes` bytes of UTF-8, without splitting a character. */
export const cutBytes = (text: string, maxBytes: number): string => {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes) return text
  // A UTF-16 unit takes at least one byte, so `maxBytes + 1` units show whether the text is longer than `maxBytes` bytes.
  const bytes = Buffer.from(text.slice(0, maxBytes + 1))
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && isContinuationByte(bytes[end] as number)) end--
  return bytes.toString('utf8', 0, end)
}

/** Returns `true` for every byte of a character in UTF-8 except the first: 10xxxxxx in binary. */
const isContinuationByte = (byte: number): boolean => (byte & 0xc0) === 0x80

/** Cuts a text to at most `maxBytes` bytes of UTF-8, and then appends `...` if it was longer. */
export const cutWithEllipsis = (text: string, maxBytes: number): string => {
  const prefix = cutBytes(text, maxBytes)
  return prefix.length === text.length ? text : `${prefix}...`
}

/** The maximum size of a server's text in a message. */
const maxShownBytes = 1024

/** Creates a function that redacts the secrets in a text from a server, then cuts the text to 1 KiB. */
export const redactAndCut =
  (redact: Redact) =>
  (text: string): string =>
    cutWithEllipsis(redact(text), maxShownBytes)

/** GitHub shows at most ten annotations for a step. */
const maxAnnotations = 10

/** GitHub shortens longer annotations. */
const maxAnnotationBytes = 4000

/**
 * Formats the first ten texts as error annotations, which GitHub Actions shows beside the job. Each is one line. Redacts secrets. No
 * text can end its line or begin another command of GitHub. Returns `''` outside GitHub Actions.
 */
export const formatAnnotations = (
  env: Runtime['env'],
  command: string,
  texts: ReadonlyArray<string>,
  redact: Redact,
): string => {
  if (env.GITHUB_ACTIONS !== 'true') return ''
  const lines = texts.slice(0, maxAnnotations).map((text) => {
    const message = escapeCiCommands(sanitize(cutWithEllipsis(redact(text), maxAnnotationBytes)))
    // GitHub decodes percent-encoded characters.
    return `::error title=svc ${command}::${message.replaceAll('%', '%25')}\n`
  })
  return lines.join('')
}
