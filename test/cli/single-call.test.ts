import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createWaitingLine } from '../../lib/cli/single-call'
import { createManualClock } from '../support/clock'
import { createSink } from '../support/runtime'

const test = suite('cli/single-call')

/** The escape sequence that erases the line of the cursor. */
const eraseLine = '\r\u001b[K'

/** Starts the waiting line of a call on a terminal of this width. */
const startWaitingLine = (columns = 80) => {
  const output = createSink({ isTTY: true, columns })
  const clock = createManualClock()
  const line = createWaitingLine(output, clock, {
    operation: 'GET /v1/models',
    maxAttempts: 3,
    isShown: () => true,
  })
  return { output, clock, line }
}

test('shows after 2 s the operation, the seconds, the attempt and why the last attempt failed', async () => {
  const { output, clock, line } = startWaitingLine()
  clock.advance(1_999)
  assert.is(output.text(), '')
  clock.advance(1)
  line.showRetry(2, 'typesafe: GET /v1/models returned 503')
  clock.advance(1_000)
  await line.stop()
  assert.is(
    output.text(),
    [
      '',
      'svc: GET /v1/models: 2s, attempt 1 of 3',
      'svc: GET /v1/models: 3s, attempt 2 of 3 (returned 503)',
      '',
    ].join(eraseLine),
  )
  assert.equal(clock.timers(), [])
})

test('erases the line before other lines are written, and draws it again a second later', async () => {
  // On a terminal of 12 columns the line is cut to 9 characters: `svc: GET `.
  const { output, clock, line } = startWaitingLine(12)
  await line.write('first\n')
  clock.advance(2_000)
  await line.write('second\n')
  await line.write('third\n')
  clock.advance(1_000)
  await line.stop()
  assert.is(
    output.text(),
    `first\n${eraseLine}svc: GET ${eraseLine}second\n${eraseLine}third\n${eraseLine}svc: GET ${eraseLine}`,
  )
})

const drawLongReason = (columns: number): string => {
  const { output, clock, line } = startWaitingLine(columns)
  line.showRetry(2, 'returned 503: the service is not ready yet')
  clock.advance(2_000)
  return output.text().slice(eraseLine.length)
}

test('shows the whole reason on a wide terminal', () => {
  assert.is(
    drawLongReason(100),
    'svc: GET /v1/models: 2s, attempt 2 of 3 (returned 503: the service is not ready yet)',
  )
})

test('cuts a reason that does not fit', () => {
  assert.is(
    drawLongReason(80),
    'svc: GET /v1/models: 2s, attempt 2 of 3 (returned 503: the service is not...)',
  )
})

test('omits a reason if only a few characters of it would fit', () => {
  assert.is(drawLongReason(50), 'svc: GET /v1/models: 2s, attempt 2 of 3')
})

test('escapes control characters in text from the service', () => {
  const { output, clock, line } = startWaitingLine(200)
  line.showRetry(2, 'returned 503 (request id \u001b[2J\n\u202ex)')
  clock.advance(2_000)
  assert.match(output.text(), 'attempt 2 of 3 (returned 503 (request id \\x1b[2J\\x0a\\u202ex))')
})

test('erases the line only once if it is stopped twice', async () => {
  const { output, clock, line } = startWaitingLine()
  clock.advance(2_000)
  await line.stop()
  const textAfterFirstStop = output.text()
  await line.stop()
  assert.is(output.text(), textAfterFirstStop)
})

test('shows nothing if the call ends before 2 s', async () => {
  const { output, line, clock } = startWaitingLine()
  await line.stop()
  clock.advance(9_000)
  assert.is(output.text(), '')
})

test.run()
