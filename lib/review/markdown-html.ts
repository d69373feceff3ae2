/** When an HTML block ends: on the line that matches, or before the next blank line. */
export type HtmlEnd = RegExp | 'blank'

const blockNames =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|' +
  'dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|' +
  'hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|' +
  'search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'

const attribute = `\\s+[a-z_:][\\w.:-]*(?:\\s*=\\s*(?:[^\\s"'=<>\`]+|'[^']*'|"[^"]*"))?`
const completeTag = new RegExp(
  `^(?:<[a-z][a-z0-9-]*(?:${attribute})*\\s*/?>|</[a-z][a-z0-9-]*\\s*>)\\s*$`,
  'i',
)

const starts: ReadonlyArray<readonly [start: RegExp, end: HtmlEnd]> = [
  [/^<(?:script|pre|textarea|style)(?:\s|>|$)/i, /<\/(?:script|pre|textarea|style)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${blockNames})(?:\\s|/?>|$)`, 'i'), 'blank'],
]

/**
 * The end condition of the HTML block that `text` opens, if it opens one. The
 * seventh kind, any complete tag alone on its line, cannot interrupt a paragraph.
 * CommonMark: HTML blocks
 */
export const htmlBlock = (text: string, inParagraph: boolean): HtmlEnd | undefined => {
  if (!text.startsWith('<')) return undefined
  const known = starts.find(([start]) => start.test(text))
  if (known !== undefined) return known[1]
  return !inParagraph && completeTag.test(text) ? 'blank' : undefined
}
