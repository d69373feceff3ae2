import { setImmediate as nextTurn } from 'node:timers/promises'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { callerDisconnected } from '../../lib/service/contract/problem'
import { createComputeQueue } from '../../lib/service/http/call-engine'

const test = suite('service: the queue for computations')

const neverAborted = new AbortController().signal

/** Three computations for the API key a, then one for the key b. */
const fourComputations = [
  { holderId: 'a', name: 'a1' },
  { holderId: 'a', name: 'a2' },
  { holderId: 'a', name: 'a3' },
  { holderId: 'b', name: 'b1' },
]

/** Starts the four computations. Returns their names in the order in which they ran. */
const runFourComputations = async (onCompute: () => void): Promise<ReadonlyArray<string>> => {
  const computeInTurn = createComputeQueue()
  const order: string[] = []
  const computations = fourComputations.map(({ holderId, name }) => {
    const compute = computeInTurn(neverAborted, holderId)
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
  // a1 starts at once, because nothing else runs. The others wait, and the waiting keys take turns: a2, b1, a3.
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
  const firstResult = computeInTurn(neverAborted)(() => 'first')()
  const abortedResult = computeInTurn(disconnect.signal)(() => {
    hasRun = true
  })()
  disconnect.abort()
  assert.equal(await firstResult, E.right('first'))
  assert.equal(await abortedResult, E.left(callerDisconnected))
  assert.is(hasRun, false)
})

test('an exception rejects its own computation, and the next one runs', async () => {
  const computeInTurn = createComputeQueue()
  const failureMessage = computeInTurn(neverAborted)(() => {
    throw new Error('computation failed')
  })().catch(({ message }: Error) => message)
  const nextResult = computeInTurn(neverAborted)(() => 'next')()
  assert.is(await failureMessage, 'computation failed')
  assert.equal(await nextResult, E.right('next'))
})

test.run()
