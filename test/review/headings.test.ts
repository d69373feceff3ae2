import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findHeadings, findSection } from '../../lib/review/headings'
import { readVectors } from '../support/vectors'

const test = suite('review: headings')

interface SectionCase {
  readonly title: string
  /** A Markdown document with `|` for a line break. */
  readonly document: string
  /** The heading line to find. */
  readonly heading: string
  /** The first and the last line of its section, counted from 0. Absent if svc must not find the heading. */
  readonly sectionLines?: readonly [first: number, last: number]
}

const cases: ReadonlyArray<SectionCase> = [
  {
    title: 'a heading of the same level ends a section',
    document: '## A|a|## B',
    heading: '## A',
    sectionLines: [0, 1],
  },
  {
    title: 'a heading of a higher level ends a section',
    document: '## A|a|# B',
    heading: '## A',
    sectionLines: [0, 1],
  },
  {
    title: 'a heading of a lower level does not end a section',
    document: '## A|### B|#### C|## D',
    heading: '## A',
    sectionLines: [0, 2],
  },
  {
    title: 'the end of the file ends a section',
    document: '# A|## B|b|',
    heading: '## B',
    sectionLines: [1, 3],
  },
  {
    title: 'a section may have only its heading',
    document: '# A|## B',
    heading: '## B',
    sectionLines: [1, 1],
  },
  {
    title: 'the first of two equal headings is found',
    document: '# A|1|# A|2',
    heading: '# A',
    sectionLines: [0, 1],
  },
  { title: 'the level must match', document: '# A', heading: '## A' },
  { title: 'the letter case must match', document: '# A', heading: '# a' },
  { title: 'the heading includes its # marks', document: '# A', heading: 'A' },
  {
    title: 'closing # marks are a part of the heading',
    document: '## A ##|a',
    heading: '## A ##',
    sectionLines: [0, 1],
  },
  { title: 'closing # marks must not be left out', document: '## A ##|a', heading: '## A' },
  {
    title: 'a heading may be indented by three spaces',
    document: '   ## A  |a',
    heading: '## A',
    sectionLines: [0, 1],
  },
  { title: 'a line indented by four spaces is code', document: '|    ## A', heading: '## A' },
  { title: '# marks without a following space are text', document: '##A', heading: '##A' },
  { title: 'seven # marks are text', document: '####### A', heading: '####### A' },
  {
    title: 'a tab may follow the # marks',
    document: '##\tA|a',
    heading: '##\tA',
    sectionLines: [0, 1],
  },
  {
    title: 'an empty heading ends a section',
    document: '# A|a|#|b',
    heading: '# A',
    sectionLines: [0, 1],
  },
  {
    title: 'a line in a backtick fence is not a heading',
    document: '# A|```|# B|```|# C',
    heading: '# A',
    sectionLines: [0, 3],
  },
  {
    title: 'a line in a tilde fence is not a heading',
    document: '# A|~~~ md|# B|~~~~|# C',
    heading: '# A',
    sectionLines: [0, 3],
  },
  {
    title: 'a shorter fence does not close a longer one',
    document: '# A|````|```|# B',
    heading: '# B',
  },
  { title: 'tildes do not close a backtick fence', document: '# A|```|~~~|# B', heading: '# B' },
  {
    title: 'a backtick after ``` means that it is not a fence',
    document: '``` a`|# B',
    heading: '# B',
    sectionLines: [1, 1],
  },
  {
    title: 'a tab may come before the info string of a fence',
    document: '```\tmd|# B|```\t',
    heading: '# B',
  },
  {
    title: 'a fence with an info string does not close another one',
    document: '```|``` md|# B',
    heading: '# B',
  },
  {
    title: 'an underlined heading does not end a section',
    document: '## A|B|===|b',
    heading: '## A',
    sectionLines: [0, 3],
  },
  { title: 'an underlined heading is not found', document: 'A|===', heading: 'A' },
  {
    title: 'a line in an HTML comment is not a heading',
    document: '# A|<!--|# B|-->|# C',
    heading: '# A',
    sectionLines: [0, 3],
  },
  {
    title: 'a heading may follow a comment of one line',
    document: '<!-- x -->|# B',
    heading: '# B',
    sectionLines: [1, 1],
  },
  { title: 'a line in an HTML block is not a heading', document: '<div>|# B||# C', heading: '# B' },
  {
    title: 'a blank line ends an HTML block',
    document: '<div>|# B||# C',
    heading: '# C',
    sectionLines: [3, 3],
  },
  { title: 'a blank line does not end a pre block', document: '<pre>||# B|</pre>', heading: '# B' },
  {
    title: 'a custom tag in a paragraph begins no HTML block',
    document: 'text|<foo>|# B',
    heading: '# B',
    sectionLines: [2, 2],
  },
  { title: 'a heading in a block quote is not found', document: '> # A|# B', heading: '# A' },
  {
    title: 'the end of a block quote ends its fence',
    document: '> ```|# B',
    heading: '# B',
    sectionLines: [1, 1],
  },
  { title: 'a heading in a list item is not found', document: '- # A||  # B||# C', heading: '# B' },
  {
    title: 'a heading may follow a list',
    document: '1. a||   # B|# C',
    heading: '# C',
    sectionLines: [3, 3],
  },
  {
    title: 'the end of a list item ends its fence',
    document: '- ```|  # A|# B',
    heading: '# B',
    sectionLines: [2, 2],
  },
  {
    title: 'a heading may follow a paragraph',
    document: 'text|# B',
    heading: '# B',
    sectionLines: [1, 1],
  },
  {
    title: 'a byte order mark is not a part of the heading',
    document: '\ufeff# A|a',
    heading: '# A',
    sectionLines: [0, 1],
  },
  {
    title: 'a heading may have non-ASCII characters',
    document: '# Größe 😀|a',
    heading: '# Größe 😀',
    sectionLines: [0, 1],
  },
  { title: 'an empty file has no heading', document: '', heading: '# A' },
]

