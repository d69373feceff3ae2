import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLogger, formatLogLine, formatMillis, logLevels } from '../../lib/tracing/log'
import { findCiCommands, findControls } from '../failure/text/find-harm'
import { generateHostileText } from '../failure/text/hostile-text'
import * as fc from '../support/fast-check'

const test = suite('tracing/log')
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 6)

test('formats a line as logfmt', () => {
  assert.is(
    formatLogLine(now, 'debug', 'attempt', {
      method: 'POST',
      status: 200,
      ok: true,
      wait: undefined,
    }),
    'time=2026-01-02T03:04:05.006Z level=debug msg=attempt method=POST status=200 ok=true\n',
  )
})

test('quotes values with blanks, quotes and special characters', () => {
  const cases = [
    ['http://h:1/a?b', 'http://h:1/a?b'],
    ['', '""'],
    ['a b', '"a b"'],
    ['a=b', '"a=b"'],
    ['a"b', '"a\\"b"'],
    ['a\\b', '"a\\\\b"'],
    ['a\nb\r\t', '"a\\nb\\r\\t"'],
    ['\u001b[31m\u009b\u2028', '"\\u001b[31m\\u009b\\u2028"'],
    ['é', '"é"'],
    ['##[debug]', '"\\u0023\\u0023[debug]"'],
    ['a#b', '"a#b"'],
    ['\u202e\u200b', '"\\u202e\\u200b"'],
  ] as const
  for (const [value, formatted] of cases)
    assert.is(formatLogLine(now, 'info', value, {}).split('msg=')[1], `${formatted}\n`, value)
})

test('never writes commands of CI systems or invisible characters', () => {
  fc.assert(
    fc.property(generateHostileText(), generateHostileText(), (message, value) => {
      const line = formatLogLine(now, 'info', message, { value })
      assert.match(line, /^time=[^\n]*\n$/)
      assert.equal([...findCiCommands(line), ...findControls(line)], [])
    }),
  )
})

test('writes the lines of a level and of more severe levels', () => {
  const written = logLevels.map((level) => {
    const lines: string[] = []
    const log = createLogger(level, { now: () => now }, (line) => lines.push(line))
    log.debug('d')
    log.info('i')
    log.warning('w')
    log.error('e')
    return lines.map((line) => /msg=(.)/.exec(line)?.[1]).join('')
  })
  assert.equal(written, ['diwe', 'iwe', 'we', 'e', ''])
})

test('formats durations in whole milliseconds', () => {
  assert.is(formatMillis(12.5), '13ms')
})

test.run()
