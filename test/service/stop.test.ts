import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
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
  startService,
} from './run-service'

const test = suite('service: stopping')

/** Starts a service whose engine answers when `release` is called. `waitForCall` waits until the engine was called once. */
const startHoldingService = async (drainTimeoutMs: number, clock: Clock = nodeClock) => {
  const releaseController = new AbortController()
  const { signal } = releaseController
  let calls = 0
  const engine = createStubEngine(async (request) => {
    calls += 1
    await once(signal, 'abort')
    return chooseFirstOptions(request)
  })
  const service = await startService(engine, { drainTimeoutMs, clock })
  const waitForCall = () => until(() => calls === 1)
  return { service, waitForCall, release: () => releaseController.abort() }
}

/** Opens a connection to a service. */
const openSocket = ({ port }: RunningService): Socket => connect(port, '127.0.0.1').resume()

/** Waits until the service has accepted all earlier connections. It accepts them in order. */
const waitUntilAccepted = async ({ url }: RunningService): Promise<void> => {
  assert.is((await fetch(`${url}/healthz`)).status, 200)
}

test('finishes a request in flight, and closes its connection', async () => {
  const { service, waitForCall, release } = await startHoldingService(20_000)
  const responsePromise = post(service.url, exampleRequest)
  await waitForCall()
  const stopping = service.stop()
  release()
  const response = await responsePromise
  assert.is(response.status, 200)
  assert.is(response.headers.get('connection'), 'close')
  assert.ok((await response.text()).startsWith('{"model"'))
  await stopping
})

test('refuses new connections', async () => {
  const { service, waitForCall, release } = await startHoldingService(20_000)
  const responsePromise = post(service.url, exampleRequest)
  await waitForCall()
  const stopping = service.stop()
  assert.is(await post(service.url, exampleRequest).catch(() => 'refused'), 'refused')
  release()
  await responsePromise
  await stopping
})

test('answers the first request of an open connection, and closes it', async () => {
  const { service, waitForCall, release } = await startHoldingService(20_000)
  const socket = openSocket(service)
  await waitUntilAccepted(service)
  const responsePromise = post(service.url, exampleRequest)
  await waitForCall()
  const stopping = service.stop()
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'close')
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(answer, /^connection: close\r$/im)
  release()
  assert.is((await responsePromise).status, 200)
  await stopping
})

test('closes connections without a request at once', async () => {
  const service = await startService()
  const sockets = [openSocket(service), openSocket(service), openSocket(service)]
  const closed = sockets.map((socket) => once(socket, 'close'))
  await waitUntilAccepted(service)
  await service.stop()
  await Promise.all(closed)
})

test('closes the connection of an incomplete request', async () => {
  const service = await startService()
  const socket = openSocket(service)
  const closed = once(socket, 'close')
  const incompleteHead = 'POST /v1/questions HTTP/1.1\r\nAuthorization: Bearer k\r\n'
  await new Promise((resolve) => socket.write(incompleteHead, resolve))
  await waitUntilAccepted(service)
  await service.stop()
  await closed
})

test('ends requests in flight after the drain timeout', async () => {
  // The timeout takes no time with a manual clock.
  const { service, waitForCall } = await startHoldingService(300, createManualClock())
  const responsePromise = post(service.url, exampleRequest).then(
    (response) => response.status,
    () => 'connection closed',
  )
  await waitForCall()
  await service.stop()
  assert.ok(['connection closed', 502].includes(await responsePromise))
})

test('sends a response completely that is being sent at the stop', async () => {
  let stopping: Promise<void> | undefined
  const engine = createStubEngine(async (request) => {
    // The next tick comes after the response has been logged, before it is sent.
    process.nextTick(() => {
      stopping = service.stop()
    })
    return chooseFirstOptions(request)
  })
  const service = await startService(engine)
  assert.is((await post(service.url, exampleRequest)).status, 200)
  assert.match(service.logLines.join(''), /status=200/)
  await stopping
})

test.run()
