import type { ServerResponse } from 'node:http'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { Engine } from '../../lib/service/contract/engine'
import { engineFailed, engineTooSlow } from '../../lib/service/contract/problem'
import { createReadiness } from '../../lib/service/observe/readiness'
import { createManualClock } from '../support/clock'
import { noLogger } from '../support/runtime'
import { closeAfterEach, startHttpServer } from '../support/servers'
import { until } from '../support/until'
import { engineAt } from './engines/ask-openai-engine'
import {
  createStubEngine,
  exampleRequest,
  openUpstream,
  post,
  type RunningService,
  readJson,
  startService,
} from './run-service'

const test = suite('service: readiness')
closeAfterEach(test)

const fetchStatus = async ({ url }: RunningService): Promise<number> =>
  (await fetch(`${url}/readyz`)).status
const waitForStatus = (service: RunningService, status: number): Promise<void> =>
  until(async () => (await fetchStatus(service)) === status)

test('ready and alive, without a key', async () => {
  const service = await startService(createStubEngine(), { keys: ['k'] })
  const response = await fetch(`${service.url}/readyz`)
  assert.is(response.status, 200)
  assert.equal(await response.json(), { status: 'ready' })
  assert.is((await fetch(`${service.url}/readyz`, { method: 'HEAD' })).status, 200)
  assert.is((await fetch(`${service.url}/readyz`, { method: 'POST' })).status, 405)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /svc_http_requests_total\{route="\/readyz",method="GET",status="200"\} 1/)
})

/** An upstream service that can go away and come back. */
const startChangingService = async () => {
  let answer = (response: ServerResponse): unknown => response.end('{"models":[]}')
  const back = await startHttpServer((_, response) => void answer(response))
  return {
    ...back,
    answers: (next: typeof answer) => {
      answer = next
    },
  }
}

test('upstream: unready after a failed call, ready again once it is back', async () => {
  const failures: ReadonlyArray<(response: ServerResponse) => unknown> = [
    (response) => response.socket?.destroy(),
    (response) => response.writeHead(503).end('<h1>no backend</h1>'),
    (response) => response.writeHead(401).end(),
    // Says nothing until the time for an attempt is over.
    () => setImmediate(() => clock.pass(1000)),
  ]
  const clock = createManualClock()
  const back = await startChangingService()
  const engine = await openUpstream({ url: back.url, timeout: 1_000_000_000n, clock })
  const service = await startService(engine, {}, { clock })
  await waitForStatus(service, 200)
  for (const failure of failures) {
    back.answers(failure)
    assert.ok((await post(service.url, exampleRequest)).status > 500)
    const response = await fetch(`${service.url}/readyz`)
    assert.is(response.status, 503)
    assert.equal((await readJson(response)).detail, {
      error_type: 'not_ready',
      message: 'The engine does not answer.',
    })
    assert.is((await fetch(`${service.url}/healthz`)).status, 200)
    back.answers((healthy) => healthy.end('{"models":[]}'))
    await waitForStatus(service, 200)
  }
  back.answers((response) => response.writeHead(422).end('{"detail":"no"}'))
  assert.is((await post(service.url, exampleRequest)).status, 422)
  assert.is(await fetchStatus(service), 200)
  assert.match(service.lines.join(''), /level=warning msg="not ready" engine=upstream/)
})

test('pings an upstream that is missing at the start', async () => {
  const back = await startChangingService()
  back.answers((response) => response.socket?.destroy())
  const service = await startService(
    await openUpstream({ url: back.url }),
    {},
    { clock: createManualClock() },
  )
  assert.is(await fetchStatus(service), 503)
  await until(() => back.connections() === 1)
  back.answers((response) => response.end('{"models":[]}'))
  await waitForStatus(service, 200)
})

test('openai: pings the list of models; any answer counts', async () => {
  const cases: ReadonlyArray<readonly [(response: ServerResponse) => unknown, boolean]> = [
    [(response) => response.end('{"data":[]}'), true],
    [(response) => response.end('no list'), true],
    [(response) => response.writeHead(404).end(), true],
    [(response) => response.writeHead(401).end(), false],
    [(response) => response.writeHead(502).end(), false],
    [(response) => response.socket?.destroy(), false],
  ]
  const back = await startChangingService()
  const { ping } = engineAt(back.url)
  for (const [answer, there] of cases) {
    back.answers(answer)
    const found = await ping?.(new AbortController().signal)()
    assert.is(found !== undefined && E.isRight(found), there, String(answer))
  }
})

test('an invalid answer leaves the service ready as soon as a ping succeeds', async () => {
  let pings = 0
  let found = (): void => undefined
  const engine: Engine = {
    ...createStubEngine(async () => engineFailed('No letters.')),
    ping: () => () => {
      pings += 1
      return new Promise((resolve) => {
        found = () => resolve(E.right(undefined))
      })
    },
  }
  const service = await startService(engine)
  const first = fetchStatus(service)
  await until(() => pings === 1)
  found()
  assert.is(await first, 200)
  assert.is((await post(service.url, exampleRequest)).status, 502)
  assert.is((await post(service.url, exampleRequest)).status, 502)
  assert.is(await fetchStatus(service), 503)
  found()
  await waitForStatus(service, 200)
  assert.is(pings, 2)
  assert.is((await post(service.url, { ...exampleRequest, model: 'none' })).status, 400)
  assert.is((await post(service.url, {})).status, 422)
  assert.is(await fetchStatus(service), 200)
})

test('an engine in this process is always ready', async () => {
  const service = await startService(createStubEngine(async () => engineTooSlow('Too slow.')))
  assert.is((await post(service.url, exampleRequest)).status, 504)
  assert.is(await fetchStatus(service), 200)
})

test('unready after the stop, even if the engine answers', async () => {
  const readiness = createReadiness(createStubEngine(), { clock: nodeClock, log: noLogger })
  assert.is(await readiness.findProblem(), undefined)
  readiness.stop()
  readiness.noteCall(true)
  assert.is(await readiness.findProblem(), 'The service is stopping.')
})

test.run()
