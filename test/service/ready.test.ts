import type { ServerResponse } from 'node:http'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { Engine } from '../../lib/service/contract/engine'
import { engineFailed, engineTooSlow, type Problem } from '../../lib/service/contract/problem'
import { createReadiness } from '../../lib/service/observe/readiness'
import { createManualClock } from '../support/clock'
import { noLogger } from '../support/runtime'
import { closeAfterEach, startHttpServer } from '../support/servers'
import { until } from '../support/until'
import { createUncheckedEngine } from './engines/ask-chat-engine'
import {
  createStubEngine,
  exampleRequest,
  openUpstream,
  post,
  type RunningService,
  readJson,
  startService,
  startWithUpstream,
} from './run-service'

const test = suite('service: readiness')
closeAfterEach(test)

const fetchStatus = async ({ url }: RunningService): Promise<number> =>
  (await fetch(`${url}/readyz`)).status

const waitForStatus = (service: RunningService, status: number): Promise<void> =>
  until(async () => (await fetchStatus(service)) === status)

test('/readyz needs no key', async () => {
  const service = await startService(createStubEngine(), { keys: ['k'] })
  const response = await fetch(`${service.url}/readyz`)
  assert.is(response.status, 200)
  assert.equal(await response.json(), { status: 'ready' })
})

test('/readyz takes HEAD, and refuses POST', async () => {
  const service = await startService()
  assert.is((await fetch(`${service.url}/readyz`, { method: 'HEAD' })).status, 200)
  assert.is((await fetch(`${service.url}/readyz`, { method: 'POST' })).status, 405)
})

test('/metrics counts the requests for /readyz', async () => {
  const service = await startService()
  await fetchStatus(service)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /svc_http_requests_total\{route="\/readyz",method="GET",status="200"\} 1/)
})

/** Sends the response of an upstream service to any request. */
type Respond = (response: ServerResponse) => unknown

const sendModelList: Respond = (response) => response.end('{"models":[]}')
const closeConnection: Respond = (response) => response.socket?.destroy()

/** Starts an upstream service that responds with `firstRespond` until `setRespond` replaces it. */
const startUpstream = async (firstRespond: Respond) => {
  let respond = firstRespond
  const server = await startHttpServer((_, response) => void respond(response))
  const setRespond = (nextRespond: Respond): void => {
    respond = nextRespond
  }
  return { url: server.url, countConnections: server.countConnections, setRespond }
}

const upstreamFailures: ReadonlyArray<{
  readonly title: string
  readonly respond: Respond
}> = [
  { title: 'closes the connection', respond: closeConnection },
  {
    title: 'answers 503',
    respond: (response) => response.writeHead(503).end('<h1>no backend</h1>'),
  },
  { title: 'refuses the key', respond: (response) => response.writeHead(401).end() },
]

for (const { title, respond: fail } of upstreamFailures)
  test(`is unready if the upstream service ${title}, until it answers again`, async () => {
    const upstream = await startUpstream(sendModelList)
    const engine = await openUpstream({ url: upstream.url })
    const service = await startService(engine, { clock: createManualClock() })
    await waitForStatus(service, 200)

    upstream.setRespond(fail)
    assert.ok([502, 503].includes((await post(service.url, exampleRequest)).status))
    const response = await fetch(`${service.url}/readyz`)
    assert.is(response.status, 503)
    assert.equal((await readJson(response)).detail, {
      error_type: 'not_ready',
      message: 'The engine does not answer.',
    })
    assert.is((await fetch(`${service.url}/healthz`)).status, 200)
    assert.match(service.logLines.join(''), /level=warning msg="not ready" engine=upstream/)

    upstream.setRespond(sendModelList)
    await waitForStatus(service, 200)
  })

test('is unready if the upstream service does not answer in time', async () => {
  const clock = createManualClock()
  const upstream = await startUpstream(sendModelList)
  const oneSecond = 1_000_000_000n
  const engine = await openUpstream({ url: upstream.url, timeout: oneSecond, clock })
  const service = await startService(engine, { clock })
  await waitForStatus(service, 200)
  // Sends no response, and lets the timeout pass.
  const passTimeout: Respond = () => setImmediate(() => clock.advance(1000))
  upstream.setRespond(passTimeout)
  assert.is((await post(service.url, exampleRequest)).status, 504)
  assert.is(await fetchStatus(service), 503)
})

