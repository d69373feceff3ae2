/**
 * Characters that are not seen and that some programs leave out when they compare texts: Unicode's formats (Cf)
 * and those it calls default ignorable, listed because the names of the classes cost a millisecond at start.
 */
const ignored = [
  '\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5',
  '\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0',
  '\\ufff0-\\ufffb\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}',
  '\\u{e0000}-\\u{e0fff}',
].join('')

/**
 * `##[` and `##vso[`, `##teamcity[` and the like, up to the bracket: CI systems look for their commands
 * anywhere in a line. The looks ahead do not overlap, so the time is linear.
 */
const command = new RegExp(`#([${ignored}]*)#(?=[\\w${ignored}]*\\[)`, 'gu')

/** `::` as the first of a line, which begins a command after blanks, too. One class of characters, so that the time is linear. */
const lineCommand = new RegExp(`^((?:(?![\\r\\n\\u2028\\u2029])[\\s${ignored}])*)::`, 'gmu')

/**
 * Controls, and characters that are not seen but change what is: line and paragraph separators, directions,
 * zero widths, fillers. Tab is none of these, nor are the selectors that make a sign an emoji. Made where it is
 * needed: V8 takes half a millisecond for the classes, and most runs show nothing of others.
 */
const unseen = () =>
  /(?!\t|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** `\x1b`, `\u202e` or `\u{e0041}`. */
const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  if (code < 0x100 && /\p{Cc}/u.test(character)) return `\\x${digits.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`
}

/**
 * Every control character but tab as `\xNN`, every other character that is not seen as `\uNNNN`: what comes
 * out is one line, and shows as it is. spec: Output on failure, 2; D59
 */
export const sanitize = (text: string): string => text.replace(unseen(), escaped)

/** Lines in which no CI system finds a command: `#\x23[`, and `:\x3a` at the beginning of a line. D59 */
export const withoutCommands = (lines: string): string =>
  lines.replace(command, '#$1\\x23').replace(lineCommand, '$1:\\x3a')

/**
 * The same for JSON text, whose strings keep their values: the `#` of commands and every character that is
 * not seen are written as `\uNNNN`. D59
 */
export const harmlessJson = (json: string): string =>
  json.replace(command, '\\u0023$1\\u0023').replace(unseen(), (character) =>
    // Line breaks and blanks between the parts of a document are its own.
    character === '\n' ? character : jsonEscaped(character),
  )

const jsonEscaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
