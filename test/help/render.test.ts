import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderTopic } from '../../lib/help/render'
import { parseTitle, topics } from '../../lib/help/topics'

const test = suite('help/render')

const render = (markdown: string, width = 40): string =>
  renderTopic(markdown, width, (text) => text.toUpperCase())

test('paragraphs are wrapped, inline marks are removed, addresses stay', () => {
  assert.is(
    render('# A title\n\nOne `code` and **strong**\nwords, [a page](https://example.org/a).\n'),
    'A TITLE\n\nOne code and strong words, a page\n(https://example.org/a).',
  )
  assert.is(render('See [questions](questions.md).'), 'See questions.')
})

test('code keeps its lines, however long', () => {
  const line = 'svc ask '.repeat(12).trim()
  assert.is(render(`\`\`\`sh\n${line}\n\n# x\n\`\`\``), `    ${line}\n\n    # x`)
})

test('lists are indented, and so are the blocks inside', () => {
  assert.is(
    render(
      '* one item that is longer than a line of it\n* two\n\n1. first\n2. second\n\n   ```\n   x\n   ```\n',
    ),
    '* one item that is longer than a line of\n  it\n* two\n\n1. first\n\n2. second\n\n       x',
  )
})

test('a table of two columns, and a wider one with the names of its columns', () => {
  assert.is(render('| Exit | When |\n|---|---|\n| 0 | success |\n'), '  0  success')
  assert.is(
    render('| Exit | Kind | When |\n|---|---|---|\n| 1 | `usage` | bad flags |\n| 2 | | x |\n', 60),
    '  1  Kind: usage; When: bad flags\n  2  When: x',
  )
})

test('comments are not shown', () => {
  assert.is(render('a\n\n<!-- golden: x -->\n\nb'), 'a\n\nb')
})

for (const [name, markdown] of topics)
  test(`${name}: a title, and nothing of Markdown is left when it is shown`, () => {
    assert.match(parseTitle(markdown), /^[A-Z][^.]{9,60}$/)
    for (const width of [40, 80, 100]) {
      const prose = render(markdown, width).replace(/^ {4}.*$/gm, '')
      assert.not.match(prose, /\]\(|\*\*|^#|<!--|&[a-z]+;/m)
      for (const line of prose.split('\n'))
        assert.ok(line.length <= width || !/ \S+ /.test(line), line)
    }
  })

test.run()
