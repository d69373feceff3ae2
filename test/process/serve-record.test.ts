import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listFiles, readScenarios } from '../../lib/replay/scenarios'
import { createTemporaryFolder } from '../support/folders'
import { runProgram } from '../support/program'
import { startServe } from '../support/serve'
import { readRequestBody, startHttpServer } from '../support/servers'

const test = suite('process: svc serve records and plays')

/** Reads which recordings no request has used. */
const readUnused = async (url: string): Promise<unknown> =>
  (await fetch(`${url}/__svc/unused`)).json()

/** Asks a yes/no question (a `noul`) by `svc ask`. Resolves with the printed document. */
const askRefund = async (url: string, state: string) => {
  const args = ['ask', '--state', state, '--noul', 'refund=Is a refund wanted?']
  const env = { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'sk-secret' }
  return JSON.parse((await runProgram(args, { env })).stdout)
}

/** Records two questions into a new folder. */
const recordTwoQuestions = async () => {
  const folder = createTemporaryFolder()
  const service = await startServe(['--record', folder])
  const { answers } = await askRefund(service.url, 'A refund is wanted.')
  await askRefund(service.url, 'Hello.')
  await service.stop()
  return { folder, answers }
}

const playStrictly = (folder: string) =>
  startServe(['--fixtures', join(folder, 'fixtures'), '--strict'])

test('records each request as a scenario', async () => {
  const { folder } = await recordTwoQuestions()
  assert.equal(listFiles(folder), [
    '.gitattributes',
    'fixtures/recorded/001-refund/request.json',
    'fixtures/recorded/001-refund/response.json',
    'fixtures/recorded/001-refund/scenario.json',
    'fixtures/recorded/002-refund/request.json',
    'fixtures/recorded/002-refund/response.json',
    'fixtures/recorded/002-refund/scenario.json',
  ])
})

test('--strict reports requests without a recording, and recordings without a request', async () => {
  const { folder, answers } = await recordTwoQuestions()
  const service = await playStrictly(folder)
  const known = await askRefund(service.url, 'A refund is wanted.')
  assert.equal(known.answers, answers)
  const unknown = await askRefund(service.url, 'Another.')
  assert.match(
    unknown.error.message,
    'differs in state. state: recorded "Hello.", received "Another.".',
  )
  assert.equal(await readUnused(service.url), {
    unused: [{ scenario: 'recorded/002-refund', method: 'POST', path: '/v1/questions' }],
  })
  await service.stop()
})

test('there is no list of unused recordings without --strict', async () => {
  const service = await startServe()
  assert.is((await fetch(`${service.url}/__svc/unused`)).status, 404)
  await service.stop()
})

test('redacts the key of a caller whom the service does not know', async () => {
  const folder = createTemporaryFolder()
  const { url, stop } = await startServe(['--record', folder])
  const key = 'my-real-key-123'
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  await fetch(`${url}/v1/models?key=${key}`, { headers })
  const question = { type: 'noul', instructions: 'Is it long?' }
  const body = `{"state":"curl -H ${key}, m\\u0079-real-key-123","questions":{"q":${JSON.stringify(question)}}}`
  await fetch(`${url}/v1/questions`, { method: 'POST', headers, body })
  await stop()
  const texts = listFiles(folder).map((path) => readFileSync(join(folder, path), 'utf8'))
  assert.not.match(texts.join(''), /real-key/)
  assert.match(texts.join(''), 'models?key=[redacted]')
  assert.match(texts.join(''), 'curl -H [redacted], [redacted]')
})

test('redacts a key that SIGHUP adds', async () => {
  const folder = createTemporaryFolder()
  const keysFile = join(folder, 'keys.txt')
  writeFileSync(keysFile, 'first-key\n', { mode: 0o600 })
  const flags = ['--api-keys-file', keysFile, '--record', folder, '--log-level', 'info']
  const { child, url, waitForStderr, stop } = await startServe(flags)
  writeFileSync(keysFile, 'second-key\n')
  child.kill('SIGHUP')
  await waitForStderr(/read the API keys again/)
  const env = { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'second-key' }
  const state = 'My keys are first-key and second-key.'
  await runProgram(['ask', '--state', state, '--noul', 'refund=Is a refund wanted?'], { env })
  await stop()
  const request = join(folder, 'fixtures/recorded/001-refund/request.json')
  assert.match(readFileSync(request, 'utf8'), 'My keys are [redacted] and [redacted].')
})

/**
 * Starts a service in the form of System One. Its response depends on the words of the state: 422 for `wrong`, a refusal for
 * `forbidden`, 429 for the first `busy`. It repeats its key in the list of models and in the message of 422.
 */
const startSystemOne = () => {
  const receivedStates: Array<string> = []
  return startHttpServer(async (incoming, outgoing) => {
    const { authorization: key } = incoming.headers
    const reply = (status: number, document: object, headers = {}) =>
      outgoing.writeHead(status, headers).end(JSON.stringify(document))
    if (incoming.method === 'GET')
      return reply(200, { models: [{ id: 'm', name: 'm', description: key }] })
    const state = JSON.stringify(JSON.parse(String(await readRequestBody(incoming))).state)
    const isNewState = !receivedStates.includes(state)
    receivedStates.push(state)
    if (state.includes('wrong')) return reply(422, { detail: `no such state for ${key}` })
    if (state.includes('busy') && isNewState)
      return reply(429, { detail: 'busy' }, { 'retry-after-ms': '0', 'set-cookie': 'a=b' })
    const answer = state.includes('forbidden')
      ? { type: 'refusal', refusal: 'I cannot answer this.' }
      : { type: 'noul', noul: 0.9 }
    return reply(200, { model: 'm', answers: { ok: answer }, usage: {} })
  })
}

