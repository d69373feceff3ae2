import { setImmediate as nextTurn } from 'node:timers/promises'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { callerDisconnected } from '../../lib/service/contract/problem'
import { createComputeQueue } from '../../lib/service/http/call-engine'

const test = suite('service: the queue for computations')

const neverAborted = new AbortController().signal

/** Starts computations of the holders a, a, a and b. Returns their names in the order in which they ran. */
const runFourComputations = async (onCompute: () => void): Promise<ReadonlyArray<string>> => {
  const computeInTurn = createComputeQueue()
  const order: string[] = []
  const computations = ['a1', 'a2', 'a3', 'b1'].map((name) => {
    const compute = computeInTurn(neverAborted, name.charAt(0))
    return compute(() => {
      order.push(name)
      onCompute()
    })()
  })
  assert.equal(order, [], 'nothing has run yet')
  await Promise.all(computations)
  return order
}

test('holders take turns', async () => {
  const order = await runFourComputations(() => undefined)
  assert.equal(order, ['a1', 'a2', 'b1', 'a3'])
})

test('the event loop handles other events between two computations', async () => {
  const events: string[] = []
  await runFourComputations(() => {
    events.push('computation')
    setImmediate(() => events.push('event'))
  })
  await nextTurn()
  const pair = ['computation', 'event']
  assert.equal(events, [...pair, ...pair, ...pair, ...pair])
})

test('returns the result of a computation', async () => {
  const compute = createComputeQueue()(neverAborted)
  assert.equal(await compute(() => 'result')(), E.right('result'))
})

test('does not run a computation whose signal is aborted before its turn', async () => {
  const computeInTurn = createComputeQueue()
  const disconnect = new AbortController()
  let hasRun = false
  const first = computeInTurn(neverAborted)(() => 'first')()
  const aborted = computeInTurn(disconnect.signal)(() => {
    hasRun = true
  })()
  disconnect.abort()
  assert.equal(await first, E.right('first'))
  assert.equal(await aborted, E.left(callerDisconnected))
  assert.is(hasRun, false)
})

test('an exception rejects its own computation, and the next one runs', async () => {
  const computeInTurn = createComputeQueue()
  const failing = computeInTurn(neverAborted)(() => {
    throw new Error('odd')
  })().catch(({ message }: Error) => message)
  const next = computeInTurn(neverAborted)(() => 'next')()
  assert.is(await failing, 'odd')
  assert.equal(await next, E.right('next'))
})

test.run()
