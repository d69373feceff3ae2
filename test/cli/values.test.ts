import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FlagSpec } from '../../lib/cli/flags'
import { parseValue, valuesOf } from '../../lib/cli/values'

const test = suite('cli/values')

const flag = (type: FlagSpec['type']): FlagSpec => ({ name: 'x', type, summary: '' })

const valid: ReadonlyArray<readonly [FlagSpec['type'], string, unknown]> = [
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

test('a value is parsed by the type of its flag', () => {
  for (const [type, text, value] of valid) {
    const parsed = parseValue(flag(type), text)
    assert.ok('value' in parsed && Object.is(parsed.value, value), `${type} ${text}`)
  }
})

const invalid: ReadonlyArray<readonly [FlagSpec['type'], string, string]> = [
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

test('an invalid value is refused with a reason', () => {
  for (const [type, text, why] of invalid) {
    assert.equal(parseValue(flag(type), text), { why }, `${type} ${text}`)
  }
})

test('a long invalid value is refused in linear time', () => {
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

test('passed values override defaults', () => {
  const flags: ReadonlyArray<FlagSpec> = [
    { name: 'a', type: 'int', default: 3, summary: '' },
    { name: 'b', type: 'string', summary: '' },
  ]
  assert.equal(valuesOf(flags, new Map([['a', 4]]), {}), { a: 4, b: undefined })
  assert.equal(valuesOf(flags, new Map([['b', '']]), {}), { a: 3, b: '' })
})

test.run()
