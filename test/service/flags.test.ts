import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { messageOf } from '../../lib/failure/format-failure'
import { commands } from '../support/commands'

const test = suite('service: the ranges of the flags of svc serve')

const readFault = (...flags: ReadonlyArray<string>): string | undefined => {
  const parsed = parseCommandLine(['serve', ...flags], commands, {})
  return E.isLeft(parsed) ? messageOf(parsed.left.failure) : undefined
}

test('accepts the defaults and the limits of the ranges', () => {
  assert.is(readFault(), undefined)
  assert.is(readFault('--port', '65535', '--rate-limit', '0'), undefined)
  assert.is(readFault('--engine-permutations', '20', '--engine-timeout', '0'), undefined)
})

const outOfRange: ReadonlyArray<readonly [flag: string, value: string, rule: string]> = [
  ['--max-concurrent', '0', 'be at least 1, got 0'],
  ['--max-waiting', '0', 'be at least 1, got 0'],
  ['--engine-context', '511', 'be at least 512, got 511'],
  ['--engine-threads', '-1', 'be at least 0, got -1'],
  ['--engine-permutations', '0', 'be between 1 and 20, got 0'],
  ['--engine-permutations', '21', 'be between 1 and 20, got 21'],
  ['--engine-concurrency', '0', 'be at least 1, got 0'],
  ['--engine-max-retries', '-1', 'not be negative, got -1'],
  ['--engine-timeout', '-1ms', 'not be negative, got -1ms'],
  ['--engine-temperature', '0', 'be over 0, got 0'],
]

for (const [flag, value, rule] of outOfRange)
  test(`${flag} must ${rule}`, () => {
    assert.is(readFault(flag, value), `${flag} must ${rule}`)
  })

test.run()
