import type { IncomingHttpHeaders } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { closeAfterEach, readRequestBody, startHttpServer } from '../support/servers'
import { exampleRequest, post, readJson, startService, startWithUpstream } from './run-service'

// The engine `upstream` asks another service, and returns its response.
const test = suite('service: the upstream engine')
closeAfterEach(test)

test('forwards a request unchanged with the engine’s key, and the response with its request id', async () => {
  let received: { url: unknown; headers: IncomingHttpHeaders; body: string } | undefined
  // JSON.parse and JSON.stringify would change the space and the numbers 1.0, 1e400 and 12345678901234567890.
  const answer = '{"model":"x","answers":{"a":{"type":"new","v":1.0}},"usage":null, "more":1e400}'
  const upstream = await startHttpServer(async (request, response) => {
    const body = String(await readRequestBody(request))
    received = { url: request.url, headers: request.headers, body }
    response.setHeader('x-typesafe-request-id', 'req_upstream')
    response.setHeader('set-cookie', 'a=b')
    response.setHeader('content-type', 'application/json').end(answer)
  })
  const service = await startWithUpstream({ url: `${upstream.url}/v1/systemone` })
  const sent =
    '{"state":1.0,"questions":{"a":{"type":"new","deep":[1e400]}},"extra":12345678901234567890}'

  const response = await post(service.url, sent)

  assert.is(response.status, 200)
  assert.is(await response.text(), answer)
  assert.is(response.headers.get('x-service-request-id'), 'req_upstream')
  assert.is(response.headers.get('set-cookie'), null)
  assert.is(received?.url, '/v1/systemone')
  assert.is(received?.body, sent)
  assert.is(received?.headers.authorization, 'Bearer engine-key')
  assert.is(received?.headers['user-agent'], 'svc/test')
  assert.match(service.logLines.join(''), /engine_request_id=req_upstream/)
})

/** Matches a request id that svc has created itself. */
const ownRequestId = /^req_[0-9a-z]{26}$/
const requestIdCases: ReadonlyArray<{
  readonly title: string
  readonly headers: Record<string, string>
  readonly status: number
  readonly body: string
  /** The request id in the response of svc. */
  readonly expected: RegExp
}> = [
  {
    title: 'svc’s header',
    headers: { 'x-service-request-id': 'req_1' },
    status: 200,
    body: '{"request_id":"req_2"}',
    expected: /^req_1$/,
  },
  {
    title: 'TypeSafe’s header',
    headers: { 'x-typesafe-request-id': 'req_1' },
    status: 422,
    body: '{"detail":"no"}',
    expected: /^req_1$/,
  },
  {
    title: 'the body',
    headers: {},
    status: 200,
    body: '{"request_id":"req_2"}',
    expected: /^req_2$/,
  },
  {
    title: 'svc if the upstream’s id has a line break',
    headers: {},
    status: 200,
    body: '{"request_id":"bad\\nid"}',
    expected: ownRequestId,
  },
  {
    title: 'svc if the upstream’s id is empty',
    headers: { 'x-service-request-id': '' },
    status: 200,
    body: '{}',
    expected: ownRequestId,
  },
  {
    title: 'svc if the upstream’s id is very long',
    headers: {},
    status: 200,
    body: `{"request_id":"${'x'.repeat(100_000)}"}`,
    expected: ownRequestId,
  },
  {
    title: 'svc if the upstream sends no id',
    headers: {},
    status: 500,
    body: 'broken',
    expected: ownRequestId,
  },
]

for (const { title, headers, status, body, expected } of requestIdCases)
  test(`takes the request id from ${title}`, async () => {
    const upstream = await startHttpServer((_, response) =>
      response.writeHead(status, headers).end(body),
    )
    const service = await startWithUpstream({ url: upstream.url })
    const response = await post(service.url, exampleRequest, { path: '/v1/systemone' })
    assert.is(response.status, status)
    assert.match(response.headers.get('x-service-request-id') ?? '', expected)
    assert.match(response.headers.get('x-typesafe-request-id') ?? '', expected)
  })

test('replaces a missing model and the aliases by --engine-model, and forwards other models', async () => {
  const upstream = await startService()
  const service = await startWithUpstream({ url: upstream.url, model: 'configured' })
  for (const { requested, forwarded } of [
    { requested: undefined, forwarded: 'configured' },
    // The two aliases of the default model.
    { requested: 'svc-latest', forwarded: 'configured' },
    { requested: 'jev-latest', forwarded: 'configured' },
    { requested: 'named', forwarded: 'named' },
  ]) {
    const response = await post(service.url, { ...exampleRequest, model: requested })
    const { detail } = await readJson(response)
    // The upstream service has none of these models. Its message shows the model that was forwarded.
    assert.is(detail.message, `Unknown model: ${forwarded}`)
  }
})

test('lists the models of the upstream service', async () => {
  const upstream = await startService()
  const service = await startWithUpstream({ url: upstream.url })
  const response = await fetch(`${service.url}/v1/models`, {
    headers: { authorization: 'Bearer k' },
  })
  const { models } = await readJson(response)
  assert.equal(
    models.map(({ name }) => name),
    ['svc-latest', 'stub-1'],
  )
})

test('forwards an answer unchanged, even if a label equals the key', async () => {
  // The escape, the space and the spelling of the number show that svc does not encode the answer anew.
  const answer = Buffer.from('{"answers":{"a":{"label":"local","\\u00e9":"\u00e9"}}, "n":1.0}')
  const upstream = await startHttpServer((_, response) => response.end(answer))
  const service = await startWithUpstream({ url: upstream.url, key: 'local' })
  const response = await post(service.url, exampleRequest)
  assert.ok(answer.equals(Buffer.from(await response.arrayBuffer())))
})

/** A question of a type that svc does not know. */
const question = { type: 'new' }

const unboundedBodies: ReadonlyArray<{
  readonly title: string
  readonly path?: string
  readonly body: unknown
  readonly status: number
}> = [
  { title: 'text that is not JSON', body: '{"state":"a","questions":', status: 400 },
  {
    title: 'more than 1,000 questions',
    body: { state: 'a', questions: Object.fromEntries(Array(1001).fill(question).entries()) },
    status: 422,
  },
  {
    title: 'more than 1,000 questions of System One',
    path: '/v1/systemone',
    body: { state: 'a', questions: Object.fromEntries(Array(1001).fill(question).entries()) },
    status: 422,
  },
  {
    title: 'more than 50,000 values beside the state',
    body: { state: 'a', questions: { a: { type: 'new', list: Array(50_001).fill(0) } } },
    status: 422,
  },
  {
    title: 'more than 100,000 objects in the state',
    body: { state: Array(100_001).fill({}), questions: { a: question } },
    status: 400,
  },
]

for (const { title, path, body, status } of unboundedBodies)
  test(`refuses ${title}, and forwards nothing`, async () => {
    let received = 0
    const upstream = await startHttpServer((_, response) => {
      received += 1
      response.end('{}')
    })
    const service = await startWithUpstream({ url: upstream.url })
    const response = await post(service.url, body, path === undefined ? {} : { path })
    assert.is(response.status, status)
    assert.is(received, 0)
  })

test.run()
