import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClientOptions, ConnectionError, createClient } from '../../lib/library'
import { closeAfterEach } from '../support/servers'
import { answeredReply, answers, questions } from './sample-answers'
import { catchError, createResponseBody, startServiceAndClient } from './scripted-service'

const test = suite('library/client: HTTP requests')
closeAfterEach(test)

/** Starts a service that answers every request, and a client. */
const startAnswering = () => startServiceAndClient(() => answeredReply)

test('sends no header but the authorization, those of HTTP, and a user agent', async () => {
  const { client, service, requests } = await startServiceAndClient(({ path }) =>
    path === '/v1/models' ? { body: { models: [] } } : answeredReply,
  )
  await client.ask('x', questions)
  await client.models()
  const [askRequest, modelsRequest] = requests
  assert.ok(askRequest && modelsRequest)
  const { 'user-agent': askUserAgent, ...askHeaders } = askRequest.headers
  const { 'user-agent': modelsUserAgent, ...modelsHeaders } = modelsRequest.headers
  const commonHeaders = {
    authorization: 'Bearer demo-key',
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    host: new URL(service.url).host,
    connection: 'keep-alive',
  }
  assert.equal(askHeaders, {
    ...commonHeaders,
    'content-type': 'application/json',
    'content-length': String(askRequest.body.length),
  })
  assert.equal(modelsHeaders, commonHeaders)
  assert.match(askUserAgent ?? '', /^typed-questions\/\d/)
  assert.is(modelsUserAgent, askUserAgent)
})

test('two calls, one after the other, share a connection', async () => {
  const { client, service } = await startAnswering()
  await client.ask('x', questions)
  await client.ask('x', questions)
  assert.is(service.countConnections(), 1)
})

test('many calls at once cause no warning of Node about leaking listeners', async () => {
  const { client } = await startAnswering()
  const warnings: string[] = []
  const collectWarning = ({ message }: Error) => warnings.push(message)
  process.on('warning', collectWarning)
  await Promise.all(Array.from({ length: 30 }, () => client.ask('x', questions)))
  // Node emits warnings in a later turn of the event loop.
  await new Promise(setImmediate)
  process.off('warning', collectWarning)
  assert.equal(warnings, [])
})

const fetchOptions: ReadonlyArray<{ readonly title: string; readonly options: ClientOptions }> = [
  { title: 'its own fetch', options: {} },
  { title: 'a fetch of the caller', options: { fetch } },
]
for (const { title, options } of fetchOptions)
  test(`does not follow a redirect with ${title}`, async () => {
    const reply = { status: 302, headers: { location: 'http://other.example/' }, body: '' }
    const { client } = await startServiceAndClient(() => reply, options)
    const error = await catchError(client.ask('x', questions))
    assert.match(String(error), 'redirect to http://other.example/')
  })

test('calls the service with a fetch of the caller', async () => {
  const { client, requests } = await startServiceAndClient(() => answeredReply, { fetch })
  assert.is((await client.ask('x', questions)).model, 'svc-1.13.0')
  assert.is(requests[0]?.headers.authorization, 'Bearer demo-key')
})

/** Creates a client with a fetch of the caller whose response has this body. Calls time out after 50 ms. */
const createClientWithBody = (body: () => AsyncIterable<unknown>) =>
  createClient({
    apiKey: 'k',
    maxRetries: 0,
    timeout: 50,
    fetch: async () => ({ status: 200, headers: new Headers(), body: body() }),
  })

test('accepts strings as the body of a fetch of the caller', async () => {
  const text = JSON.stringify(createResponseBody(answers))
  const client = createClientWithBody(async function* () {
    yield text.slice(0, 5)
    yield text.slice(5)
  })
  assert.is((await client.ask('x', questions)).model, 'svc-1.13.0')
})

test('rejects a number in the body of a fetch of the caller', async () => {
  const client = createClientWithBody(async function* () {
    yield 5
  })
  const error = await catchError(client.ask('x', questions))
  assert.ok(error instanceof ConnectionError)
  assert.ok(error.cause instanceof TypeError)
})

/** A promise that never settles. */
const pendingForever = new Promise<never>(() => undefined)

const clientsOfSlowFetch = [
  {
    title: 'never responds',
    client: createClient({ apiKey: 'k', maxRetries: 0, timeout: 20, fetch: () => pendingForever }),
  },
  {
    title: 'never ends its body',
    client: createClientWithBody(async function* () {
      yield await pendingForever
    }),
  },
]
for (const { title, client } of clientsOfSlowFetch)
  test(`times out if a fetch of the caller ignores its signal and ${title}`, async () => {
    const error = await catchError(client.ask('x', questions))
    assert.ok(error instanceof ConnectionError)
    assert.is(error.code, 'ETIMEDOUT')
  })

test.run()
