/**
 * The expressions below call invisible what Unicode calls format characters (Cf) or default ignorable (DI): some
 * programs leave these out when they compare texts.
 *
 * Matches `##[`, `##vso[`, `##teamcity[` and the like, up to the bracket, since CI systems look for such
 * commands anywhere in a line. The lookahead cannot match in overlapping ways, so the time is linear.
 */
const command = /#([\p{Cf}\p{DI}]*)#(?=[\w\p{Cf}\p{DI}]*\[)/gu

/**
 * Matches `::` at the start of a line, also after blanks: GitHub takes it for the start of a command. It is a
 * single class of characters, so that the time is linear.
 */
const lineCommand = /^((?:(?![\r\n\u2028\u2029])[\s\p{Cf}\p{DI}])*)::/gmu

/**
 * Matches control characters, and invisible characters that change how a text looks: line and paragraph separators,
 * text directions, zero widths, fillers. Tab is left out, and so are the selectors that turn a sign into an emoji.
 */
const unseen = /(?!\t|\ufe0e|\ufe0f)[\p{Cc}\u2028\u2029\p{Cf}\p{DI}]/gu

/** Matches texts that have nothing to escape. For a model's name it takes a fifth as long as the expressions above. */
const isOrdinary = /^[\x20-\x22\x24-\x7e]*$/

/** Writes a character as an escape, such as `\x1b`, `\u202e` or `\u{e0041}`. */
const escapeCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  if (code < 0x100 && /\p{Cc}/u.test(character)) return `\\x${digits.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`
}

/**
 * Replaces control characters, except tab, by `\xNN`, and other invisible characters by `\uNNNN`. The result is
 * a single line that looks like what it is. spec: Output on failure, 2; D59
 */
export const sanitize = (text: string): string => text.replace(unseen, escapeCharacter)

/** Breaks up commands of CI systems in lines: `##[` becomes `#\x23[`, and `::` at the start of a line `:\x3a`. D59 */
export const breakCommands = (lines: string): string =>
  lines.replace(command, '#$1\\x23').replace(lineCommand, '$1:\\x3a')

/**
 * Breaks up commands of CI systems in JSON text, and escapes invisible characters, without changing the values
 * of its strings: both are written as `\uNNNN`. D59
 */
export const escapeJson = (json: string): string =>
  isOrdinary.test(json)
    ? json
    : json.replace(command, '\\u0023$1\\u0023').replace(unseen, (character) =>
        // Line breaks outside strings belong to the JSON text itself.
        character === '\n' ? character : escapeInJson(character),
      )

const escapeInJson = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
