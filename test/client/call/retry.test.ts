import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { computeBackoff, isRetryable, readRequestedWait } from '../../../lib/client/call/retry'
import {
  apiError,
  connection,
  type Failure,
  internal,
  interrupted,
  invalidResponse,
  usage,
  validation,
} from '../../../lib/failure/failure'

const test = suite('call/retry')

const createApiError = (status: number): Failure =>
  apiError({ operation: 'POST /v1/questions', status, message: '', requestId: '' })

test('retries lost connections and the statuses 408, 429 and 5xx only', () => {
  for (const status of [408, 429, 500, 502, 503, 504, 529, 599])
    assert.is(isRetryable(createApiError(status)), true, `${status}`)
  for (const status of [301, 304, 400, 401, 403, 404, 407, 409, 410, 413, 422, 499, 600, 999])
    assert.is(isRetryable(createApiError(status)), false, `${status}`)
  assert.is(isRetryable(connection({ cause: 'x', host: 'h' })), true)
  assert.is(isRetryable(connection({ cause: 'x', host: 'h', timeout: '10s' })), true)
  for (const failure of [
    interrupted,
    usage('x'),
    validation('x', 'y'),
    invalidResponse('', 'x'),
    internal('x'),
  ])
    assert.is(isRetryable(failure), false, failure._tag)
})

test('the backoff doubles from 500 ms to 5 s and is shortened by up to a quarter', () => {
  // The second argument is a random number, which decides how much the backoff is shortened.
  const unshortened = [0, 1, 2, 3, 4, 5, 100].map((retry) => computeBackoff(retry, 0))
  assert.equal(unshortened, [500, 1000, 2000, 4000, 5000, 5000, 5000])
  assert.is(computeBackoff(0, 1), 375)
  // 5000 * (1 - 0.5 / 4)
  assert.is(computeBackoff(4, 0.5), 4375)
  // 2 ** 2000 is Infinity, which the maximum of 5000 still limits.
  assert.is(computeBackoff(2000, 0), 5000)
})

/** Thu, 01 Jan 2026 12:00:00 GMT */
const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0)

test('reads waits of at most five minutes from retry-after-ms and retry-after', () => {
  const cases: ReadonlyArray<
    readonly [headers: Record<string, string>, waitMs: number | undefined]
  > = [
    [{}, undefined],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '0.5' }, 0.5],
    [{ 'retry-after-ms': '0' }, 0],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1' }, 1000],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after': '.25' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
    [{ 'retry-after-ms': '-1', 'retry-after': '9' }, 9000],
    [{ 'retry-after-ms': '', 'retry-after': '' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': '1e3' }, undefined],
    [{ 'retry-after': '0x10' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': 'tomorrow' }, undefined],
    [{ 'retry-after': 'Monday, whatever' }, undefined],
    [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:07 GMT' }, 7000],
    // The two obsolete formats of dates in HTTP
    [{ 'retry-after': 'Thursday, 01-Jan-26 12:00:08 GMT' }, 8000],
    [{ 'retry-after': 'Thu Jan  1 12:00:09 2026' }, 9000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': '301' }, 300_000],
    [{ 'retry-after': '99999999999999999999' }, 300_000],
    [{ 'retry-after-ms': '300001' }, 300_000],
    [{ 'retry-after': 'Fri, 02 Jan 2026 12:00:00 GMT' }, 300_000],
  ]
  for (const [headers, waitMs] of cases) {
    const readHeader = (name: string): string | null => headers[name] ?? null
    assert.is(readRequestedWait(readHeader, nowMs), waitMs, JSON.stringify(headers))
  }
})

test.run()