const question = { type: 'noul', instructions: 'Is it intact?' }
const decision = { type: 'predicate', name: 'ok', instructions: 'Is it intact?' }
const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** A message with a picture of one pixel. */
const photo = [{ role: 'user', content: [{ type: 'input_image', image_url: image }] }]

/** A request of the service. Without a body, its method is GET. */
interface ServiceRequest {
  readonly path: string
  readonly body?: object
}

/** Requests in every form that `svc serve` accepts. */
const requests: ReadonlyArray<ServiceRequest> = [
  { path: '/v1/models' },
  { path: '/v1/questions', body: { model: 'm', state: 'Whole.', questions: { ok: question } } },
  { path: '/v1/systemone', body: { model: 'm', state: 'Whole.', questions: { ok: question } } },
  { path: '/v1/decisions', body: { model: 'm', input: 'Whole.', questions: [decision] } },
  { path: '/v1/decisions', body: { model: 'm', input: photo, questions: [decision] } },
  {
    path: '/v1/systemone',
    body: { model: 'm', state: 'A wrong one.', questions: { ok: question } },
  },
  { path: '/v1/decisions', body: { model: 'm', input: 'A wrong one.', questions: [decision] } },
  {
    path: '/v1/questions',
    body: { model: 'm', state: 'A forbidden one.', questions: { ok: question } },
  },
  { path: '/v1/decisions', body: { model: 'm', input: 'A busy one.', questions: [decision] } },
  { path: '/v1/decisions', body: { model: 'm', input: 'A busy one.', questions: [decision] } },
]

/** Sends `requests` in order. Returns the status, the header `retry-after` and the body of each response. Redacts the engine's key. */
const sendRequests = async (url: string) => {
  const replies: Array<{ status: number; retryAfter: string | null; body: unknown }> = []
  for (const { path, body } of requests) {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: 'Bearer caller-key', 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = (await response.text()).replaceAll('engine-key', '[redacted]')
    const retryAfter = response.headers.get('retry-after')
    replies.push({ status: response.status, retryAfter, body: JSON.parse(text) })
  }
  return replies
}

/** Records all requests in front of System One. Returns the folder and the replies. */
const recordAllRequests = async () => {
  const folder = createTemporaryFolder()
  const upstream = await startSystemOne()
  const engine = ['--engine=upstream', '--engine-dialect=systemone', `--engine-url=${upstream.url}`]
  const env = { SERVICE_API_KEYS: 'caller-key', SERVICE_ENGINE_API_KEY: 'engine-key' }
  const service = await startServe([...engine, '--record', folder], { env })
  const replies = await sendRequests(service.url)
  await service.stop()
  await upstream.close()
  return { folder, replies }
}

test('plays every form, images, errors, refusals and repeated requests as they were recorded', async () => {
  const { folder, replies } = await recordAllRequests()
  const statuses = replies.map(({ status }) => status)
  assert.equal(statuses, [200, 200, 200, 200, 200, 422, 400, 200, 429, 200])
  // The repeated request belongs to the scenario of the first one.
  assert.is(readScenarios(folder).length, requests.length - 1)

  const service = await playStrictly(folder)
  for (const [index, reply] of (await sendRequests(service.url)).entries())
    assert.equal(reply, replies[index], JSON.stringify(requests[index]))
  assert.equal(await readUnused(service.url), { unused: [] })
  await service.stop()
})

test('records neither keys nor cookies', async () => {
  const { folder } = await recordAllRequests()
  for (const file of listFiles(folder)) {
    const text = readFileSync(join(folder, file), 'latin1')
    assert.not.match(text, /caller-key|engine-key|a=b/, file)
  }
})

test('svc fixtures --check counts recordings of svc serve, and does not run them', async () => {
  const { folder } = await recordTwoQuestions()
  const { code, stdout, stderr } = await runProgram(['fixtures', '--check', folder], { env: {} })
  assert.is(code, 0)
  assert.is(stderr, '')
  assert.is(stdout, '{"scenarios":0,"passed":0,"recordings":2,"failed":[]}\n')
})

test("never records the caller's key, also if the service has no keys of its own", async () => {
  const folder = createTemporaryFolder()
  const service = await startServe(['--record', folder])
  const headers = { authorization: 'Bearer my-real-key-123', 'content-type': 'application/json' }
  const body = JSON.stringify({
    state: { log: 'curl -H my-real-key-123' },
    questions: { a: { type: 'noul', instructions: 'x' } },
  })
  await fetch(`${service.url}/v1/models?key=my-real-key-123`, { headers })
  await fetch(`${service.url}/v1/models?key=another-key-456`)
  await fetch(`${service.url}/v1/questions`, { method: 'POST', headers, body })
  await service.stop()
  const texts = listFiles(folder).map((file) => readFileSync(join(folder, file), 'latin1'))
  assert.not.match(texts.join(), /my-real-key-123|another-key-456/)
  assert.is(texts.join().match(/key=\[redacted\]/g)?.length, 2)
})

test.run()