test('stays ready if the upstream service refuses a request', async () => {
  const upstream = await startUpstream(sendModelList)
  const service = await startWithUpstream({ url: upstream.url })
  await waitForStatus(service, 200)
  upstream.setRespond((response) => response.writeHead(422).end('{"detail":"no"}'))
  assert.is((await post(service.url, exampleRequest)).status, 422)
  assert.is(await fetchStatus(service), 200)
})

test('becomes ready when an upstream service that was down at the start answers', async () => {
  const upstream = await startUpstream(closeConnection)
  const engine = await openUpstream({ url: upstream.url })
  const service = await startService(engine, { clock: createManualClock() })
  assert.is(await fetchStatus(service), 503)
  await until(() => upstream.countConnections() === 1)
  upstream.setRespond(sendModelList)
  await waitForStatus(service, 200)
})

/** The responses of an endpoint to a ping, and whether the ping then succeeds. */
const chatPings: ReadonlyArray<{
  readonly title: string
  readonly respond: Respond
  readonly succeeds: boolean
}> = [
  { title: 'a model list', respond: (response) => response.end('{"data":[]}'), succeeds: true },
  {
    title: 'a page that is not JSON',
    respond: (response) => response.end('no list'),
    succeeds: true,
  },
  { title: '404', respond: (response) => response.writeHead(404).end(), succeeds: true },
  { title: '401', respond: (response) => response.writeHead(401).end(), succeeds: false },
  { title: '502', respond: (response) => response.writeHead(502).end(), succeeds: false },
  { title: 'a closed connection', respond: closeConnection, succeeds: false },
]

for (const { title, respond, succeeds } of chatPings)
  test(`a ping of a chat engine ${succeeds ? 'succeeds' : 'fails'} with ${title}`, async () => {
    const { url } = await startUpstream(respond)
    // This engine sends no trial question at its start, so the endpoint receives only the ping.
    const { ping } = createUncheckedEngine(url)
    assert.ok(ping)
    const result = await ping(new AbortController().signal)()
    assert.is(E.isRight(result), succeeds)
  })

/** Creates an engine whose answers fail. A ping runs until `finishPing` makes it succeed. */
const createFailingEngine = () => {
  let finishPing = (): void => undefined
  let pingCount = 0
  const ping = (): TE.TaskEither<Problem, void> => () => {
    pingCount += 1
    return new Promise((resolve) => {
      finishPing = () => resolve(E.right(undefined))
    })
  }
  const engine: Engine = { ...createStubEngine(async () => engineFailed('No letters.')), ping }
  // Each ping replaces `finishPing`, so this calls the one of the last ping.
  return { engine, countPings: () => pingCount, finishPing: () => finishPing() }
}

test('is ready again after failed calls, as soon as a ping succeeds', async () => {
  const { engine, countPings, finishPing } = createFailingEngine()
  const service = await startService(engine)
  const firstStatus = fetchStatus(service)
  await until(() => countPings() === 1)
  finishPing()
  assert.is(await firstStatus, 200)

  assert.is((await post(service.url, exampleRequest)).status, 502)
  assert.is((await post(service.url, exampleRequest)).status, 502)
  assert.is(await fetchStatus(service), 503)

  finishPing()
  await waitForStatus(service, 200)
  assert.is(countPings(), 2)
})

test('stays ready if svc refuses a request', async () => {
  const engine: Engine = { ...createStubEngine(), ping: () => TE.right(undefined) }
  const service = await startService(engine)
  await waitForStatus(service, 200)
  assert.is((await post(service.url, { ...exampleRequest, model: 'none' })).status, 400)
  assert.is((await post(service.url, {})).status, 422)
  assert.is(await fetchStatus(service), 200)
})

test('is always ready if the engine has no ping', async () => {
  const service = await startService(createStubEngine(async () => engineTooSlow('Too slow.')))
  assert.is((await post(service.url, exampleRequest)).status, 504)
  assert.is(await fetchStatus(service), 200)
})

test('is unready after the stop, even if the engine answers', async () => {
  const readiness = createReadiness(createStubEngine(), { clock: nodeClock, log: noLogger })
  assert.is(await readiness.findUnreadyReason(), undefined)
  readiness.stop()
  readiness.recordCall(true)
  assert.is(await readiness.findUnreadyReason(), 'The service is stopping.')
})

test.run()
