import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FlagSpec } from '../../lib/cli/flags'
import { refusal } from '../../lib/cli/refusal'
import type { FlagValue } from '../../lib/cli/values'

const test = suite('cli/refusal')

const flags: ReadonlyArray<FlagSpec> = [
  { name: 'pause', type: 'duration', notNegative: true, summary: '' },
  { name: 'again', type: 'int', notNegative: true, summary: '' },
  { name: 'share', type: 'float', least: 0, most: 1, summary: '' },
  { name: 'bytes', type: 'int', least: 1, summary: '' },
  { name: 'any', type: 'int', summary: '' },
  { name: 'report', type: 'string', file: true, summary: '' },
  { name: 'pages', type: 'string', folder: true, summary: '' },
  { name: 'only', type: 'string', summary: '' },
]

const table: ReadonlyArray<readonly [Readonly<Record<string, FlagValue>>, string | undefined]> = [
  [{}, undefined],
  [{ pause: 0n, again: 0, share: 0, bytes: 1, any: -9 }, undefined],
  [{ share: 1, pause: undefined }, undefined],
  [{ pause: -90_000_000_000n }, '--pause must not be negative, got -1m30s'],
  [{ again: -8 }, '--again must not be negative, got -8'],
  [{ share: 60 }, '--share must be between 0 and 1, got 60'],
  [{ share: -0.5 }, '--share must be between 0 and 1, got -0.5'],
  [{ bytes: 0 }, '--bytes must be at least 1, got 0'],
  [{ report: 'r.json', pages: '-', only: '' }, undefined],
  [{ report: '' }, '--report must not be empty'],
  [{ pages: '' }, '--pages must not be empty'],
  [{ bytes: 0, again: -1 }, '--again must not be negative, got -1'],
]

for (const [values, expected] of table) {
  test(expected ?? `fits: ${Object.keys(values).join(' ')}`, () =>
    assert.is(refusal(flags, values), expected),
  )
}

test.run()
