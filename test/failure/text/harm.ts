import MarkdownIt from 'markdown-it'

/** Characters that a CI system may ignore when it compares texts. */
const ignored = /(?!\t)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * The lines in which a CI system would find a command, by the grammars of GitHub's runner (`::` first in a
 * line after blanks, `##[` anywhere), Azure's agent (`##vso[` anywhere) and TeamCity (`##teamcity[`). A line
 * ends at a carriage return, too. Stricter than they are: known names and closing marks are not asked for.
 */
export const commandsIn = (output: string): ReadonlyArray<string> =>
  output
    .split(/\r\n|\r|\n/)
    .filter((line) => /^\s*::|##(?:vso|teamcity)?\[/.test(line.replace(ignored, '')))

/** Finds characters that move the cursor, or that hide, reverse or join text. Tab and line feed are allowed. */
export const controlsIn = (output: string): ReadonlyArray<string> => [
  ...new Set(
    output.match(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    ),
  ),
]

/** Renders Markdown with HTML and links from bare addresses. */
const page = new MarkdownIt({ html: true, linkify: true })
// As GitHub: `orders.py` and `body.ac` are no addresses. `www.` is looked for below.
page.linkify.set({ fuzzyLink: false, fuzzyEmail: true })

/** Finds the parts of a Markdown text that become links, images, HTML, or mentions of a person or an issue. */
export const activeIn = (markdown: string): ReadonlyArray<string> =>
  page
    .parse(markdown, {})
    .flatMap((token) => [token, ...(token.children ?? [])])
    .flatMap(({ type, content }) => {
      if (type === 'text') return content.match(/(?:^|\W)@\w+|#\d+|www\.\w+/gi) ?? []
      return /^(?:link_open|image|html_)/.test(type) ? [`${type} ${content}`] : []
    })
