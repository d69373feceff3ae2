import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeClock } from '../../lib/runtime/node/clock'
import { nodeFiles } from '../../lib/runtime/node/files'
import { noSpan } from '../../lib/runtime/tracer'
import { parseOperationPath } from '../../lib/service/contract/operation-path'
import { servedDialects } from '../../lib/service/dialects/served-dialects'
import { openReplayEngine } from '../../lib/service/engines/replay/engine'
import { fixturesFolder, readProjectScenarios } from '../golden/project-scenarios'
import { closeAfterEach } from '../support/servers'
import { post, type RunningService, readJson } from './run-service'
import { createExchange, startReplay, ticketRequest } from './start-replay'

/**
 * `svc serve --engine replay` answers with recorded responses. A scenario is a folder whose `scenario.json` lists exchanges: requests
 * with their responses. At the routes of the service, svc looks for the request in all scenarios.
 */
const test = suite('service: replay at the routes of the service')
closeAfterEach(test)

/** A scenario whose response has an unusual status and headers. */
const unusualScenario = {
  title: 'one',
  argv: [],
  exchanges: [
    {
      request: { method: 'POST', path: '/api/v1/questions', bodyFile: 'request.json' },
      response: {
        status: 418,
        headers: { 'x-service-request-id': 'req_recorded', 'Retry-After': '2', connection: 'x' },
        bodyFile: 'response.json',
      },
    },
  ],
}

/** Starts a service that replays this scenario. The recorded request has whitespace between its JSON tokens. */
const startUnusual = (): Promise<RunningService> =>
  startReplay({
    scenarios: { 'ask/one': unusualScenario },
    files: {
      'ask/one/request.json': '{ "state": 1.0,\n "questions": {} }\n',
      'ask/one/response.json': '{ "model": "m" }\n',
    },
  })

test('answers with the recorded status, headers and body', async () => {
  const service = await startUnusual()
  const response = await post(service.url, '{"state":1.0,"questions":{}}')
  assert.is(response.status, 418)
  assert.is(response.headers.get('x-service-request-id'), 'req_recorded')
  assert.is(response.headers.get('retry-after'), '2')
  assert.is(response.headers.get('content-type'), 'application/json')
  assert.is(await response.text(), '{ "model": "m" }')
})

test('ignores whitespace between JSON tokens, but not the spelling of a number', async () => {
  const service = await startUnusual()
  assert.is((await post(service.url, '{"state":1.0,  "questions":{}}')).status, 418)
  assert.is((await post(service.url, '{"state":1,"questions":{}}')).status, 404)
})

for (const header of ['x-request-id', 'x-typesafe-request-id', 'x-service-request-id'])
  test(`keeps the recorded request id in ${header}`, async () => {
    const exchange = createExchange(ticketRequest, { headers: { [header]: 'id-1' }, body: {} })
    const service = await startReplay({ scenarios: { one: { exchanges: [exchange] } } })
    const response = await post(service.url, ticketRequest)
    assert.is(response.headers.get(header), 'id-1')
  })

/** Starts a service that replays `near`, a scenario with the request `ticketRequest`, and `far`, one with another request. */
const startTwoScenarios = (isStrict = false): Promise<RunningService> =>
  startReplay({
    isStrict,
    scenarios: {
      far: { exchanges: [createExchange({ state: 'else' }, { body: {} })] },
      near: { exchanges: [createExchange(ticketRequest, { body: {} })] },
    },
  })

test('answers 404 with the most similar recorded request and the members that differ', async () => {
  const service = await startTwoScenarios()
  const questions = { ...ticketRequest.questions, c: {} }
  const response = await post(service.url, { ...ticketRequest, state: 'another ticket', questions })
  assert.is(response.status, 404)
  assert.equal((await readJson(response)).detail, {
    error_type: 'not_recorded',
    message:
      'No recorded request is the same. Nearest is near, which differs in state and questions.c.',
  })
})

for (const isStrict of [false, true])
  test(`answers 404 without values if only the order of the members differs (strict: ${isStrict})`, async () => {
    const service = await startTwoScenarios(isStrict)
    const { model, ...otherMembers } = ticketRequest
    const { detail } = await readJson(await post(service.url, { ...otherMembers, model }))
    assert.match(detail.message, /Nearest is near, which differs in the order of its members\.$/)
  })

