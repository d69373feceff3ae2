import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { messageOf } from '../../lib/failure/report'
import { commands } from '../support/commands'

const test = suite('service: the ranges of the flags of svc serve')

/** Parses a command line of `svc serve`. Returns the message of the usage error, or `undefined` if the flags are valid. */
const findUsageError = (...flags: ReadonlyArray<string>): string | undefined => {
  const parseResult = parseCommandLine(['serve', ...flags], commands, {})
  return E.isLeft(parseResult) ? messageOf(parseResult.left.failure) : undefined
}

test('accepts the defaults and the limits of the ranges', () => {
  assert.is(findUsageError(), undefined)
  assert.is(findUsageError('--port', '65535', '--rate-limit', '0'), undefined)
  assert.is(findUsageError('--engine-permutations', '20', '--engine-timeout', '0'), undefined)
})

const outOfRange: ReadonlyArray<{
  readonly flag: string
  readonly value: string
  /** The end of the message, after `--flag must`. */
  readonly expected: string
}> = [
  { flag: '--max-concurrent', value: '0', expected: 'be at least 1, got 0' },
  { flag: '--max-waiting', value: '0', expected: 'be at least 1, got 0' },
  { flag: '--engine-context', value: '511', expected: 'be at least 512, got 511' },
  { flag: '--engine-threads', value: '-1', expected: 'be at least 0, got -1' },
  { flag: '--engine-permutations', value: '0', expected: 'be between 1 and 20, got 0' },
  { flag: '--engine-permutations', value: '21', expected: 'be between 1 and 20, got 21' },
  { flag: '--engine-concurrency', value: '0', expected: 'be at least 1, got 0' },
  { flag: '--engine-max-retries', value: '-1', expected: 'not be negative, got -1' },
  { flag: '--engine-timeout', value: '-1ms', expected: 'not be negative, got -1ms' },
  { flag: '--engine-temperature', value: '0', expected: 'be over 0, got 0' },
]

for (const { flag, value, expected } of outOfRange)
  test(`${flag} must ${expected}`, () => {
    assert.is(findUsageError(flag, value), `${flag} must ${expected}`)
  })

test.run()
