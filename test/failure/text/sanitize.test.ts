import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatInertMarkdown, joinLines } from '../../../lib/failure/text/markdown'
import { escapeCiCommands, escapeJson, sanitize } from '../../../lib/failure/text/sanitize'
import * as fc from '../../support/fast-check'
import { activeIn, commandsIn, controlsIn } from './harm'
import { hostile } from './hostile'

const test = suite('text/harmless')

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

/** The format characters and default ignorables of Unicode, and its line separators, without emoji selectors. */
const unseen: ReadonlyArray<readonly [first: number, last?: number]> = [
  ...([[0xad], [0x34f], [0x600, 0x605], [0x61c], [0x6dd], [0x70f], [0x890, 0x891]] as const),
  ...([[0x8e2], [0x115f, 0x1160], [0x17b4, 0x17b5], [0x180b, 0x180f], [0x200b, 0x200f]] as const),
  ...([[0x2028, 0x202e], [0x2060, 0x206f], [0x3164], [0xfe00, 0xfe0d], [0xfeff]] as const),
  ...([[0xffa0], [0xfff0, 0xfffb], [0x110bd], [0x110cd], [0x13430, 0x1343f]] as const),
  ...([
    [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
  ] as const),
]

test('escapes exactly these code points in every version of Unicode', () => {
  const expected = new Set([...Array(0x20).keys()].filter((code) => code !== 0x09))
  for (const [first, last = first] of [[0x7f, 0x9f] as const, ...unseen])
    for (let code = first; code <= last; code++) expected.add(code)
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    if ((sanitize(character) !== character) !== expected.has(code)) assert.unreachable(`${code}`)
  }
})

test('each character is escaped by itself, and only once', () => {
  fc.assert(
    fc.property(hostile(), (text) => {
      const once = sanitize(text)
      assert.equal(controlsIn(once), [])
      assert.not.match(once, '\n')
      assert.is(sanitize(once), once)
      assert.is([...text].map(sanitize).join(''), once)
    }),
  )
})

const commands: ReadonlyArray<readonly [lines: string, without: string]> = [
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

test('no line contains a command of a CI system', () => {
  for (const [lines, without] of commands) assert.is(escapeCiCommands(lines), without)
  fc.assert(
    fc.property(hostile(), (text) => {
      assert.equal(commandsIn(escapeCiCommands(text.replace(/(?![\r\n\t])\p{Cc}/gu, ''))), [])
      assert.equal(commandsIn(escapeCiCommands(sanitize(text))), [])
    }),
  )
})

test('no JSON contains a command of a CI system, and its strings keep their values', () => {
  const pretty = fc.constantFrom(undefined, 2)
  fc.assert(
    fc.property(fc.array(fc.tuple(hostile(), hostile())), pretty, (pairs, indent) => {
      const value: unknown = pairs.map(([a, b]) => ({ [a]: b }))
      const json = escapeJson(JSON.stringify(value, null, indent))
      assert.equal(JSON.parse(json), value)
      assert.equal(commandsIn(json), [])
      assert.equal(controlsIn(json), [])
    }),
  )
})

test('its Markdown is only text, in a paragraph and in a table', () => {
  fc.assert(
    fc.property(hostile(), hostile(), (one, two) => {
      const cells = [one, two].map((text) => formatInertMarkdown(text).replaceAll('|', '\\|'))
      const table = `| a | b |\n| --- | --- |\n| ${cells.join(' | ')} |`
      for (const markdown of [`error: ${formatInertMarkdown(one)}`, table]) {
        assert.equal(activeIn(markdown), [], markdown)
        assert.equal(commandsIn(markdown), [])
        assert.equal(controlsIn(markdown), [])
      }
    }),
    { numRuns: 500 },
  )
})

test('Markdown of ordinary text is the text', () => {
  const text = 'typesafe: POST /v1/questions returned 500: "error_mapping": busy (request id req_1)'
  assert.is(formatInertMarkdown(text), text)
  assert.is(formatInertMarkdown('a `b`` <c> d'), 'a ``` `b`` ``` `<c>` d')
})

test('a line break takes the blanks around it along', () => {
  assert.is(joinLines(' a \r\n\t b\n \n\nc \u2028 d '), ' a b c \u2028 d ')
  assert.is(joinLines('\na\n'), ' a ')
})

test('long texts take linear time', () => {
  const single = ['#', '\ufe0f', '\n', ' ', '\u202e', '`']
  const units = [...single, '##a', '##\ufe0f', '#\ufe0f', '\n::', '::']
  for (const unit of units) {
    const text = unit.repeat(200_000 / unit.length)
    for (const whole of [text, `##${text}`, `a${text}b`]) {
      assert.ok(escapeCiCommands(whole).length >= whole.length)
      assert.ok(escapeJson(whole).length >= whole.length)
      assert.ok(formatInertMarkdown(whole).length > 0)
    }
  }
})

/** The checks of this file have to be able to fail. */
const harmful: ReadonlyArray<readonly [(text: string) => ReadonlyArray<string>, string]> = [
  [commandsIn, 'a\r::debug::a'],
  [commandsIn, ' \u00a0::stop-commands::x'],
  [commandsIn, 'svc: #\u200b#[set-output name=a;]b'],
  [commandsIn, 'a ##vso[task.complete]'],
  [controlsIn, '\u001b[31m'],
  [controlsIn, '\u202e'],
  [activeIn, 'see https://evil.com'],
  [activeIn, 'www.evil.com'],
  [activeIn, 'me@evil.com'],
  [activeIn, '[a](/b)'],
  [activeIn, '![a](/b)'],
  [activeIn, '<b>'],
  [activeIn, '| a |\n| --- |\n| @someone |'],
]

test('finds harmful texts', () => {
  for (const [check, text] of harmful) assert.is(check(text).length, 1, text)
})

test.run()
