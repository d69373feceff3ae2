import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { alignTable } from '../../lib/text/table'
import { chooseTextLayout, layOutMessages, plainLayout, wrapLines } from '../../lib/text/terminal'
import { cutToWidth, measureWidth } from '../../lib/text/width'

const test = suite('text/terminal')

const narrow = { ...plainLayout, width: 30 }

test('measures the width of Hangul, kana, accents, emoji and colours', () => {
  const widths: Readonly<Record<string, number>> = {
    한글: 4,
    ['한글'.normalize('NFD')]: 4,
    ﾊﾝｶｸ: 4,
    日本: 4,
    ['é'.normalize('NFD')]: 1,
    '👨‍👩‍👧': 2,
    '\u001b[1mbold\u001b[22m': 4,
  }
  for (const [text, width] of Object.entries(widths)) assert.is(measureWidth(text), width, text)
  assert.is(cutToWidth('한글한글', 5), '한글…')
})

test('wraps only lines that are too wide, with a hanging indent', () => {
  assert.is(
    wrapLines('short  line\n  80 % right: none today; with 500 more labels', narrow),
    'short  line\n  80 % right: none today; with\n    500 more labels',
  )
  assert.is(
    wrapLines('a line that is longer than thirty columns', plainLayout),
    'a line that is longer than thirty columns',
  )
})

test('keeps a command to paste on one line', () => {
  assert.is(
    layOutMessages('hint: to continue: svc batch -f questions.json -i rows.csv --resume\n', narrow),
    'hint: to continue:\n  svc batch -f questions.json -i rows.csv --resume\n',
  )
})

test('colours the words that begin messages, and leaves lines of the log alone', () => {
  const layout = chooseTextLayout({ isTTY: true, columns: 30 }, {})
  assert.is(layOutMessages('svc: no\n', layout), '\u001b[31msvc:\u001b[39m no\n')
  assert.is(layOutMessages('hint: yes\n', layout), '\u001b[33mhint:\u001b[39m yes\n')
  const line = 'time=2026-01-01T00:00:00Z level=info msg=a b c d e f g h\n'
  assert.is(layOutMessages(line, layout), line)
})

test('shows no colours in pipes, in CI, on a dumb terminal, and with NO_COLOR', () => {
  const paint = (isTTY: boolean, env: Readonly<Record<string, string>>): string =>
    chooseTextLayout({ isTTY }, env).paint('red', 'x')
  assert.is(paint(true, {}), '\u001b[31mx\u001b[39m')
  assert.is(paint(false, {}), 'x')
  for (const [name, value] of Object.entries({ NO_COLOR: '1', CI: 'true', TERM: 'dumb' }))
    assert.is(paint(true, { [name]: value }), 'x')
})

test('a table leaves out columns that do not fit, then cuts the first one', () => {
  const headers = ['question', 'right', 'from', 'to', 'calibration']
  const rows = [['a-long-question', '80 %', '75 %', '85 %', 'poor']]
  assert.is(
    alignTable(1, headers, rows, { ...narrow, droppable: ['calibration'] }),
    'question     right  from    to\na-long-que…   80 %  75 %  85 %',
  )
  for (const line of alignTable(1, headers, rows, narrow).split('\n'))
    assert.ok(measureWidth(line) <= 30, line)
})

test.run()
