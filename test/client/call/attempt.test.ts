import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeResult, type ServiceRequest } from '../../../lib/client/call/attempt'
import type { CallContext } from '../../../lib/client/call/call-context'
import { askCheckedRequest, fetchModels } from '../../../lib/client/call/client'
import { describeHeaders } from '../../../lib/client/call/encode-call'
import { send } from '../../../lib/client/call/send'
import { questionsDialect } from '../../../lib/client/dialects/questions'
import { encodeText } from '../../../lib/codec/json/draft'
import { decodeModelList, type Models } from '../../../lib/codec/response'
import { type Failure, interrupted } from '../../../lib/failure/failure'
import { messageOf } from '../../../lib/failure/report'
import {
  askRequest,
  createFakeClient,
  fakeAskResponse,
  type Reply,
  runPendingCallbacks,
} from './fake-client'

const test = suite('call/attempt')

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

/** Sends `modelsRequest` once, and decodes the response. */
const makeAttempt = async (context: CallContext) =>
  decodeResult(modelsRequest, await send(modelsRequest, context), context)

/** Returns the failure of an attempt. Throws if it succeeds. */
const expectFailure = async (pending: ReturnType<typeof makeAttempt>): Promise<Failure> => {
  const result = await pending
  if (E.isRight(result)) throw new Error('expected a failure')
  return result.left.failure
}

/** Returns the message of an attempt that must fail. */
const findFailureMessage = async (reply: Reply): Promise<string> =>
  messageOf(await expectFailure(makeAttempt(createFakeClient([reply]).client)))

test('decodes a 2xx response, and returns its status and request id', async () => {
  const headers = { 'X-Service-Request-Id': 'req_1' }
  const { client, sentRequests, clock } = createFakeClient([
    { status: 299, headers, body: modelsBody },
  ])

  const result = await makeAttempt(client)

  if (E.isLeft(result)) throw new Error(messageOf(result.left.failure))
  const { value, body, info } = result.right
  assert.is(encodeText(value.models), '[]')
  assert.is(value.requestId, 'req_1')
  assert.equal(body, Buffer.from(modelsBody))
  assert.equal(info, { status: 299, requestId: 'req_1' })
  assert.is(sentRequests[0]?.method, 'GET')
  assert.is(sentRequests[0]?.body, undefined)
  assert.is(sentRequests[0]?.cancellation.signal.aborted, false)
  assert.equal(clock.timers(), [])
})

test('sends the headers that --dry-run shows, and no others', async () => {
  const { client, sentRequests } = createFakeClient([fakeAskResponse, { body: modelsBody }])
  await askCheckedRequest(client, askRequest)
  await fetchModels(client)

  const shownForAsk = describeHeaders(client.destination, {
    userAgent: 'svc/1.2.3',
    hasBody: true,
  })
  const shownForModels = describeHeaders(client.destination, {
    userAgent: 'svc/1.2.3',
    hasBody: false,
  })
  assert.equal(Object.keys(sentRequests[0]?.headers ?? {}), Object.keys(shownForAsk))
  assert.equal(Object.keys(sentRequests[1]?.headers ?? {}), Object.keys(shownForModels))
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
    const { client, clock, sentRequests, cancel } = createFakeClient([reply])
    const pendingAttempt = makeAttempt(client)
    await runPendingCallbacks()

    cancel()

    assert.equal(await expectFailure(pendingAttempt), interrupted)
    assert.equal(clock.timers(), [], 'timers are stopped')
    assert.is(sentRequests[0]?.cancellation.signal.aborted, true, 'the connection is closed')
  }
})

test('a call that was cancelled before it starts sends nothing', async () => {
  const { client, sentRequests, cancel } = createFakeClient([{ body: modelsBody }])
  cancel()
  assert.equal(await expectFailure(makeAttempt(client)), interrupted)
  assert.is(sentRequests.length, 0)
})

test('the body of an error response is read for at most 10 s, whatever the timeout is', async () => {
  const minuteNs = 60_000_000_000n
  // A timeout of 0 is no limit.
  for (const timeout of [0n, minuteNs]) {
    const reply = { status: 503, body: '{"detail":"no', bodyEnd: 'stall' } as const
    const { client, clock } = createFakeClient([reply], { timeout })
    const pendingAttempt = makeAttempt(client)
    await runPendingCallbacks()

    clock.advance(10_000)

    assert.is(
      messageOf(await expectFailure(pendingAttempt)),
      'typesafe: GET /v1/models returned 503',
    )
    assert.equal(clock.timers(), [])
  }
})

test.run()
