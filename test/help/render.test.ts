import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderTopic } from '../../lib/help/render'
import { parseTitle, topics } from '../../lib/help/topics'

const test = suite('help/render')

/** Renders Markdown for a terminal of this width. Headings are in capitals instead of bold. */
const render = (markdown: string, width = 40): string =>
  renderTopic(markdown, width, (heading) => heading.toUpperCase())

test('wraps paragraphs, and removes the backticks of code and the asterisks of bold text', () => {
  assert.is(
    render('# A title\n\nOne `code` and **strong**\nwords, which go on and on.\n'),
    'A TITLE\n\nOne code and strong words, which go on\nand on.',
  )
})

test('shows the address of a web page after its link, and not that of another topic', () => {
  assert.is(render('[a page](https://example.org/a)'), 'a page (https://example.org/a)')
  assert.is(render('See [questions](questions.md).'), 'See questions.')
})

test('keeps the lines of code, even if they are too long', () => {
  const line = 'svc ask '.repeat(12).trim()
  assert.is(render(`\`\`\`sh\n${line}\n\n# x\n\`\`\``), `    ${line}\n\n    # x`)
})

test('indents the further lines of a list item', () => {
  assert.is(
    render('* one item that is longer than a line of it\n* two\n'),
    '* one item that is longer than a line of\n  it\n* two',
  )
})

test('indents code in a list item', () => {
  assert.is(
    render('1. first\n2. second\n\n   ```\n   x\n   ```\n'),
    '1. first\n\n2. second\n\n       x',
  )
})

test('shows a table of two columns without its header', () => {
  assert.is(render('| Exit | When |\n|---|---|\n| 0 | success |\n'), '  0  success')
})

test('shows a table of three columns as two, with the names of the columns in the second', () => {
  assert.is(
    render('| Exit | Kind | When |\n|---|---|---|\n| 1 | `usage` | bad flags |\n| 2 | | x |\n', 60),
    '  1  Kind: usage; When: bad flags\n  2  When: x',
  )
})

test('omits comments', () => {
  assert.is(render('a\n\n<!-- golden: x -->\n\nb'), 'a\n\nb')
})

for (const [name, markdown] of topics)
  test(`the topic ${name} has a title, and shows no syntax of Markdown`, () => {
    assert.match(parseTitle(markdown), /^[A-Z][^.]{9,60}$/)
    for (const width of [40, 80, 100]) {
      const code = /^ {4}.*$/gm
      const prose = render(markdown, width).replace(code, '')
      assert.not.match(prose, /\]\(|\*\*|^#|<!--|&[a-z]+;/m)
      for (const line of prose.split('\n')) {
        // A word that is longer than the line cannot be wrapped.
        const isOneWord = !/ \S+ /.test(line)
        assert.ok(line.length <= width || isOneWord, line)
      }
    }
  })

test.run()
