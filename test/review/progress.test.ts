import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { showProgress } from '../../lib/review/progress'
import { handClock } from '../support/clock'
import { sink } from '../support/runtime'

const test = suite('review: progress')

test('units done and running and the seconds so far, redrawn in place', async () => {
  const clock = handClock()
  const output = sink(true, 100)
  const line = showProgress(output, clock, 2)
  line.noteStart()
  clock.pass(1_500)
  line.noteEnd()
  assert.is(clock.timers().length, 1)
  await line.stop()
  const drawn = [
    ...['0 of 2 units done, 0 running, 0s', '0 of 2 units done, 1 running, 0s'],
    ...['0 of 2 units done, 1 running, 1s', '1 of 2 units done, 0 running, 1s'],
  ].map((text) => `\r\u001b[Kreview: ${text}`)
  assert.is(output.text(), [...drawn, '\r\u001b[K'].join(''))
  assert.equal(clock.timers(), [])
})

test('never wider than the terminal', () => {
  const output = sink(true, 22)
  showProgress(output, handClock(), 2)
  assert.is(output.text(), '\r\u001b[Kreview: 0 of 2 unit')
})

test.run()