test('answers 404 without a comparison if the request is large or not JSON', async () => {
  const service = await startTwoScenarios()
  const largeResponse = await post(service.url, { ...ticketRequest, state: 'x'.repeat(1 << 16) })
  assert.is((await readJson(largeResponse)).detail.message, 'No recorded request is the same.')
  assert.is((await post(service.url, '{"state"')).status, 404)
})

test('answers 404 if no model list is recorded', async () => {
  const service = await startTwoScenarios()
  const headers = { authorization: 'Bearer k' }
  const { detail } = await readJson(await fetch(`${service.url}/v1/models`, { headers }))
  assert.match(detail.message, /No request of this kind/)
})

/** Creates a scenario of several exchanges with the same request. Their responses have these statuses. */
const createScenario = (...statuses: ReadonlyArray<number>) => ({
  exchanges: statuses.map((status) => createExchange(ticketRequest, { status, body: { status } })),
})

test('prefers a scenario with only 2xx responses to failures and broken connections', async () => {
  const brokenConnection = createExchange(ticketRequest, { status: 200, body: {}, fault: 'reset' })
  const service = await startReplay({
    scenarios: {
      'a-fails': createScenario(500),
      'b-breaks': { exchanges: [brokenConnection] },
      'c-works': createScenario(201),
    },
  })
  assert.is((await post(service.url, ticketRequest)).status, 201)
})

test('plays the responses of a scenario in order, then again from the first', async () => {
  const service = await startReplay({ scenarios: { retried: createScenario(429, 503, 200) } })
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await post(service.url, ticketRequest)).status)
  assert.equal(statuses, [429, 503, 200, 429])
})

/** Starts a service that replays a scenario of a command and a scenario without a command, both with the request `ticketRequest`. */
const startWithCommand = (): Promise<RunningService> =>
  startReplay({
    scenarios: {
      'with-command': { command: 'svc ask', ...createScenario(200) },
      'without-command': createScenario(429, 201),
    },
    isStrict: true,
  })

test('prefers a scenario without a command to one with a command', async () => {
  const service = await startWithCommand()
  assert.is((await post(service.url, ticketRequest)).status, 429)
  assert.is((await post(service.url, ticketRequest)).status, 201)
})

test('does not list the exchanges of a command as unused', async () => {
  const service = await startWithCommand()
  await post(service.url, ticketRequest)
  await post(service.url, ticketRequest)
  const unused = await fetch(`${service.url}/__svc/unused`)
  assert.equal(await unused.json(), { unused: [] })
})

test('answers 400 to a document of another route, and names the route', async () => {
  const service = await startReplay({ scenarios: { one: createScenario(200) } })
  const response = await post(service.url, ticketRequest, { path: '/v1/decisions' })
  assert.is(response.status, 400)
  assert.match(await response.text(), 'A document of this form belongs to POST /v1/questions')
})

test('answers /v1/systemone with a recording of /v1/questions', async () => {
  const service = await startReplay({ scenarios: { one: createScenario(200) } })
  assert.is((await post(service.url, ticketRequest, { path: '/v1/systemone' })).status, 200)
})

test('answers the request of each scenario of this project that has a single complete exchange', async () => {
  const engine = await openReplayEngine(fixturesFolder, nodeFiles, nodeClock)()
  if (E.isLeft(engine)) throw new Error(JSON.stringify(engine.left))
  // `compute` runs a computation at once, not in a queue.
  const context = { signal: new AbortController().signal, span: noSpan, compute: TE.fromIO }
  let answeredCount = 0
  for (const { name, folder, scenario } of readProjectScenarios()) {
    const [exchange, secondExchange] = scenario.exchanges ?? []
    if (exchange?.request.bodyFile === undefined || secondExchange !== undefined) continue
    const { raw, fault, encoding } = exchange.response
    if (raw !== undefined || fault !== undefined || encoding !== undefined) continue
    const route = parseOperationPath(exchange.request.path)?.route
    const dialect = servedDialects.find(({ askPath }) => askPath === route)
    if (dialect === undefined) continue
    const body = readFileSync(join(folder, exchange.request.bodyFile))
    const response = await engine.right.pass(
      { operation: 'ask', dialect, body, search: '' },
      context,
    )()
    assert.ok(E.isRight(response) && response.right.body.length > 0, name)
    answeredCount += 1
  }
  // A mistake in the conditions above would skip most scenarios.
  assert.ok(answeredCount > 100)
})

test.run()
