/** These functions find harm that a text could do, for tests of the functions that prevent it. */
import MarkdownIt from 'markdown-it'

/** Characters that a CI system may ignore when it compares texts. */
const ignoredCharacters = /(?!\t)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Finds the lines in which a CI system could see a command: `::` at the start of a line, also after white space (GitHub), and `##[`
 * (GitHub), `##vso[` (Azure) or `##teamcity[` (TeamCity) anywhere. A carriage return also ends a line. The function finds more than
 * those systems: any name counts as a command, and the end of a command may be missing.
 */
export const findCiCommands = (output: string): ReadonlyArray<string> =>
  output
    .split(/\r\n|\r|\n/)
    .filter((line) => /^\s*::|##(?:vso|teamcity)?\[/.test(line.replace(ignoredCharacters, '')))

/** Finds characters, each once, that move the cursor, or that hide, reverse or join text. Tab and line feed are allowed. */
export const findControls = (output: string): ReadonlyArray<string> => [
  ...new Set(
    output.match(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    ),
  ),
]

/** Parses Markdown with HTML, and with links from bare addresses. */
const parser = new MarkdownIt({ html: true, linkify: true })
// With these settings the parser links no names such as `orders.py`, as GitHub does not. It does not link addresses that begin with
// `www.` either, although GitHub does. So `findActiveMarkdown` looks for those itself.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: true })

/** Finds the parts of a Markdown text that become links, images, HTML, or mentions of a person or an issue. */
export const findActiveMarkdown = (markdown: string): ReadonlyArray<string> => {
  const found: string[] = []
  for (const block of parser.parse(markdown, {}))
    for (const { type, content } of [block, ...(block.children ?? [])]) {
      if (type === 'text') found.push(...(content.match(/(?:^|\W)@\w+|#\d+|www\.\w+/gi) ?? []))
      else if (/^(?:link_open|image|html_)/.test(type)) found.push(`${type} ${content}`)
    }
  return found
}
