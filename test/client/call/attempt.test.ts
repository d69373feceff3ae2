import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeResult, type ServiceRequest } from '../../../lib/client/call/attempt'
import type { CallContext } from '../../../lib/client/call/call-context'
import { askCheckedRequest, fetchModels } from '../../../lib/client/call/client'
import { describeHeaders } from '../../../lib/client/call/headers'
import { send } from '../../../lib/client/call/send'
import { questionsDialect } from '../../../lib/client/dialects/questions'
import { encodeText } from '../../../lib/codec/json/draft'
import { decodeModelList, type Models } from '../../../lib/codec/models'
import { type Failure, interrupted } from '../../../lib/failure/failure'
import { messageOf } from '../../../lib/failure/format-failure'
import {
  askRequest,
  createFakeClient,
  fakeAskResponse,
  type Reply,
  runPendingCallbacks,
} from './fake-client'

const test = suite('client/attempt')

const modelsRequest: ServiceRequest<Models> = {
  method: 'GET',
  path: '/v1/models',
  url: 'http://service.test/api/v1/models',
  headers: { Authorization: 'Bearer sk-secret' },
  requestIdHeader: 'x-service-request-id',
  decode: decodeModelList,
  decodeFailure: questionsDialect.decodeFailure,
}
const modelsBody = '{"models":[]}'

const attempt = async (context: CallContext) =>
  decodeResult(modelsRequest, await send(modelsRequest, context), context)

/** Returns the failure of an attempt. Throws if it succeeds. */
const expectFailure = async (running: ReturnType<typeof attempt>): Promise<Failure> => {
  const result = await running
  if (E.isRight(result)) throw new Error('expected a failure')
  return result.left.failure
}

const findFailureMessage = async (reply: Reply): Promise<string> =>
  messageOf(await expectFailure(attempt(createFakeClient([reply]).client)))

test('decodes a 2xx response, and returns its status and request id', async () => {
  const headers = { 'X-Service-Request-Id': 'req_1' }
  const { client, sent, clock } = createFakeClient([{ status: 299, headers, body: modelsBody }])

  const result = await attempt(client)

  if (E.isLeft(result)) throw new Error(messageOf(result.left.failure))
  const { value, body, info } = result.right
  assert.is(encodeText(value.models), '[]')
  assert.is(value.requestId, 'req_1')
  assert.equal(body, Buffer.from(modelsBody))
  assert.equal(info, { status: 299, requestId: 'req_1' })
  assert.is(sent[0]?.method, 'GET')
  assert.is(sent[0]?.body, undefined)
  assert.is(sent[0]?.cancellation.signal.aborted, false)
  assert.equal(clock.timers(), [])
})

test('sends the headers that --dry-run shows, and no others', async () => {
  const { client, sent } = createFakeClient([fakeAskResponse, { body: modelsBody }])
  await askCheckedRequest(askRequest, undefined)(client)()
  await fetchModels(client)()

  const shownForAsk = describeHeaders(client.destination, 'svc/1.2.3', true)
  const shownForModels = describeHeaders(client.destination, 'svc/1.2.3', false)
  assert.equal(Object.keys(sent[0]?.headers ?? {}), Object.keys(shownForAsk))
  assert.equal(Object.keys(sent[1]?.headers ?? {}), Object.keys(shownForModels))
})

test('the message of a redirect names its target, without credentials or key', async () => {
  const cases: ReadonlyArray<readonly [location: string, shown: string]> = [
    ['https://other.test/x', 'https://other.test/x'],
    ['/login', 'http://service.test/login'],
    ['https://u:p@other.test/', 'https://[redacted]@other.test/'],
    ['http://u:p@[', 'http://[redacted]@['],
    ['/?k=sk-secret', 'http://service.test/?k=[redacted]'],
  ]
  for (const [location, shown] of cases)
    assert.is(
      await findFailureMessage({ status: 302, headers: { location } }),
      `typesafe: GET /v1/models returned 302: redirect to ${shown} is not followed`,
    )
  assert.is(
    await findFailureMessage({ status: 304, body: 'x' }),
    'typesafe: GET /v1/models returned 304: x',
  )
})

test('a cancelled call is interrupted before and after its headers, and its connection is closed', async () => {
  const replies: ReadonlyArray<Reply> = [
    'stall',
    { bodyEnd: 'stall' },
    { status: 503, bodyEnd: 'stall' },
  ]
  for (const reply of replies) {
    const { client, clock, sent, cancel } = createFakeClient([reply])
    const running = attempt(client)
    await runPendingCallbacks()

    cancel()

    assert.equal(await expectFailure(running), interrupted)
    assert.equal(clock.timers(), [], 'timers are stopped')
    assert.is(sent[0]?.cancellation.signal.aborted, true, 'the connection is closed')
  }
})

test('a call that was cancelled before it starts sends nothing', async () => {
  const { client, sent, cancel } = createFakeClient([{ body: modelsBody }])
  cancel()
  assert.equal(await expectFailure(attempt(client)), interrupted)
  assert.is(sent.length, 0)
})

test('the body of an error response is read for at most 10 s, whatever the timeout is', async () => {
  for (const timeout of [0n, 60_000_000_000n]) {
    const reply = { status: 503, body: '{"detail":"no', bodyEnd: 'stall' } as const
    const { client, clock } = createFakeClient([reply], { timeout })
    const running = attempt(client)
    await runPendingCallbacks()

    clock.advance(10_000)

    assert.is(messageOf(await expectFailure(running)), 'typesafe: GET /v1/models returned 503')
    assert.equal(clock.timers(), [])
  }
})

test.run()
