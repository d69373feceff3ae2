// In the expressions below, `\p{Cf}` and `\p{DI}` match invisible characters: Unicode calls them format characters and default
// ignorable. Some programs skip these when they compare texts.

/**
 * Matches `##[`, `##vso[` and `##teamcity[`, up to the bracket. CI systems look for such commands anywhere in a line.
 * The lookahead cannot match in overlapping ways, which keeps the time linear.
 */
const bracketCommandPattern = /#([\p{Cf}\p{DI}]*)#(?=[\w\p{Cf}\p{DI}]*\[)/gu

/**
 * Matches `::` at the start of a line, also after white space: GitHub reads it as the start of a command. The white space is a
 * single class of characters, which keeps the time linear.
 */
const colonCommandPattern = /^((?:(?![\r\n\u2028\u2029])[\s\p{Cf}\p{DI}])*)::/gmu

/**
 * Matches control characters, and invisible characters that change how a text looks: line and paragraph separators,
 * text directions, zero widths, fillers. Tab is left out, and so are the selectors that turn a sign into an emoji.
 */
const invisiblePattern = /(?!\t|\ufe0e|\ufe0f)[\p{Cc}\u2028\u2029\p{Cf}\p{DI}]/gu

/**
 * Matches texts of printable ASCII without `#`, which need no escapes. This check takes a fifth of the time that the other expressions
 * take.
 */
const ordinaryTextPattern = /^[\x20-\x22\x24-\x7e]*$/

/** Formats a character as an escape, such as `\x1b`, `\u202e` or `\u{e0041}`. */
const escapeCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  if (code < 0x100 && /\p{Cc}/u.test(character)) return `\\x${digits.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`
}

/**
 * Replaces control characters, except tab, by `\xNN`, and other invisible characters by `\uNNNN`. The result is a
 * single line on which every character is visible.
 */
export const sanitize = (text: string): string => text.replace(invisiblePattern, escapeCharacter)

/**
 * Breaks up commands of CI systems in a text: `##[` becomes `#\x23[`, and `::` at the start of a line becomes `:\x3a`.
 */
export const escapeCiCommands = (text: string): string =>
  text.replace(bracketCommandPattern, '#$1\\x23').replace(colonCommandPattern, '$1:\\x3a')

/**
 * Breaks up commands of CI systems in JSON text and escapes invisible characters. Both are written as `\uNNNN`, which
 * leaves the values of the strings unchanged.
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
