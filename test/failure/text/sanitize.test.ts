import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatInertMarkdown, joinLines } from '../../../lib/failure/text/markdown'
import { escapeCiCommands, escapeJson, sanitize } from '../../../lib/failure/text/sanitize'
import * as fc from '../../support/fast-check'
import { findActiveMarkdown, findCiCommands, findControls } from './find-harm'
import { generateHostileText } from './hostile-text'

const test = suite('text/sanitize')

const escapes: ReadonlyArray<readonly [text: string, sanitized: string]> = [
  ['', ''],
  ['plain text', 'plain text'],
  ['a\r\nb', 'a\\x0d\\x0ab'],
  ['a\tb', 'a\tb'],
  ['\u0000\u001f\u007f\u0080\u0085\u009f', '\\x00\\x1f\\x7f\\x80\\x85\\x9f'],
  ['\u001b[31mred', '\\x1b[31mred'],
  ['\u00a0é😀❤\ufe0f', '\u00a0é😀❤\ufe0f'],
  ['a\u2028b\u202ec\u200bd\ufeffe\u00ad', 'a\\u2028b\\u202ec\\u200bd\\ufeffe\\u00ad'],
  ['\u{e0041}', '\\u{e0041}'],
  ['\\x0a', '\\x0a'],
]

test('escapes invisible characters', () => {
  for (const [text, sanitized] of escapes) assert.is(sanitize(text), sanitized)
})

/** Ranges of invisible code points: format characters, default ignorables and line separators, without emoji selectors. */
const invisibleRanges: ReadonlyArray<readonly [first: number, last: number]> = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x600, 0x605],
  [0x61c, 0x61c],
  [0x6dd, 0x6dd],
  [0x70f, 0x70f],
  [0x890, 0x891],
  [0x8e2, 0x8e2],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0d],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
]

test('escapes control characters except tab, and exactly these invisible characters', () => {
  const controlRanges = [
    [0x00, 0x08],
    [0x0a, 0x1f],
    [0x7f, 0x9f],
  ] as const
  const expected = new Set<number>()
  for (const [first, last] of [...controlRanges, ...invisibleRanges])
    for (let code = first; code <= last; code++) expected.add(code)
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    const isEscaped = sanitize(character) !== character
    if (isEscaped !== expected.has(code)) assert.unreachable(`code point ${code}`)
  }
})

test('escapes each character by itself, and escapes nothing twice', () => {
  fc.assert(
    fc.property(generateHostileText(), (text) => {
      const once = sanitize(text)
      assert.equal(findControls(once), [])
      assert.not.match(once, '\n')
      assert.is(sanitize(once), once)
      assert.is([...text].map(sanitize).join(''), once)
    }),
  )
})

const ciCommands: ReadonlyArray<readonly [lines: string, escaped: string]> = [
  ['svc: ##[set-output name=ready;]true', 'svc: #\\x23[set-output name=ready;]true'],
  ['###[a]##vso[b]', '##\\x23[a]#\\x23vso[b]'],
  ['#\ufe0f#\ufe0f[a]', '#\ufe0f\\x23\ufe0f[a]'],
  ['##teamcity[a]', '#\\x23teamcity[a]'],
  ['#\u200b#\u00ad[a]', '#\u200b\\x23\u00ad[a]'],
  ['\u00ad \u200b::debug::a', '\u00ad \u200b:\\x3adebug::a'],
  ['::debug::a', ':\\x3adebug::a'],
  ['a\n \t::debug::a\r::b::', 'a\n \t:\\x3adebug::a\r:\\x3ab::'],
  ['## Orders [draft], a::b, [##], #[', '## Orders [draft], a::b, [##], #['],
]

test('escapes commands of CI systems in lines', () => {
  for (const [lines, escaped] of ciCommands) assert.is(escapeCiCommands(lines), escaped)
  fc.assert(
    fc.property(generateHostileText(), (text) => {
      assert.equal(findCiCommands(escapeCiCommands(text.replace(/(?![\r\n\t])\p{Cc}/gu, ''))), [])
      assert.equal(findCiCommands(escapeCiCommands(sanitize(text))), [])
    }),
  )
})

test('escapes commands of CI systems in JSON, and leaves the values of its strings unchanged', () => {
  const indentation = fc.constantFrom(undefined, 2)
  fc.assert(
    fc.property(
      fc.array(fc.tuple(generateHostileText(), generateHostileText())),
      indentation,
      (pairs, indent) => {
        const value: unknown = pairs.map(([a, b]) => ({ [a]: b }))
        const json = escapeJson(JSON.stringify(value, null, indent))
        assert.equal(JSON.parse(json), value)
        assert.equal(findCiCommands(json), [])
        assert.equal(findControls(json), [])
      },
    ),
  )
})

test('formats hostile texts as Markdown without links, HTML or mentions, in a paragraph and in a table', () => {
  fc.assert(
    fc.property(generateHostileText(), generateHostileText(), (one, two) => {
      const cells = [one, two].map((text) => formatInertMarkdown(text).replaceAll('|', '\\|'))
      const table = `| a | b |\n| --- | --- |\n| ${cells.join(' | ')} |`
      for (const markdown of [`error: ${formatInertMarkdown(one)}`, table]) {
        assert.equal(findActiveMarkdown(markdown), [], markdown)
        assert.equal(findCiCommands(markdown), [])
        assert.equal(findControls(markdown), [])
      }
    }),
    { numRuns: 500 },
  )
})

test('formats only dangerous words as code', () => {
  const text = 'typesafe: POST /v1/questions returned 500: "error_mapping": busy (request id req_1)'
  assert.is(formatInertMarkdown(text), text)
  assert.is(formatInertMarkdown('a `b`` <c> d'), 'a ``` `b`` ``` `<c>` d')
})

test('joins lines by one space each, without the blanks around it', () => {
  assert.is(joinLines(' a \r\n\t b\n \n\nc \u2028 d '), ' a b c \u2028 d ')
  assert.is(joinLines('\na\n'), ' a ')
})

test('long texts take linear time', () => {
  const units = [
    '#',
    '\ufe0f',
    '\n',
    ' ',
    '\u202e',
    '`',
    '##a',
    '##\ufe0f',
    '#\ufe0f',
    '\n::',
    '::',
  ]
  for (const unit of units) {
    const text = unit.repeat(200_000 / unit.length)
    for (const whole of [text, `##${text}`, `a${text}b`]) {
      assert.ok(escapeCiCommands(whole).length >= whole.length)
      assert.ok(escapeJson(whole).length >= whole.length)
      assert.ok(formatInertMarkdown(whole).length > 0)
    }
  }
})

const harmfulTexts: ReadonlyArray<readonly [(text: string) => ReadonlyArray<string>, string]> = [
  [findCiCommands, 'a\r::debug::a'],
  [findCiCommands, ' \u00a0::stop-commands::x'],
  [findCiCommands, 'svc: #\u200b#[set-output name=a;]b'],
  [findCiCommands, 'a ##vso[task.complete]'],
  [findControls, '\u001b[31m'],
  [findControls, '\u202e'],
  [findActiveMarkdown, 'see https://evil.com'],
  [findActiveMarkdown, 'www.evil.com'],
  [findActiveMarkdown, 'me@evil.com'],
  [findActiveMarkdown, '[a](/b)'],
  [findActiveMarkdown, '![a](/b)'],
  [findActiveMarkdown, '<b>'],
  [findActiveMarkdown, '| a |\n| --- |\n| @someone |'],
]

test('the checks of this file find harmful texts', () => {
  for (const [find, text] of harmfulTexts) assert.is(find(text).length, 1, text)
})

test.run()
