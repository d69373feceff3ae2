import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FlagSpec } from '../../lib/cli/flags'
import { parseValue, valuesOf } from '../../lib/cli/values'

const test = suite('cli/values')

const flag = (type: FlagSpec['type']): FlagSpec => ({ name: 'x', type, summary: '' })

const good: ReadonlyArray<readonly [FlagSpec['type'], string, unknown]> = [
  ['string', '0123', '0123'],
  ['string', '', ''],
  ['string', 'true', 'true'],
  ['strings', 'a,b', 'a,b'],
  ['bool', 'true', true],
  ['bool', 'T', true],
  ['bool', '1', true],
  ['bool', 'false', false],
  ['bool', 'FALSE', false],
  ['int', '0', 0],
  ['int', '-0', 0],
  ['int', '+7', 7],
  ['int', '-8', -8],
  ['int', '010', 10],
  ['int', '9007199254740991', 9007199254740991],
  ['float', '.5', 0.5],
  ['float', '5.', 5],
  ['float', '1e-3', 0.001],
  ['float', '-2.5', -2.5],
  ['duration', '1m30s', 90_000_000_000n],
]

test('reads by type', () => {
  for (const [type, text, value] of good) {
    const parsed = parseValue(flag(type), text)
    assert.ok('value' in parsed && Object.is(parsed.value, value), `${type} ${text}`)
  }
})

const bad: ReadonlyArray<readonly [FlagSpec['type'], string, string]> = [
  ['bool', '', 'must be true or false'],
  ['bool', 'yes', 'must be true or false'],
  ['bool', 'constructor', 'must be true or false'],
  ['int', '', 'must be a whole number'],
  ['int', '1.5', 'must be a whole number'],
  ['int', '1e3', 'must be a whole number'],
  ['int', '0x10', 'must be a whole number'],
  ['int', ' 1', 'must be a whole number'],
  ['int', '9007199254740993', 'out of range'],
  ['float', '', 'must be a number'],
  ['float', 'NaN', 'must be a number'],
  ['float', 'Infinity', 'must be a number'],
  ['float', '.', 'must be a number'],
  ['float', '1e999', 'out of range'],
  ['duration', '10', 'missing unit, as in 10s or 1m30s'],
  ['duration', '1d', 'unknown unit "d", must be h, m, s, ms, us or ns'],
  ['duration', 'soon', 'not a duration, such as 10s, 1m30s or 100ms'],
  ['duration', '3000000h', 'out of range'],
]

test('says why a value is refused', () => {
  for (const [type, text, why] of bad) {
    assert.equal(parseValue(flag(type), text), { why }, `${type} ${text}`)
  }
})

test('a long text is refused as fast as it is read', () => {
  const digits = '1'.repeat(500_000)
  for (const type of ['int', 'float', 'duration'] as const)
    for (const text of [
      `${digits}x`,
      `${digits}.${digits}x`,
      `1e${digits}`,
      `${'1h'.repeat(250_000)}x`,
    ])
      assert.ok('why' in parseValue(flag(type), text))
})

test('what was passed overlays the defaults, an undefined default included', () => {
  const flags: ReadonlyArray<FlagSpec> = [
    { name: 'a', type: 'int', default: 3, summary: '' },
    { name: 'b', type: 'string', summary: '' },
  ]
  assert.equal(valuesOf(flags, new Map([['a', 4]]), {}), { a: 4, b: undefined })
  assert.equal(valuesOf(flags, new Map([['b', '']]), {}), { a: 3, b: '' })
})

test.run()
