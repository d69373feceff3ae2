import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatInertMarkdown, joinLines } from '../../lib/text/markdown'
import { escapeCiCommands, escapeJson, sanitize } from '../../lib/text/sanitize'
import * as fc from '../support/fast-check'
import { findActiveMarkdown, findCiCommands, findControls } from './find-harm'
import { generateHostileText } from './hostile-text'

const test = suite('text/sanitize')

const escapes: ReadonlyArray<{ readonly text: string; readonly sanitized: string }> = [
  { text: '', sanitized: '' },
  { text: 'plain text', sanitized: 'plain text' },
  { text: 'a\r\nb', sanitized: 'a\\x0d\\x0ab' },
  // Tab, no-break space, and the selector that turns a sign into an emoji
  { text: 'a\tb', sanitized: 'a\tb' },
  { text: '\u00a0é😀❤\ufe0f', sanitized: '\u00a0é😀❤\ufe0f' },
  // Control characters
  {
    text: '\u0000\u001f\u007f\u0080\u0085\u009f',
    sanitized: '\\x00\\x1f\\x7f\\x80\\x85\\x9f',
  },
  { text: '\u001b[31mred', sanitized: '\\x1b[31mred' },
  // Line separator, right-to-left override, zero-width space, byte order mark, soft hyphen, and a tag character
  {
    text: 'a\u2028b\u202ec\u200bd\ufeffe\u00ad',
    sanitized: 'a\\u2028b\\u202ec\\u200bd\\ufeffe\\u00ad',
  },
  { text: '\u{e0041}', sanitized: '\\u{e0041}' },
  // A text that looks like an escape
  { text: '\\x0a', sanitized: '\\x0a' },
]

test('escapes control and invisible characters, and nothing else', () => {
  for (const { text, sanitized } of escapes) assert.is(sanitize(text), sanitized)
})

/**
 * Ranges of invisible code points: those with the Unicode properties Cf (format), Default_Ignorable_Code_Point, Zl and Zp (line and
 * paragraph separators). The selectors U+FE0E and U+FE0F are left out, because they belong to emoji.
 */
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
      // `findControls` allows line feeds. `sanitize` escapes them.
      assert.not.match(once, '\n')
      assert.is(sanitize(once), once)
      assert.is([...text].map(sanitize).join(''), once)
    }),
  )
})

const ciCommands: ReadonlyArray<{ readonly lines: string; readonly escaped: string }> = [
  {
    lines: 'svc: ##[set-output name=ready;]true',
    escaped: 'svc: #\\x23[set-output name=ready;]true',
  },
  { lines: '###[a]##vso[b]', escaped: '##\\x23[a]#\\x23vso[b]' },
  // With invisible characters inside
  { lines: '#\ufe0f#\ufe0f[a]', escaped: '#\ufe0f\\x23\ufe0f[a]' },
  { lines: '##teamcity[a]', escaped: '#\\x23teamcity[a]' },
  { lines: '#\u200b#\u00ad[a]', escaped: '#\u200b\\x23\u00ad[a]' },
  { lines: '\u00ad \u200b::debug::a', escaped: '\u00ad \u200b:\\x3adebug::a' },
  { lines: '::debug::a', escaped: ':\\x3adebug::a' },
  { lines: 'a\n \t::debug::a\r::b::', escaped: 'a\n \t:\\x3adebug::a\r:\\x3ab::' },
  // No commands
  { lines: '## Orders [draft], a::b, [##], #[', escaped: '## Orders [draft], a::b, [##], #[' },
]

test('escapes commands of CI systems in lines', () => {
  for (const { lines, escaped } of ciCommands) assert.is(escapeCiCommands(lines), escaped)
})

test('leaves no command of a CI system in any text', () => {
  fc.assert(
    fc.property(generateHostileText(), (text) => {
      // Line breaks and tabs stay, because they may come before a command.
      const withoutControls = text.replace(/(?![\r\n\t])\p{Cc}/gu, '')
      assert.equal(findCiCommands(escapeCiCommands(withoutControls)), [])
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
        const value: unknown = pairs.map(([name, text]) => ({ [name]: text }))
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
    fc.property(generateHostileText(), generateHostileText(), (first, second) => {
      const cells = [first, second].map((text) => formatInertMarkdown(text).replaceAll('|', '\\|'))
      const table = `| a | b |\n| --- | --- |\n| ${cells.join(' | ')} |`
      for (const markdown of [`error: ${formatInertMarkdown(first)}`, table]) {
        assert.equal(findActiveMarkdown(markdown), [], markdown)
        assert.equal(findCiCommands(markdown), [])
        assert.equal(findControls(markdown), [])
      }
    }),
    { numRuns: 500 },
  )
})

test('formats only words that could do harm as code', () => {
  const text = 'typesafe: POST /v1/questions returned 500: "error_mapping": busy (request id req_1)'
  assert.is(formatInertMarkdown(text), text)
  assert.is(formatInertMarkdown('a `b`` <c> d'), 'a ``` `b`` ``` `<c>` d')
})

test('replaces each line break, with the white space around it, by one space', () => {
  assert.is(joinLines(' a \r\n\t b\n \n\nc \u2028 d '), ' a b c \u2028 d ')
  assert.is(joinLines('\na\n'), ' a ')
})

// If the time grew with the square of the length, this test would take minutes.
test('handles texts of 200,000 characters', () => {
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
    for (const longText of [text, `##${text}`, `a${text}b`]) {
      assert.ok(escapeCiCommands(longText).length >= longText.length)
      assert.ok(escapeJson(longText).length >= longText.length)
      assert.ok(formatInertMarkdown(longText).length > 0)
    }
  }
})

const harmfulTexts: ReadonlyArray<{
  readonly findHarm: (text: string) => ReadonlyArray<string>
  readonly text: string
}> = [
  { findHarm: findCiCommands, text: 'a\r::debug::a' },
  { findHarm: findCiCommands, text: ' \u00a0::stop-commands::x' },
  { findHarm: findCiCommands, text: 'svc: #\u200b#[set-output name=a;]b' },
  { findHarm: findCiCommands, text: 'a ##vso[task.complete]' },
  { findHarm: findControls, text: '\u001b[31m' },
  { findHarm: findControls, text: '\u202e' },
  { findHarm: findActiveMarkdown, text: 'see https://evil.com' },
  { findHarm: findActiveMarkdown, text: 'www.evil.com' },
  { findHarm: findActiveMarkdown, text: 'me@evil.com' },
  { findHarm: findActiveMarkdown, text: '[a](/b)' },
  { findHarm: findActiveMarkdown, text: '![a](/b)' },
  { findHarm: findActiveMarkdown, text: '<b>' },
  { findHarm: findActiveMarkdown, text: '| a |\n| --- |\n| @someone |' },
]

test('the functions that these tests use find the harm in harmful texts', () => {
  for (const { findHarm, text } of harmfulTexts) assert.is(findHarm(text).length, 1, text)
})

test.run()
