import { setImmediate as nextTurn } from 'node:timers/promises'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { callerDisconnected } from '../../lib/service/contract/problem'
import { createComputeQueue } from '../../lib/service/http/call-engine'

const test = suite('service: the queue for computations')

const neverAborted = new AbortController().signal

// `compute(work)` is a task of fp-ts, which a second call puts into the queue: `compute(work)()`.

/** Three computations for the holder of the API key a, then one for the holder of the key b. */
const fourComputations = [
  { holderId: 'a', name: 'a1' },
  { holderId: 'a', name: 'a2' },
  { holderId: 'a', name: 'a3' },
  { holderId: 'b', name: 'b1' },
]

/**
 * Queues the four computations, and checks that none runs before the current turn of the event loop ends. Each computation calls
 * `onCompute` when it runs. Returns the names of the computations in the order in which they ran.
 */
const runFourComputations = async (onCompute: () => void): Promise<ReadonlyArray<string>> => {
  const queue = createComputeQueue()
  const order: string[] = []
  const computations = fourComputations.map(({ holderId, name }) => {
    const compute = queue.forRequest(neverAborted, holderId)
    return compute(() => {
      order.push(name)
      onCompute()
    })()
  })
  assert.equal(order, [], 'nothing has run yet')
  await Promise.all(computations)
  return order
}

test('API keys take turns in the queue', async () => {
  const order = await runFourComputations(() => undefined)
  // a1 gets the first turn, because the queue was empty when it came. The others wait, and the waiting keys take turns: a2, b1, a3.
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
  const queue = createComputeQueue()
  const compute = queue.forRequest(neverAborted)
  assert.equal(await compute(() => 'result')(), E.right('result'))
})

test('does not run a computation whose signal is aborted before its turn', async () => {
  const queue = createComputeQueue()
  const disconnect = new AbortController()
  let hasRun = false
  const compute = queue.forRequest(neverAborted)
  const computeUntilDisconnect = queue.forRequest(disconnect.signal)
  const firstResult = compute(() => 'first')()
  const abortedResult = computeUntilDisconnect(() => {
    hasRun = true
  })()
  disconnect.abort()
  assert.equal(await firstResult, E.right('first'))
  assert.equal(await abortedResult, E.left(callerDisconnected))
  assert.is(hasRun, false)
})

test('does not run a computation whose caller disconnects in the turn before it', async () => {
  const queue = createComputeQueue()
  const disconnect = new AbortController()
  let hasRun = false
  // Nothing else waits, so the computation is next.
  const result = queue.forRequest(disconnect.signal)(() => {
    hasRun = true
  })()
  disconnect.abort()
  assert.equal(await result, E.left(callerDisconnected))
  assert.is(hasRun, false)
})

test('an exception rejects its own computation, and the next one runs', async () => {
  const queue = createComputeQueue()
  const compute = queue.forRequest(neverAborted)
  const failureMessage = compute(() => {
    throw new Error('computation failed')
  })().catch(({ message }: Error) => message)
  const nextResult = compute(() => 'next')()
  assert.is(await failureMessage, 'computation failed')
  assert.equal(await nextResult, E.right('next'))
})

test.run()
