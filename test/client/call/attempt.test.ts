import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeResult, type ServiceRequest } from '../../../lib/client/call/attempt'
import type { CallContext } from '../../../lib/client/call/call-context'
import { askChecked, fetchModels } from '../../../lib/client/call/client'
import { describeHeaders } from '../../../lib/client/call/headers'
import { send } from '../../../lib/client/call/send'
import { questionsDialect } from '../../../lib/client/dialects/questions'
import { encodeText } from '../../../lib/codec/json/draft'
import { decodeModelList, type Models } from '../../../lib/codec/models'
import { type Failure, interrupted } from '../../../lib/failure/failure'
import { messageOf } from '../../../lib/failure/message'
import { good as answer, type FakeResponse, fakeEnv, type Reply, request, settle } from './support'

const test = suite('client/attempt')

const exchange: ServiceRequest<Models> = {
  method: 'GET',
  path: '/v1/models',
  url: 'http://service.test/api/v1/models',
  headers: { Authorization: 'Bearer sk-secret' },
  requestIdHeader: 'x-service-request-id',
  decode: decodeModelList,
  decodeFailure: questionsDialect.decodeFailure,
}
const good = '{"models":[]}'

const attempt = async (env: CallContext) => decodeResult(exchange, await send(exchange, env), env)

const tried = async (reply: Reply) => {
  const { env } = fakeEnv([reply])
  const outcome = await attempt(env)
  if (E.isRight(outcome)) throw new Error('expected a failure')
  return outcome.left
}
const text = async (reply: Reply): Promise<string> => messageOf((await tried(reply)).failure)

test('a 2xx answer is decoded, with its facts', async () => {
  const headers = { 'X-Service-Request-Id': 'req_1' }
  const { env, sent, clock } = fakeEnv([{ status: 299, headers, body: good }])
  const outcome = await attempt(env)
  assert.equal(
    pipe(
      outcome,
      E.map((one) => ({ ...one, value: { ...one.value, models: encodeText(one.value.models) } })),
    ),
    E.right({
      value: { models: '[]', requestId: 'req_1' },
      body: Buffer.from(good),
      info: { status: 299, requestId: 'req_1' },
    }),
  )
  assert.is(sent[0]?.method, 'GET')
  assert.is(sent[0]?.body, undefined)
  assert.is(sent[0]?.cancellation.signal.aborted, false)
  assert.equal(clock.timers(), [])
})

test('what is sent has the headers that --dry-run shows, and no others', async () => {
  const { env, sent } = fakeEnv([answer, { body: good }])
  await askChecked(request, undefined)(env)()
  await fetchModels(env)()
  const shown = [true, false].map((hasBody) =>
    describeHeaders(env.destination, 'svc/1.2.3', hasBody),
  )
  assert.equal(
    sent.map(({ headers }) => Object.keys(headers)),
    shown.map((headers) => Object.keys(headers)),
  )
})

test('a redirect names its target, without credentials or key', async () => {
  const to = (location: string): FakeResponse => ({ status: 302, headers: { location } })
  const says = (target: string) =>
    `typesafe: GET /v1/models returned 302: redirect to ${target} is not followed`
  assert.is(await text(to('https://other.test/x')), says('https://other.test/x'))
  assert.is(await text(to('/login')), says('http://service.test/login'))
  assert.is(await text(to('https://u:p@other.test/')), says('https://[redacted]@other.test/'))
  assert.is(await text(to('http://u:p@[')), says('http://[redacted]@['))
  assert.is(await text(to('/?k=sk-secret')), says('http://service.test/?k=[redacted]'))
  assert.is(await text({ status: 304, body: 'x' }), 'typesafe: GET /v1/models returned 304: x')
})

const failureWhen = async (reply: Reply, act: 'timeOut' | 'cancel'): Promise<Failure> => {
  const fake = fakeEnv([reply])
  const running = attempt(fake.env)
  await settle()
  assert.equal([...new Set(fake.clock.timers())], [10_000])
  fake[act]()
  const outcome = await running
  assert.equal(fake.clock.timers(), [], 'the timer is stopped')
  assert.is(fake.sent[0]?.cancellation.signal.aborted, true, 'the connection is closed')
  if (E.isRight(outcome)) throw new Error('expected a failure')
  return outcome.left.failure
}

test('a cancelled call is interrupted, wherever it is', async () => {
  assert.equal(await failureWhen('stall', 'cancel'), interrupted)
  assert.equal(await failureWhen({ after: 'stall' }, 'cancel'), interrupted)
  assert.equal(await failureWhen({ status: 503, after: 'stall' }, 'cancel'), interrupted)
  const { env, sent, cancel } = fakeEnv([{ body: good }])
  cancel()
  const outcome = await attempt(env)
  assert.equal(outcome, E.left({ failure: interrupted, info: {} }))
  assert.is(sent.length, 0)
})

test('the body of a refusal is read for 10 s, whatever the timeout', async () => {
  for (const timeout of [0n, 60_000_000_000n]) {
    const reply = { status: 503, body: '{"detail":"no', after: 'stall' } as const
    const { env, clock } = fakeEnv([reply], { timeout })
    const running = attempt(env)
    await settle()
    clock.pass(10_000)
    const outcome = await running
    if (E.isRight(outcome)) throw new Error('expected a failure')
    assert.is(messageOf(outcome.left.failure), 'typesafe: GET /v1/models returned 503')
    assert.equal(clock.timers(), [])
  }
})

test.run()
