import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FlagSpec } from '../../lib/cli/flags'
import { parseValue, resolveFlagValues } from '../../lib/cli/values'

const test = suite('cli/values')

// The cast is safe: the other fields of each type are optional.
const createFlag = (type: FlagSpec['type']): FlagSpec =>
  ({ name: 'x', type, summary: '' }) as FlagSpec

const validTexts: ReadonlyArray<readonly [type: FlagSpec['type'], text: string, value: unknown]> = [
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
  ['int', '+7', 7],
  ['int', '-8', -8],
  ['int', '010', 10],
  ['int', '9007199254740991', Number.MAX_SAFE_INTEGER],
  ['float', '.5', 0.5],
  ['float', '5.', 5],
  ['float', '1e-3', 0.001],
  ['float', '-2.5', -2.5],
  ['duration', '1m30s', 90_000_000_000n],
]

for (const [type, text, value] of validTexts)
  test(`parses the ${type} "${text}"`, () =>
    assert.equal(parseValue(createFlag(type), text), { value }))

test('parses the int "-0" as 0, not as negative zero', () => {
  const parsed = parseValue(createFlag('int'), '-0')
  assert.ok('value' in parsed && Object.is(parsed.value, 0))
})

const invalidTexts: ReadonlyArray<readonly [type: FlagSpec['type'], text: string, reason: string]> =
  [
    ['bool', '', 'must be true or false'],
    ['bool', 'yes', 'must be true or false'],
    ['bool', 'constructor', 'must be true or false'],
    ['int', '', 'must be a whole number'],
    ['int', '1.5', 'must be a whole number'],
    ['int', '1e3', 'must be a whole number'],
    ['int', '0x10', 'must be a whole number'],
    ['int', ' 1', 'must be a whole number'],
    // The safe maximum is 9007199254740991.
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

for (const [type, text, reason] of invalidTexts)
  test(`refuses the ${type} "${text}"`, () =>
    assert.equal(parseValue(createFlag(type), text), { reason }))

test('refuses a long invalid value in linear time', () => {
  const digits = '1'.repeat(500_000)
  const hours = '1h'.repeat(250_000)
  const longTexts = [`${digits}x`, `${digits}.${digits}x`, `1e${digits}`, `${hours}x`]
  for (const type of ['int', 'float', 'duration'] as const)
    for (const text of longTexts) assert.ok('reason' in parseValue(createFlag(type), text))
})

const flags: ReadonlyArray<FlagSpec> = [
  { name: 'count', type: 'int', default: 3, summary: '' },
  { name: 'text', type: 'string', summary: '' },
]

test('a value on the command line overrides the default, even if it is empty', () => {
  const passed = new Map<string, number | string>([
    ['count', 4],
    ['text', ''],
  ])
  assert.equal(resolveFlagValues(flags, passed, {}), { count: 4, text: '' })
})

test('a flag that is not passed has its default, or undefined', () => {
  assert.equal(resolveFlagValues(flags, new Map(), {}), { count: 3, text: undefined })
})

test.run()
