import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { closeAfterEach } from '../support/servers'
import {
  exampleRequest,
  post,
  type RunningService,
  readJson,
  sendRaw,
  startService,
} from './run-service'
import { createExchange, startReplay, ticketRequest } from './start-replay'

/**
 * `svc serve --engine replay` plays the responses of recorded scenarios. The address of a scenario is a path that begins with its name,
 * such as `/errors/retry/v1/questions`. There svc plays the responses of this scenario only, whatever the body of the request.
 */
const test = suite('service: replay at the address of a scenario')
closeAfterEach(test)

/** Posts a body to /v1/questions at the address of a scenario. */
const postToScenario = (service: RunningService, name: string, body: unknown = ticketRequest) =>
  post(service.url, body, { path: `/${name}/v1/questions` })

/** Starts a service that replays two scenarios: `errors/retry` with three exchanges, and `errors/key` with one. */
const startErrors = (): Promise<RunningService> =>
  startReplay({
    scenarios: {
      'errors/retry': {
        exchanges: [
          createExchange(ticketRequest, {
            status: 429,
            headers: { 'retry-after-ms': '250' },
            body: { n: 1 },
          }),
          createExchange(ticketRequest, { body: { n: 2 } }),
          {
            request: { method: 'GET', path: '/gateway/v1/models' },
            response: { body: { models: [] } },
          },
        ],
      },
      'errors/key': { exchanges: [createExchange(ticketRequest, { status: 401 })] },
    },
  })

test('plays the responses in order, then again from the first, for any body', async () => {
  const service = await startErrors()
  for (const { status, retryAfterMs, body } of [
    { status: 429, retryAfterMs: '250', body: { n: 1 } },
    { status: 200, retryAfterMs: null, body: { n: 2 } },
    { status: 429, retryAfterMs: '250', body: { n: 1 } },
  ] as const) {
    // The recorded body is `ticketRequest`.
    const response = await postToScenario(service, 'errors/retry', {})
    assert.is(response.status, status)
    assert.is(response.headers.get('retry-after-ms'), retryAfterMs)
    assert.equal(await response.json(), body)
  }
  assert.is((await postToScenario(service, 'errors/key')).status, 401)
})

test('adds no header that was not recorded', async () => {
  const service = await startErrors()
  const response = await postToScenario(service, 'errors/retry')
  assert.is(response.headers.get('x-service-request-id'), null)
})

test('logs the route without the address of the scenario', async () => {
  const service = await startErrors()
  await postToScenario(service, 'errors/retry')
  assert.match(service.logLines.join(''), /route=\/v1\/questions status=429/)
})

for (const path of ['/errors/retry/gateway/v1/models', '/errors/retry/v1/models'])
  test(`plays the model list that was recorded at /gateway/v1/models for ${path}`, async () => {
    const service = await startErrors()
    const headers = { authorization: 'Bearer k' }
    const response = await fetch(`${service.url}${path}`, { headers })
    assert.equal(await response.json(), { models: [] })
  })

for (const { name, message } of [
  { name: 'nowhere', message: 'Nothing is recorded at /nowhere' },
  {
    name: 'errors/rtery',
    message: 'Nothing is recorded at /errors/rtery; did you mean /errors/retry?',
  },
] as const)
  test(`answers 404: ${message}`, async () => {
    const service = await startErrors()
    const response = await postToScenario(service, name)
    assert.is(response.status, 404)
    assert.is((await readJson(response)).detail.message, message)
  })

test('answers 404 to a path that is not recorded', async () => {
  const service = await startErrors()
  assert.is((await fetch(`${service.url}/errors/retry/healthz`)).status, 404)
})

test('plays a recording of /v1/questions for the route of another dialect', async () => {
  const service = await startErrors()
  const response = await post(service.url, ticketRequest, { path: '/errors/key/v1/decisions' })
  assert.is(response.status, 401)
})

const decidePath = '/v1beta/models/gemini-decision-1:decide'
const modelsPath = '/v1/models?output_modalities=decisions'

/** Starts a service that replays the scenario `gemini/ask`, whose paths are not routes of the service. */
const startGemini = (): Promise<RunningService> => {
  const decide = { method: 'POST', path: decidePath, body: {} }
  const exchanges = [
    { request: decide, response: { status: 503, body: { n: 1 } } },
    { request: { method: 'GET', path: modelsPath }, response: { body: { n: 2 } } },
    { request: decide, response: { body: { n: 3 } } },
  ]
  return startReplay({ scenarios: { 'gemini/ask': { exchanges } } })
}

