import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FlagSpec } from '../../lib/cli/flags'
import {
  describeValueFault,
  type FlagValue,
  parseValue,
  resolveFlagValues,
} from '../../lib/cli/values'

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

const limitedFlags: ReadonlyArray<FlagSpec> = [
  { name: 'wait', type: 'duration', isNonNegative: true, summary: '' },
  { name: 'share', type: 'float', min: 0, max: 1, summary: '' },
  { name: 'bytes', type: 'int', min: 1, summary: '' },
  { name: 'folder', type: 'string', isFolder: true, summary: '' },
  { name: 'host', type: 'string', isNonEmpty: true, summary: '' },
  { name: 'by', type: 'string', oneOf: ['margin', 'luck'], summary: '' },
  { name: 'level', type: 'string', oneOf: ['low', 'high', 'off'], noun: 'log level', summary: '' },
  { name: 'confidence', type: 'float', exclusiveMin: 0, exclusiveMax: 1, summary: '' },
  { name: 'rate', type: 'float', exclusiveMin: 0, summary: '' },
  { name: 'idle', type: 'duration', isTimerDuration: true, summary: '' },
]

test('finds no fault in values that their flags accept', () => {
  const values: Readonly<Record<string, FlagValue>> = {
    wait: undefined,
    share: 1,
    bytes: 1,
    folder: 'f',
    host: 'h',
    by: 'luck',
    level: 'off',
    confidence: 0.5,
    rate: 0.1,
    idle: 1n,
  }
  assert.is(describeValueFault(limitedFlags, values), undefined)
})

const nsPerDay = 86_400_000_000_000n

const faults: ReadonlyArray<readonly [values: Readonly<Record<string, FlagValue>>, fault: string]> =
  [
    [{ wait: -90_000_000_000n }, '--wait must not be negative, got -1m30s'],
    [{ share: 60 }, '--share must be between 0 and 1, got 60'],
    [{ share: -0.5 }, '--share must be between 0 and 1, got -0.5'],
    [{ bytes: 0 }, '--bytes must be at least 1, got 0'],
    [{ folder: '' }, '--folder must not be empty'],
    [{ host: '' }, '--host must not be empty'],
    [{ by: 'mood' }, '--by must be margin or luck, got mood'],
    [{ level: 'loud' }, 'invalid log level "loud": must be one of low, high or off'],
    [{ confidence: 1 }, '--confidence must be above 0 and below 1, got 1'],
    [{ rate: 0 }, '--rate must be over 0, got 0'],
    [{ idle: 25n * nsPerDay }, '--idle must be over 0 and below 24 days, got 600h0m0s'],
  ]
for (const [values, fault] of faults)
  test(fault, () => assert.is(describeValueFault(limitedFlags, values), fault))

test.run()
