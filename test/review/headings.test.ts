import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findHeadings, findSection } from '../../lib/review/headings'
import { readVectors } from '../support/folders'

const test = suite('review: section')

/**
 * Documents, with `|` for the ends of their lines, and a heading. The numbers are those of the first and the last
 * line of its section, from 0; absent if there is none.
 */
const cases: ReadonlyArray<
  readonly [title: string, doc: string, heading: string, first?: number, last?: number]
> = [
  ['up to the next of the same level', '## A|a|## B', '## A', 0, 1],
  ['up to a higher level', '## A|a|# B', '## A', 0, 1],
  ['over lower levels', '## A|### B|#### C|## D', '## A', 0, 2],
  ['to the end of the file', '# A|## B|b|', '## B', 1, 3],
  ['a heading at the end of the file', '# A|## B', '## B', 1, 1],
  ['the first of two equal headings', '# A|1|# A|2', '# A', 0, 1],
  ['a level that differs', '# A', '## A'],
  ['text that differs in case', '# A', '# a'],
  ['text without the marker', '# A', 'A'],
  ['closing marks belong to the line', '## A ##|a', '## A ##', 0, 1],
  ['closing marks left out', '## A ##|a', '## A'],
  ['up to three leading spaces', '   ## A  |a', '## A', 0, 1],
  ['four leading spaces', '|    ## A', '## A'],
  ['no blank after the marks', '##A', '##A'],
  ['seven marks', '####### A', '####### A'],
  ['a tab after the marks', '##\tA|a', '##\tA', 0, 1],
  ['an empty heading ends a section', '# A|a|#|b', '# A', 0, 1],
  ['backtick fences', '# A|```|# B|```|# C', '# A', 0, 3],
  ['tilde fences', '# A|~~~ md|# B|~~~~|# C', '# A', 0, 3],
  ['a shorter run closes no fence', '# A|````|```|# B', '# B'],
  ['the other mark closes no fence', '# A|```|~~~|# B', '# B'],
  ['an info string with a backtick', '``` a`|# B', '# B', 1, 1],
  ['info strings after tabs', '```\tmd|# B|```\t', '# B'],
  ['a closing fence with text', '```|``` md|# B', '# B'],
  ['setext look-alikes end nothing', '## A|B|===|b', '## A', 0, 3],
  ['a setext heading is not meant', 'A|===', 'A'],
  ['an HTML comment', '# A|<!--|# B|-->|# C', '# A', 0, 3],
  ['after a comment on one line', '<!-- x -->|# B', '# B', 1, 1],
  ['an HTML block', '<div>|# B||# C', '# B'],
  ['after an HTML block', '<div>|# B||# C', '# C', 3, 3],
  ['a pre block with blank lines', '<pre>||# B|</pre>', '# B'],
  ['a tag inside a paragraph', 'text|<foo>|# B', '# B', 2, 2],
  ['a block quote', '> # A|# B', '# A'],
  ['a fence that a block quote ends', '> ```|# B', '# B', 1, 1],
  ['a list item', '- # A||  # B||# C', '# B'],
  ['after a list', '1. a||   # B|# C', '# C', 3, 3],
  ['a fence in a list item', '- ```|  # A|# B', '# B', 2, 2],
  ['a heading after a paragraph', 'text|# B', '# B', 1, 1],
  ['a byte order mark', '\ufeff# A|a', '# A', 0, 1],
  ['text beyond ASCII', '# Größe 😀|a', '# Größe 😀', 0, 1],
  ['an empty file', '', '# A'],
]

for (const [name, newline] of Object.entries({ LF: '\n', CRLF: '\r\n', CR: '\r' }))
  for (const [title, doc, heading, first, last = 0] of cases)
    test(`${title} (${name})`, () => {
      const lines = doc.split('|')
      const expected = first === undefined ? undefined : lines.slice(first, last + 1).join(newline)
      assert.is(findSection(lines.join(newline), heading), expected?.replace('\ufeff', ''))
    })

test('levels and offsets', () => {
  assert.equal(findHeadings('# A\r\n\r\n  ### B ###\r\n'), [
    { level: 1, text: '# A', start: 0, before: 0 },
    { level: 3, text: '### B ###', start: 7, before: 5 },
  ])
})

test('long lines take linear time', () => {
  const blanks = ' '.repeat(200_000)
  assert.is(findHeadings(`# a${blanks}b\n${blanks}\n\`\`\`${blanks}\n# c`).length, 1)
})

interface Vector {
  readonly kind: 'section' | 'heading' | 'no heading'
  readonly example: number
  readonly doc: string
  readonly heading: readonly [string]
  readonly expect?: string
}

interface Vectors {
  readonly cases: ReadonlyArray<Vector>
}

test("CommonMark's own examples", () => {
  const { cases } = readVectors<Vectors>('commonmark.json')
  for (const { kind, example, doc, heading, expect } of cases)
    assert.is(findSection(doc, heading[0]), expect, `${kind}, example ${example}`)
})

test.run()
