import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { messageOf } from '../../lib/failure/message'
import { commands } from '../support/commands'

const test = suite('service: the ranges of the flags of svc serve')

const faultOf = (...flags: ReadonlyArray<string>): string | undefined => {
  const parsed = parseCommandLine(['serve', ...flags], commands, {})
  return E.isLeft(parsed) ? messageOf(parsed.left.failure) : undefined
}

test('accepts the defaults and the ends of each range', () => {
  assert.is(faultOf(), undefined)
  assert.is(faultOf('--port', '65535', '--rate-limit', '0'), undefined)
  assert.is(faultOf('--engine-permutations', '20', '--engine-timeout', '0'), undefined)
})

const refused: ReadonlyArray<readonly [string, string, string]> = [
  ['--port', '65536', 'be between 0 and 65535, got 65536'],
  ['--rate-limit', '-1', 'be at least 0, got -1'],
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

for (const [flag, value, why] of refused)
  test(`${flag} must ${why}`, () => assert.is(faultOf(flag, value), `${flag} must ${why}`))

test.run()
