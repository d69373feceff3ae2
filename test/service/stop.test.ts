import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { Clock } from '../../lib/runtime/runtime'
import { createManualClock } from '../support/clock'
import { until } from '../support/until'
import {
  chooseFirstOptions,
  createStubEngine,
  exampleRequest,
  post,
  type RunningService,
  type StubAnswer,
  startService,
} from './run-service'

const test = suite('service: stopping')

/** A service that answers when `release` is called, and never without. */
const startHoldingService = async (drainTimeoutMs: number, clock: Clock = nodeClock) => {
  const end = new AbortController()
  let asked = 0
  const answer: StubAnswer = (request) =>
    new Promise((done) => {
      asked += 1
      end.signal.addEventListener('abort', () => done(chooseFirstOptions(request)))
    })
  const service = await startService(createStubEngine(answer), { drainTimeoutMs }, { clock })
  return { service, asked: () => asked, release: () => end.abort() }
}

/** Connections are taken in turn: those made before are the service's when this one is answered. */
const waitUntilAccepted = async ({ url }: RunningService): Promise<void> => {
  assert.is((await fetch(`${url}/healthz`)).status, 200)
}

test('finishes requests in progress, accepts no new ones and ends connections', async () => {
  const { service, asked, release } = await startHoldingService(20_000)
  const answer = post(service.url, exampleRequest)
  await until(() => asked() === 1)
  const stopping = service.stop()
  assert.is(await post(service.url, exampleRequest).catch(() => 'refused'), 'refused')
  release()
  const response = await answer
  assert.is(response.status, 200)
  assert.is(response.headers.get('connection'), 'close')
  assert.ok((await response.text()).startsWith('{"model"'))
  await stopping
})

test('idle connections do not delay the stop', async () => {
  const service = await startService()
  const sockets = [0, 1, 2].map(() => connect(service.port, '127.0.0.1'))
  const closed = sockets.map((socket) => new Promise((done) => socket.on('close', done).resume()))
  await waitUntilAccepted(service)
  await service.stop()
  await Promise.all(closed)
})

test('cuts off the remaining requests after the grace period', async () => {
  const { service, asked } = await startHoldingService(300, createManualClock())
  const answer = post(service.url, exampleRequest).then(
    (response) => response.status,
    () => 'cut off',
  )
  await until(() => asked() === 1)
  await service.stop()
  assert.ok(['cut off', 502].includes(await answer))
})

test('incomplete requests end with it', async () => {
  const service = await startService(
    createStubEngine(),
    { drainTimeoutMs: 300 },
    { clock: createManualClock() },
  )
  const half = connect(service.port, '127.0.0.1').resume()
  const closed = new Promise((done) => half.on('close', done))
  const head = 'POST /v1/questions HTTP/1.1\r\nAuthorization: Bearer k\r\n'
  await new Promise((sent) => half.write(head, sent))
  await waitUntilAccepted(service)
  await service.stop()
  await closed
})

test('does not lose an answer that is still being sent', async () => {
  let stopping: Promise<void> | undefined
  const service = await startService(
    createStubEngine(async (request) => {
      // Runs when the answer has been worked out and logged, before it is sent.
      process.nextTick(() => {
        stopping = service.stop()
      })
      return chooseFirstOptions(request)
    }),
  )
  assert.is((await post(service.url, exampleRequest)).status, 200)
  assert.match(service.lines.join(''), /status=200/)
  await stopping
})

test.run()
