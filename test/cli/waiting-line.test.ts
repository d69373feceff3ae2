import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createWaitingLine } from '../../lib/cli/waiting-line'
import { handClock } from '../support/clock'
import { sink } from '../support/runtime'

const test = suite('cli/waiting-line')

const stage = (columns = 80, isShown = true) => {
  const output = sink(true, columns)
  const clock = handClock()
  const line = createWaitingLine(output, clock, {
    operation: 'GET /v1/models',
    maxAttempts: 3,
    isShown: () => isShown,
  })
  return { output, clock, line }
}

test('after 2 s the line shows the operation, the seconds, the attempt and why the last one failed', async () => {
  const { output, clock, line } = stage()
  clock.pass(1_999)
  assert.is(output.text(), '')
  clock.pass(1)
  line.retry(2, 'typesafe: GET /v1/models returned 503')
  clock.pass(1_000)
  await line.stop()
  assert.is(
    output.text(),
    `\r\u001b[Ksvc: GET /v1/models: 2s, attempt 1 of 3\r\u001b[Ksvc: GET /v1/models: 3s, attempt 2 of 3 (returned 503)\r\u001b[K`,
  )
  assert.equal(clock.timers(), [])
})

test('the line is erased before other lines are written, and then drawn again', async () => {
  const { output, clock, line } = stage(12)
  await line.write('first\n')
  clock.pass(2_000)
  await line.write('second\n')
  await line.write('third\n')
  clock.pass(1_000)
  await line.stop()
  await line.stop()
  const erase = '\r\u001b[K'
  const drawn = `${erase}svc: GET ${erase}`
  assert.is(output.text(), `first\n${drawn}second\n${erase}third\n${drawn}`)
})

test('a reason that does not fit is cut, and left out if too little of it would remain', () => {
  const drawn = (columns: number): string => {
    const { output, clock, line } = stage(columns)
    line.retry(2, 'returned 503: the service is not ready yet')
    clock.pass(2_000)
    return output.text().slice('\r\u001b[K'.length)
  }
  assert.is(
    drawn(80),
    'svc: GET /v1/models: 2s, attempt 2 of 3 (returned 503: the service is not...)',
  )
  assert.is(drawn(80).length, 77)
  assert.is(drawn(50), 'svc: GET /v1/models: 2s, attempt 2 of 3')
  assert.match(drawn(100), '(returned 503: the service is not ready yet)')
})

test('text from a service cannot move the cursor or begin a new line', () => {
  const { output, clock, line } = stage(200)
  line.retry(2, 'returned 503 (request id \u001b[2J\n\u202ex)')
  clock.pass(2_000)
  assert.match(output.text(), 'attempt 2 of 3 (returned 503 (request id \\x1b[2J\\x0a\\u202ex))')
})

test('a fast answer shows no line', async () => {
  const { output, line, clock } = stage()
  await line.stop()
  clock.pass(9_000)
  assert.is(output.text(), '')
})

test.run()
