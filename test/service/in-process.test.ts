import * as assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { suite } from 'uvu'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { FetchInit, FetchResponse } from '../../lib/runtime/runtime'
import { noTracer } from '../../lib/runtime/tracer'
import type { AnsweringEngine } from '../../lib/service/contract/engine'
import { type InProcessOptions, startInProcess } from '../../lib/service/in-process'
import { createLogger } from '../../lib/tracing/log'
import { until } from '../support/until'
import { chooseFirstOptions, createStubEngine, exampleRequest } from './run-service'

const test = suite('service in this process')

const log = createLogger('off', nodeClock, () => undefined)

const start = (engine: AnsweringEngine, options: Partial<InProcessOptions> = {}) =>
  startInProcess(
    engine,
    { answerTimeoutMs: 0, takesOneRequest: false, ...options },
    { clock: nodeClock, tracer: noTracer, log },
  )

/** Creates the cancellation of an exchange, which fires with `controller`. */
const createCancellation = (controller = new AbortController()): FetchInit['cancellation'] => ({
  signal: controller.signal,
  onCancel: (run) => controller.signal.addEventListener('abort', run),
})

const createPost = (body: string, controller?: AbortController): FetchInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body,
  cancellation: createCancellation(controller),
})

const examplePost = (controller?: AbortController): FetchInit =>
  createPost(JSON.stringify(exampleRequest), controller)

const readBody = ({ body }: FetchResponse): Promise<string> => text(body)

test('answers questions at the route of each dialect, and lists the models', async () => {
  const { fetch } = start(createStubEngine())
  const answer = await fetch('stub:/v1/questions', examplePost())
  assert.equal(answer.status, 200)
  assert.equal(answer.header('Content-Type'), 'application/json')
  const { model, answers } = JSON.parse(await readBody(answer))
  assert.deepEqual([model, answers.billing], ['stub-1', { type: 'noul', noul: 1 }])

  const systemone = await fetch('stub:/v1/systemone', examplePost())
  assert.equal(systemone.status, 200)

  const models = await fetch('stub:/v1/models', {
    method: 'GET',
    headers: {},
    cancellation: createCancellation(),
  })
  assert.match(await readBody(models), /"stub-1"/)
})

const refusals: ReadonlyArray<{
  readonly title: string
  readonly body: string
  readonly status: number
  readonly message: RegExp
}> = [
  { title: 'a body that is not JSON', body: '{', status: 400, message: /JSON/ },
  {
    title: 'images',
    body: JSON.stringify({ ...exampleRequest, assets: { photo: { type: 'image' } } }),
    status: 400,
    message: /images are not supported by this engine/,
  },
  {
    title: 'a body over 32 MiB',
    body: JSON.stringify({ ...exampleRequest, state: 'x'.repeat(32 << 20) }),
    status: 413,
    message: /./,
  },
]

for (const { title, body, status, message } of refusals)
  test(`refuses ${title}, as svc serve does`, async () => {
    const { fetch } = start(createStubEngine())
    const response = await fetch('stub:/v1/questions', createPost(body))
    assert.equal(response.status, status)
    assert.match(await readBody(response), message)
  })

test('joins a body in chunks', async () => {
  const { fetch } = start(createStubEngine())
  const body = JSON.stringify(exampleRequest)
  const chunks = [Buffer.from(body.slice(0, 10)), Buffer.from(body.slice(10))]
  const response = await fetch('stub:/v1/questions', { ...examplePost(), body: chunks })
  assert.equal(response.status, 200)
})

/** An engine that answers only if its request is aborted, and the signals of its requests so far. */
const createHangingEngine = () => {
  const requests: Array<AbortSignal> = []
  const engine = createStubEngine(async (request, { signal }) => {
    requests.push(signal)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return chooseFirstOptions(request)
  })
  return { engine, requests }
}

test('aborts the request at the engine if the exchange is cancelled', async () => {
  const { engine, requests } = createHangingEngine()
  const { fetch } = start(engine)
  const controller = new AbortController()
  const response = fetch('stub:/v1/questions', examplePost(controller))
  await until(() => requests.length === 1)
  controller.abort()
  await assert.rejects(response, /the exchange is over/)
  assert.equal(requests[0]?.aborted, true)
})

test('does not start a cancelled exchange', async () => {
  const { engine, requests } = createHangingEngine()
  const { fetch } = start(engine)
  const controller = new AbortController()
  controller.abort()
  await assert.rejects(fetch('stub:/v1/questions', examplePost(controller)), /the exchange is over/)
  assert.equal(requests.length, 0)
})

test('asks an engine for one request after the other if it takes one at a time', async () => {
  const { engine, requests } = createHangingEngine()
  const { fetch } = start(engine, { takesOneRequest: true })
  const first = new AbortController()
  const second = new AbortController()
  const responses = [first, second].map((controller) =>
    fetch('stub:/v1/questions', examplePost(controller)).catch(() => 'cancelled'),
  )
  await until(() => requests.length === 1)
  first.abort()
  await until(() => requests.length === 2)
  second.abort()
  assert.deepEqual(await Promise.all(responses), ['cancelled', 'cancelled'])
})

test('counts the time for an answer from the turn of the request', async () => {
  // The first request takes the whole time limit. The second one must still get its own.
  let count = 0
  const engine = createStubEngine(async (request, { signal }) => {
    count += 1
    if (count === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return chooseFirstOptions(request)
  })
  const { fetch } = start(engine, { answerTimeoutMs: 1000, takesOneRequest: true })
  const [first, second] = await Promise.all([
    fetch('stub:/v1/questions', examplePost()),
    fetch('stub:/v1/questions', examplePost()),
  ])
  assert.equal(first.status, 504)
  assert.equal(second.status, 200)
})

test('lists the models of the engine if it has others than its own', async () => {
  const listModels: AnsweringEngine['listModels'] = () => async () => ({
    _tag: 'Right',
    right: [{ name: 'a' }, { name: 'b' }],
  })
  const { fetch } = start({ ...createStubEngine(), listModels })
  const response = await fetch('stub:/v1/models', {
    method: 'GET',
    headers: {},
    cancellation: createCancellation(),
  })
  const { models } = JSON.parse(await readBody(response))
  assert.deepEqual(models, [{ name: 'a' }, { name: 'b' }])
})

test('closes the engine', async () => {
  let isClosed = false
  const close = async (): Promise<void> => {
    isClosed = true
  }
  await start({ ...createStubEngine(), close }).close()
  assert.equal(isClosed, true)
})

test.run()
