import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findFault } from '../../lib/cli/find-fault'
import type { FlagSpec } from '../../lib/cli/flags'
import type { FlagValue } from '../../lib/cli/values'

const test = suite('cli/find-fault')

const flags: ReadonlyArray<FlagSpec> = [
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
  assert.is(findFault(flags, values), undefined)
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
for (const [values, fault] of faults) test(fault, () => assert.is(findFault(flags, values), fault))

test.run()