const newlines = { LF: '\n', CRLF: '\r\n', CR: '\r' }

for (const [newlineName, newline] of Object.entries(newlines))
  for (const { title, document, heading, sectionLines } of cases)
    test(`${title} (${newlineName})`, () => {
      const lines = document.split('|')
      const markdown = lines.join(newline)
      if (sectionLines === undefined) {
        assert.is(findSection(markdown, heading), undefined)
        return
      }
      const [first, last] = sectionLines
      const section = lines.slice(first, last + 1).join(newline)
      assert.is(findSection(markdown, heading), section.replace('\ufeff', ''))
    })

test('finds the levels, texts and offsets of headings', () => {
  assert.equal(findHeadings('# A\r\n\r\n  ### B ###\r\n'), [
    { level: 1, text: '# A', start: 0, previousLineEnd: 0 },
    { level: 3, text: '### B ###', start: 7, previousLineEnd: 5 },
  ])
})

test('finds headings between lines with many spaces in linear time', () => {
  const spaces = ' '.repeat(200_000)
  // With quadratic time, this would take minutes. The last line is in a code fence.
  assert.is(findHeadings(`# a${spaces}b\n${spaces}\n\`\`\`${spaces}\n# c`).length, 1)
})

/** An example of the CommonMark specification. */
interface CommonMarkExample {
  readonly kind: 'section' | 'heading' | 'no heading'
  /** The number of the example in the specification. */
  readonly example: number
  readonly doc: string
  /** The heading to find. The file has it as a list of one. */
  readonly heading: readonly [string]
  /** The section of the heading. Absent if svc must not find the heading. */
  readonly expect?: string
}

test('finds the headings in the examples of the CommonMark specification', () => {
  const { cases: examples } = readVectors<{ readonly cases: ReadonlyArray<CommonMarkExample> }>(
    'commonmark.json',
  )
  for (const { kind, example, doc, heading, expect } of examples)
    assert.is(findSection(doc, heading[0]), expect, `${kind}, example ${example}`)
})

test.run()
