import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findHeadings, findSection } from '../../lib/review/markdown-section'
import { outsideVectors } from '../support/folders'

const test = suite('review: section')

interface Case {
  readonly title: string
  readonly doc: ReadonlyArray<string>
  readonly heading: string
  /** Numbers of the first and the last line of the section, from 0; absent when there is none. */
  readonly lines?: readonly [number, number]
}

const cases: ReadonlyArray<Case> = [
  {
    title: 'up to the next of the same level',
    doc: ['## A', 'a', '## B'],
    heading: '## A',
    lines: [0, 1],
  },
  { title: 'up to a higher level', doc: ['## A', 'a', '# B'], heading: '## A', lines: [0, 1] },
  {
    title: 'over lower levels',
    doc: ['## A', '### B', '#### C', '## D'],
    heading: '## A',
    lines: [0, 2],
  },
  {
    title: 'to the end of the file',
    doc: ['# A', '## B', 'b', ''],
    heading: '## B',
    lines: [1, 3],
  },
  {
    title: 'a heading at the end of the file',
    doc: ['# A', '## B'],
    heading: '## B',
    lines: [1, 1],
  },
  {
    title: 'the first of two equal headings',
    doc: ['# A', '1', '# A', '2'],
    heading: '# A',
    lines: [0, 1],
  },
  { title: 'a level that differs', doc: ['# A'], heading: '## A' },
  { title: 'text that differs in case', doc: ['# A'], heading: '# a' },
  { title: 'text without the marker', doc: ['# A'], heading: 'A' },
  {
    title: 'closing marks belong to the line',
    doc: ['## A ##', 'a'],
    heading: '## A ##',
    lines: [0, 1],
  },
  { title: 'closing marks left out', doc: ['## A ##', 'a'], heading: '## A' },
  { title: 'up to three leading spaces', doc: ['   ## A  ', 'a'], heading: '## A', lines: [0, 1] },
  { title: 'four leading spaces', doc: ['', '    ## A'], heading: '## A' },
  { title: 'no blank after the marks', doc: ['##A'], heading: '##A' },
  { title: 'seven marks', doc: ['####### A'], heading: '####### A' },
  { title: 'a tab after the marks', doc: ['##\tA', 'a'], heading: '##\tA', lines: [0, 1] },
  {
    title: 'an empty heading ends a section',
    doc: ['# A', 'a', '#', 'b'],
    heading: '# A',
    lines: [0, 1],
  },
  {
    title: 'backtick fences',
    doc: ['# A', '```', '# B', '```', '# C'],
    heading: '# A',
    lines: [0, 3],
  },
  {
    title: 'tilde fences',
    doc: ['# A', '~~~ md', '# B', '~~~~', '# C'],
    heading: '# A',
    lines: [0, 3],
  },
  { title: 'a shorter run closes no fence', doc: ['# A', '````', '```', '# B'], heading: '# B' },
  { title: 'the other mark closes no fence', doc: ['# A', '```', '~~~', '# B'], heading: '# B' },
  {
    title: 'an info string with a backtick',
    doc: ['``` a`', '# B'],
    heading: '# B',
    lines: [1, 1],
  },
  { title: 'info strings after tabs', doc: ['```\tmd', '# B', '```\t'], heading: '# B' },
  { title: 'a closing fence with text', doc: ['```', '``` md', '# B'], heading: '# B' },
  {
    title: 'setext look-alikes end nothing',
    doc: ['## A', 'B', '===', 'b'],
    heading: '## A',
    lines: [0, 3],
  },
  { title: 'a setext heading is not meant', doc: ['A', '==='], heading: 'A' },
  {
    title: 'an HTML comment',
    doc: ['# A', '<!--', '# B', '-->', '# C'],
    heading: '# A',
    lines: [0, 3],
  },
  {
    title: 'after a comment on one line',
    doc: ['<!-- x -->', '# B'],
    heading: '# B',
    lines: [1, 1],
  },
  { title: 'an HTML block', doc: ['<div>', '# B', '', '# C'], heading: '# B' },
  { title: 'after an HTML block', doc: ['<div>', '# B', '', '# C'], heading: '# C', lines: [3, 3] },
  { title: 'a pre block with blank lines', doc: ['<pre>', '', '# B', '</pre>'], heading: '# B' },
  {
    title: 'a tag inside a paragraph',
    doc: ['text', '<foo>', '# B'],
    heading: '# B',
    lines: [2, 2],
  },
  { title: 'a block quote', doc: ['> # A', '# B'], heading: '# A' },
  {
    title: 'a fence that a block quote ends',
    doc: ['> ```', '# B'],
    heading: '# B',
    lines: [1, 1],
  },
  { title: 'a list item', doc: ['- # A', '', '  # B', '', '# C'], heading: '# B' },
  { title: 'after a list', doc: ['1. a', '', '   # B', '# C'], heading: '# C', lines: [3, 3] },
  {
    title: 'a fence in a list item',
    doc: ['- ```', '  # A', '# B'],
    heading: '# B',
    lines: [2, 2],
  },
  { title: 'a heading after a paragraph', doc: ['text', '# B'], heading: '# B', lines: [1, 1] },
  { title: 'a byte order mark', doc: ['\ufeff# A', 'a'], heading: '# A', lines: [0, 1] },
  { title: 'text beyond ASCII', doc: ['# Größe 😀', 'a'], heading: '# Größe 😀', lines: [0, 1] },
  { title: 'an empty file', doc: [''], heading: '# A' },
]

for (const [name, newline] of [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const) {
  for (const { title, doc, heading, lines } of cases) {
    test(`${title} (${name})`, () => {
      const expected = lines && doc.slice(lines[0], lines[1] + 1).join(newline)
      const found = findSection(doc.join(newline), heading)
      assert.is(found, expected?.replace('\ufeff', ''))
    })
  }
}

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

const vectors = outsideVectors('commonmark.json') as Vectors | undefined
if (vectors !== undefined) {
  test("CommonMark's own examples", () => {
    for (const { kind, example, doc, heading, expect } of vectors.cases)
      assert.is(findSection(doc, heading[0]), expect, `${kind}, example ${example}`)
  })
}

test.run()
