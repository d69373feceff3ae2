import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLogger, formatLogfmtLine, formatMillis, logLevels } from '../../lib/tracing/log'
import * as fc from '../support/fast-check'
import { findCiCommands, findControls } from '../text/find-harm'
import { generateHostileText } from '../text/hostile-text'

const test = suite('tracing/log')
/** 2026-01-02T03:04:05.006Z */
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 6)

test('formats a line as logfmt and omits undefined fields', () => {
  assert.is(
    formatLogfmtLine(now, 'debug', 'attempt', {
      method: 'POST',
      status: 200,
      ok: true,
      wait: undefined,
    }),
    'time=2026-01-02T03:04:05.006Z level=debug msg=attempt method=POST status=200 ok=true\n',
  )
})

const formattedValues = [
  { value: 'http://h:1/a?b', formatted: 'http://h:1/a?b' },
  { value: '', formatted: '""' },
  { value: 'a b', formatted: '"a b"' },
  { value: 'a=b', formatted: '"a=b"' },
  { value: 'a"b', formatted: '"a\\"b"' },
  { value: 'a\\b', formatted: '"a\\\\b"' },
  { value: 'a\nb\r\t', formatted: '"a\\nb\\r\\t"' },
  { value: '\u001b[31m\u009b\u2028', formatted: '"\\u001b[31m\\u009b\\u2028"' },
  { value: 'é', formatted: '"é"' },
  // `##[` begins a command of Azure Pipelines.
  { value: '##[debug]', formatted: '"\\u0023\\u0023[debug]"' },
  { value: 'a#b', formatted: '"a#b"' },
  { value: '\u202e\u200b', formatted: '"\\u202e\\u200b"' },
] as const

test('quotes values with spaces, quotes and special characters', () => {
  for (const { value, formatted } of formattedValues) {
    const line = formatLogfmtLine(now, 'info', value, {})
    assert.is(line.split('msg=')[1], `${formatted}\n`, value)
  }
})

test('never writes commands of CI systems or invisible characters', () => {
  fc.assert(
    fc.property(generateHostileText(), generateHostileText(), (message, value) => {
      const line = formatLogfmtLine(now, 'info', message, { value })
      assert.match(line, /^time=[^\n]*\n$/)
      assert.equal([...findCiCommands(line), ...findControls(line)], [])
    }),
  )
})

test('writes the lines of a level and of more severe levels', () => {
  const lettersByLevel = logLevels.map((level) => {
    const lines: string[] = []
    const log = createLogger(level, { now: () => now }, (line) => lines.push(line))
    log.debug('d')
    log.info('i')
    log.warning('w')
    log.error('e')
    // The messages of the lines, one letter each
    return lines.map((line) => /msg=(.)/.exec(line)?.[1]).join('')
  })
  assert.equal(lettersByLevel, ['diwe', 'iwe', 'we', 'e', ''])
})

test('formats durations in whole milliseconds', () => {
  assert.is(formatMillis(12.5), '13ms')
})

test.run()
