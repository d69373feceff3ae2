import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { progressLine } from '../../lib/review/progress'
import type { Clock, Output } from '../../lib/runtime/runtime'

const test = suite('review: progress')

const stage = (isTTY: boolean, columns?: number) => {
  const written: string[] = []
  let time = 5_000
  let due: (() => void) | undefined
  const clock: Clock = {
    now: () => time,
    monotonic: () => time,
    sleep: async () => undefined,
    timer: (_, run) => {
      due = run
      return () => {
        due = undefined
      }
    },
  }
  const output: Output = {
    isTTY,
    ...(columns === undefined ? {} : { columns }),
    write: async (text) => {
      written.push(String(text))
    },
  }
  const tick = (ms: number): void => {
    time += ms
    due?.()
  }
  return { written, clock, output, tick, pending: () => due !== undefined }
}

test('units done and running and the seconds so far, redrawn in place', async () => {
  const { written, clock, output, tick, pending } = stage(true, 100)
  const line = progressLine(output, clock, 2)
  line.started()
  tick(1_500)
  line.finished()
  assert.ok(pending())
  await line.stop()
  assert.equal(written, [
    '\r\u001b[Kreview: 0 of 2 units done, 0 running, 0s',
    '\r\u001b[Kreview: 0 of 2 units done, 1 running, 0s',
    '\r\u001b[Kreview: 0 of 2 units done, 1 running, 1s',
    '\r\u001b[Kreview: 1 of 2 units done, 0 running, 1s',
    '\r\u001b[K',
  ])
  assert.not.ok(pending())
})

test('never wider than the terminal', () => {
  const { written, clock, output } = stage(true, 20)
  progressLine(output, clock, 2)
  assert.is(written[0], '\r\u001b[Kreview: 0 of 2 unit')
})

test('silent where there is no terminal', async () => {
  const { written, clock, output, pending } = stage(false)
  const line = progressLine(output, clock, 2)
  line.started()
  line.finished()
  await line.stop()
  assert.equal(written, [])
  assert.not.ok(pending())
})

test.run()
