import { setImmediate as endOfTurn } from 'node:timers/promises'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { callerDisconnected } from '../../lib/service/contract/problem'
import { createComputeQueue } from '../../lib/service/http/call-engine'

const test = suite('service: what computes takes turns')

const never = new AbortController().signal

test('callers take turns, and the loop attends to other things before each piece of work', async () => {
  const computeInTurn = createComputeQueue()
  const done: string[] = []
  const work = (holder: string, name: string) =>
    computeInTurn(
      never,
      holder,
    )(() => {
      done.push(name)
      // Due in the next turn of the loop, and so before the next piece of work.
      setImmediate(() => done.push('loop'))
      return name
    })()
  const all = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('b', 'b1')]
  assert.equal(done, [])
  assert.equal(await Promise.all(all), ['a1', 'a2', 'a3', 'b1'].map(E.right))
  await endOfTurn()
  assert.equal(done, ['a1', 'loop', 'a2', 'loop', 'b1', 'loop', 'a3', 'loop'])
})

test('skips the work of a caller who leaves before its turn, and an exception ends only its own work', async () => {
  const computeInTurn = createComputeQueue()
  const left = new AbortController()
  const thrown = computeInTurn(never)(() => {
    throw new Error('odd')
  })().catch(({ message }: Error) => message)
  let isDone = false
  const leaving = computeInTurn(left.signal)(() => {
    isDone = true
  })()
  const last = computeInTurn(never)(() => 'last')()
  left.abort()
  assert.equal(await Promise.all([thrown, leaving, last]), [
    'odd',
    E.left(callerDisconnected),
    E.right('last'),
  ])
  assert.is(isDone, false)
})

test.run()
