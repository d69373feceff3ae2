import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findFault } from '../../lib/cli/find-fault'
import type { FlagSpec } from '../../lib/cli/flags'
import type { FlagValue } from '../../lib/cli/values'

const test = suite('cli/find-fault')

const flags: ReadonlyArray<FlagSpec> = [
  { name: 'pause', type: 'duration', notNegative: true, summary: '' },
  { name: 'again', type: 'int', notNegative: true, summary: '' },
  { name: 'share', type: 'float', min: 0, max: 1, summary: '' },
  { name: 'bytes', type: 'int', min: 1, summary: '' },
  { name: 'any', type: 'int', summary: '' },
  { name: 'report', type: 'string', file: true, summary: '' },
  { name: 'pages', type: 'string', folder: true, summary: '' },
  { name: 'only', type: 'string', summary: '' },
  { name: 'host', type: 'string', notEmpty: true, summary: '' },
  { name: 'by', type: 'string', oneOf: ['margin', 'luck'], summary: '' },
  { name: 'form', type: 'string', oneOf: ['a', 'b', 'c'], summary: '' },
  { name: 'level', type: 'string', oneOf: ['low', 'high', 'off'], noun: 'log level', summary: '' },
  { name: 'sure', type: 'float', exclusiveMin: 0, exclusiveMax: 1, summary: '' },
  { name: 'heat', type: 'float', exclusiveMin: 0, summary: '' },
  { name: 'idle', type: 'duration', limit: true, summary: '' },
]

const table: ReadonlyArray<readonly [Readonly<Record<string, FlagValue>>, string | undefined]> = [
  [{ share: 1, pause: undefined }, undefined],
  [{ pause: -90_000_000_000n }, '--pause must not be negative, got -1m30s'],
  [{ share: 60 }, '--share must be between 0 and 1, got 60'],
  [{ share: -0.5 }, '--share must be between 0 and 1, got -0.5'],
  [{ bytes: 0 }, '--bytes must be at least 1, got 0'],
  [{ pages: '' }, '--pages must not be empty'],
  [{ host: 'h', by: 'luck', form: 'a', level: 'off', sure: 0.5, heat: 0.1, idle: 1n }, undefined],
  [{ host: '' }, '--host must not be empty'],
  [{ sure: 1 }, '--sure must be above 0 and below 1, got 1'],
  [{ heat: 0 }, '--heat must be over 0, got 0'],
  [{ idle: 25n * 86_400_000_000_000n }, '--idle must be over 0 and below 24 days, got 600h0m0s'],
]

for (const [values, expected] of table) {
  test(expected ?? `fits: ${Object.keys(values).join(' ')}`, () =>
    assert.is(findFault(flags, values), expected),
  )
}

test.run()
