import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findHeadings, findSection } from '../../lib/review/headings'
import { readVectors } from '../support/folders'

const test = suite('review: headings')

/**
 * Markdown documents, with `|` for a line break, and a heading line. `firstLine` and `lastLine` limit the section of
 * the heading, counted from 0. Without them svc must not find the heading.
 */
const cases: ReadonlyArray<
  readonly [title: string, document: string, heading: string, firstLine?: number, lastLine?: number]
> = [
  ['a heading of the same level ends a section', '## A|a|## B', '## A', 0, 1],
  ['a heading of a higher level ends a section', '## A|a|# B', '## A', 0, 1],
  ['a heading of a lower level does not end a section', '## A|### B|#### C|## D', '## A', 0, 2],
  ['the end of the file ends a section', '# A|## B|b|', '## B', 1, 3],
  ['a section may have only its heading', '# A|## B', '## B', 1, 1],
  ['the first of two equal headings is found', '# A|1|# A|2', '# A', 0, 1],
  ['the level must match', '# A', '## A'],
  ['the letter case must match', '# A', '# a'],
  ['the heading includes its # marks', '# A', 'A'],
  ['closing # marks are a part of the heading', '## A ##|a', '## A ##', 0, 1],
  ['closing # marks must not be left out', '## A ##|a', '## A'],
  ['a heading may be indented by three spaces', '   ## A  |a', '## A', 0, 1],
  ['a line indented by four spaces is code', '|    ## A', '## A'],
  ['# marks without a following blank are text', '##A', '##A'],
  ['seven # marks are text', '####### A', '####### A'],
  ['a tab may follow the # marks', '##\tA|a', '##\tA', 0, 1],
  ['an empty heading ends a section', '# A|a|#|b', '# A', 0, 1],
  ['a line in a backtick fence is not a heading', '# A|```|# B|```|# C', '# A', 0, 3],
  ['a line in a tilde fence is not a heading', '# A|~~~ md|# B|~~~~|# C', '# A', 0, 3],
  ['a shorter fence does not close a longer one', '# A|````|```|# B', '# B'],
  ['tildes do not close a backtick fence', '# A|```|~~~|# B', '# B'],
  ['a backtick after ``` means that it is not a fence', '``` a`|# B', '# B', 1, 1],
  ['a tab may come before the info string of a fence', '```\tmd|# B|```\t', '# B'],
  ['a fence with an info string does not close another one', '```|``` md|# B', '# B'],
  ['an underlined heading does not end a section', '## A|B|===|b', '## A', 0, 3],
  ['an underlined heading is not found', 'A|===', 'A'],
  ['a line in an HTML comment is not a heading', '# A|<!--|# B|-->|# C', '# A', 0, 3],
  ['a heading may follow a comment of one line', '<!-- x -->|# B', '# B', 1, 1],
  ['a line in an HTML block is not a heading', '<div>|# B||# C', '# B'],
  ['a blank line ends an HTML block', '<div>|# B||# C', '# C', 3, 3],
  ['a blank line does not end a pre block', '<pre>||# B|</pre>', '# B'],
  ['a custom tag in a paragraph begins no HTML block', 'text|<foo>|# B', '# B', 2, 2],
  ['a heading in a block quote is not found', '> # A|# B', '# A'],
  ['the end of a block quote ends its fence', '> ```|# B', '# B', 1, 1],
  ['a heading in a list item is not found', '- # A||  # B||# C', '# B'],
  ['a heading may follow a list', '1. a||   # B|# C', '# C', 3, 3],
  ['the end of a list item ends its fence', '- ```|  # A|# B', '# B', 2, 2],
  ['a heading may follow a paragraph', 'text|# B', '# B', 1, 1],
  ['a byte order mark is not a part of the heading', '\ufeff# A|a', '# A', 0, 1],
  ['a heading may have non-ASCII characters', '# Größe 😀|a', '# Größe 😀', 0, 1],
  ['an empty file has no heading', '', '# A'],
]

const newlines = { LF: '\n', CRLF: '\r\n', CR: '\r' }

for (const [newlineName, newline] of Object.entries(newlines))
  for (const [title, document, heading, firstLine, lastLine = 0] of cases)
    test(`${title} (${newlineName})`, () => {
      const lines = document.split('|')
      const section =
        firstLine === undefined ? undefined : lines.slice(firstLine, lastLine + 1).join(newline)
      assert.is(findSection(lines.join(newline), heading), section?.replace('\ufeff', ''))
    })

test('finds the levels, texts and offsets of headings', () => {
  assert.equal(findHeadings('# A\r\n\r\n  ### B ###\r\n'), [
    { level: 1, text: '# A', start: 0, previousLineEnd: 0 },
    { level: 3, text: '### B ###', start: 7, previousLineEnd: 5 },
  ])
})

test('finds headings between long lines in linear time', () => {
  const blanks = ' '.repeat(200_000)
  assert.is(findHeadings(`# a${blanks}b\n${blanks}\n\`\`\`${blanks}\n# c`).length, 1)
})

/** An example of the CommonMark specification, and the section that svc finds in it for the heading. */
interface CommonMarkExample {
  readonly kind: 'section' | 'heading' | 'no heading'
  readonly example: number
  readonly doc: string
  readonly heading: readonly [string]
  readonly expect?: string
}

test('finds the headings in the examples of the CommonMark specification', () => {
  const { cases } = readVectors<{ readonly cases: ReadonlyArray<CommonMarkExample> }>(
    'commonmark.json',
  )
  for (const { kind, example, doc, heading, expect } of cases)
    assert.is(findSection(doc, heading[0]), expect, `${kind}, example ${example}`)
})

test.run()