test('plays a recorded path that is not a route of the service, with its query', async () => {
  const service = await startGemini()
  const address = `${service.url}/gemini/ask`
  const statuses: number[] = []
  // The two exchanges of this path are played in turn, without the one of the model list.
  for (let i = 0; i < 3; i++) statuses.push((await post(address, {}, { path: decidePath })).status)
  assert.equal(statuses, [503, 200, 503])
  assert.equal(await (await fetch(address + modelsPath)).json(), { n: 2 })
})

test('answers 404 to a recorded path with another query or method, or without the address', async () => {
  const service = await startGemini()
  const address = `${service.url}/gemini/ask`
  const otherQuery = await fetch(`${address}/v1/models?output_modalities=else`)
  assert.is(otherQuery.status, 404)
  const otherMethod = await fetch(`${address}${decidePath}`)
  assert.is(otherMethod.status, 404)
  const withoutAddress = await post(service.url, {}, { path: decidePath })
  assert.is(withoutAddress.status, 404)
})

test('answers each request of a scenario with order "any" with the response recorded for its body', async () => {
  const exchanges = [
    createExchange({ state: 1 }, { body: { answer: 'one' } }),
    createExchange({ state: 2 }, { body: { answer: 'two' } }),
    createExchange({ state: 2 }, { body: { answer: 'two again' } }),
  ]
  const service = await startReplay({ scenarios: { 'batch/rows': { order: 'any', exchanges } } })
  const answers: unknown[] = []
  for (const state of [2, 1, 2, 3]) {
    const response = await postToScenario(service, 'batch/rows', { state })
    answers.push(((await response.json()) as { answer: string }).answer)
  }
  // No response is recorded for state 3, so it gets the first one that remains. After the last response, all remain again.
  assert.equal(answers, ['two', 'one', 'two again', 'one'])
})

test('sends a recorded content encoding, with and without the address', async () => {
  const exchanges = [createExchange(ticketRequest, { encoding: 'br', body: { packed: 1.5 } })]
  const service = await startReplay({ scenarios: { 'ask/br': { exchanges } } })
  for (const response of [
    await postToScenario(service, 'ask/br'),
    await post(service.url, ticketRequest),
  ]) {
    assert.is(response.headers.get('content-encoding'), 'br')
    assert.equal(await response.json(), { packed: 1.5 })
  }
})

test('sends a body that does not have its content encoding', async () => {
  const headers = { 'content-encoding': 'gzip' }
  const exchanges = [createExchange({}, { headers, bodyText: 'no gzip' })]
  const service = await startReplay({ scenarios: { 'ask/broken': { exchanges } } })
  const response = await postToScenario(service, 'ask/broken')
  assert.is(await response.text().catch(() => 'not decoded'), 'not decoded')
})

const brokenResponses: ReadonlyArray<{
  readonly title: string
  /** The response as in a scenario.json. */
  readonly recorded: object
  /** All bytes that the client receives. */
  readonly received: RegExp
  /** Returns true when the client should disconnect from a response that does not end. */
  readonly isComplete?: (text: string) => boolean
}> = [
  {
    title: 'bytes that are not HTTP',
    recorded: { raw: 'SSH-2.0-x\r\n' },
    received: /^SSH-2\.0-x\r\n$/,
  },
  { title: 'a connection that ends without a byte', recorded: { fault: 'end' }, received: /^$/ },
  {
    title: 'a connection that is cut in the body',
    recorded: { status: 200, body: { cut: true }, fault: 'reset' },
    // The body comes in chunks, and each chunk ends with a line break.
    received: /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"cut":true\}\r\n$/,
  },
  {
    title: 'a body that stalls',
    recorded: { status: 200, body: { part: 1 }, fault: 'stall' },
    received: /^HTTP\/1\.1 200 OK\r\n/,
    isComplete: (text) => text.endsWith('{"part":1}\r\n'),
  },
  {
    title: 'an endless body',
    recorded: {
      raw: 'HTTP/1.1 200 OK\r\n\r\n',
      bodyText: { repeat: 'again ', times: 1000 },
      fault: 'endless',
    },
    received: /^HTTP\/1\.1 200 OK\r\n\r\nagain again /,
    isComplete: (text) => text.length > 1 << 20,
  },
]

for (const { title, recorded, received, isComplete } of brokenResponses)
  test(`plays ${title}, only at the address`, async () => {
    const exchanges = [createExchange(ticketRequest, recorded)]
    const service = await startReplay({ scenarios: { 'errors/broken': { exchanges } } })
    const head =
      'POST /errors/broken/v1/questions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n'
    const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
    const options = isComplete === undefined ? {} : { isComplete }
    assert.match(await sendRaw(service.port, [head + body], options), received)
    assert.is((await post(service.url, ticketRequest)).status, 404)
  })

test('an engine other than replay answers 404 at the address of a scenario', async () => {
  const service = await startService()
  assert.is((await postToScenario(service, 'errors/retry', exampleRequest)).status, 404)
})

test.run()
