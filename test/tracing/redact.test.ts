import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedactor } from '../../lib/tracing/redact'

const test = suite('telemetry/redact')

const table: ReadonlyArray<readonly [title: string, value: string, text: string, out: string]> = [
  ['as it is', 's3cr3t', 'alias "s3cr3t"!', 'alias "[redacted]"!'],
  ['short values stay', 'abc', 'abc', 'abc'],
  ['four bytes in two characters', 'éé', '<éé>', '<[redacted]>'],
  ['escaped quotes', `say "it" now`, String.raw`"say \"it\" now"`, '"[redacted]"'],
  ['percent-encoded', 'a key/1=', '<a%20key%2F1%3D>', '<[redacted]>'],
  ['characters of patterns', 'a.b*c(d', 'a.b*c(d axbxcxd', '[redacted] axbxcxd'],
  ['characters outside the basic plane', '🔑🔑', 'x🔑🔑y', 'x[redacted]y'],
]

for (const [title, value, text, out] of table) {
  test(title, () => assert.is(createRedactor([value]).values(text), out))
}

test('one value within another', () => {
  assert.is(createRedactor(['abcd', 'abcdefgh']).values('abcdefgh abcd'), '[redacted] [redacted]')
})

test('parts of a value, where the text was taken from the input', () => {
  const redact = createRedactor(['x: *token-1 [', 'first line\nsecond: line'])
  assert.is(redact.parts('unidentified alias "token-1"'), 'unidentified alias "[redacted]"')
  assert.is(redact.parts('second'), '[redacted]')
  assert.is(redact.values('second'), 'second')
})

test('long values and texts take no time to speak of, and no stack', () => {
  const value = Array.from({ length: 2_000 }, (_, i) => `line ${i} of a long value`).join('\n')
  const out = createRedactor([value, ' '.repeat(5_000)]).values(`${' '.repeat(5_000)}<${value}>`)
  assert.ok(out.endsWith('<[redacted]>'))
})

test.run()
