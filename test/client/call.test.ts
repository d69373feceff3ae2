import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Miss } from '../../lib/client/attempt'
import { ask } from '../../lib/client/client'
import { type Failure, interrupted } from '../../lib/failure/failure'
import { createLogger, type LogLevel } from '../../lib/telemetry/log'
import { busy, fakeEnv, good, type Reply, request } from './support'

const test = suite('client/call')

const failed = (outcome: E.Either<Miss, unknown>): Failure => {
  if (E.isRight(outcome)) throw new Error('expected a failure')
  return outcome.left.failure
}

test('D3, D47, spec Resources: what is sent', async () => {
  const { env, sent } = fakeEnv([good])
  const outcome = await ask(request)(env)()
  assert.is(E.isRight(outcome), true)
  const [only] = sent
  assert.is(only?.url, 'http://service.test/api/v1/questions')
  assert.is(only?.method, 'POST')
  assert.equal(only?.headers, {
    Authorization: 'Bearer sk-secret',
    Accept: 'application/json',
    'Accept-Encoding': 'gzip, deflate, br',
    'User-Agent': 'svc/1.2.3',
    'Content-Type': 'application/json',
  })
  assert.is(
    String(only?.body),
    '{"model":"svc-latest","state":"sk-state","questions":{"a":{"type":"noul","instructions":"Really?"},"b":{"type":"choice","criteria":{"x":null}}}}',
  )
})

test('D46: the service says when; zero means at once', async () => {
  const { env, sent, waits } = fakeEnv(
    [busy({ 'Retry-After': '0' }), busy({ 'retry-after-ms': '70' }), busy({ 'Retry-After': '2' })],
    { maxRetries: 2 },
  )
  await ask(request)(env)()
  assert.is(sent.length, 3)
  assert.equal(waits, [70])
})

test('D9: a wait past the budget is not begun', async () => {
  const { env, waits } = fakeEnv([busy({ 'Retry-After': '31' }), good])
  const outcome = await ask(request)(env)()
  assert.is(E.isLeft(outcome) && outcome.left.retryAfterMs, 31_000, 'the caller learns of it')
  assert.equal(waits, [])
  const twice = fakeEnv([busy({ 'Retry-After': '20' }), busy({ 'Retry-After': '20' }), good])
  assert.is(E.isLeft(await ask(request)(twice.env)()), true)
  assert.equal(twice.waits, [20_000])
})

test('D9: a cancellation during a wait ends the call', async () => {
  const { env, sent, cancel } = fakeEnv([busy(), good])
  const sleep = async () => cancel()
  const runtime = { ...env.runtime, clock: { ...env.runtime.clock, sleep } }
  assert.equal(failed(await ask(request)({ ...env, runtime })()), interrupted)
  assert.is(sent.length, 1)
})

const logged = async (level: LogLevel, replies: ReadonlyArray<Reply>) => {
  const { env } = fakeEnv(replies)
  const lines: Array<string> = []
  const log = createLogger(level, env.runtime.clock, (line) => lines.push(line))
  await ask(request)({ ...env, log })()
  return lines.map((line) => line.replace(/^time=\S+ /, '').trimEnd())
}

test('D22: the lines of each level', async () => {
  const slow = busy({ 'x-service-request-id': 'req_1' })
  const url = 'url=http://service.test/api/v1/questions'
  const retrying =
    'level=warning msg=retrying attempt=1 wait=500ms error="typesafe: POST /v1/questions returned 503 (request id req_1)"'
  const done =
    'level=info msg=done operation="POST /v1/questions" attempts=2 status=200 duration=500ms request_id=req_ok'
  assert.equal(await logged('debug', [slow, good]), [
    `level=debug msg=attempt method=POST ${url} attempt=1 status=503 duration=0ms error=server wait=500ms request_id=req_1`,
    retrying,
    `level=debug msg=attempt method=POST ${url} attempt=2 status=200 duration=0ms request_id=req_ok`,
    done,
  ])
  assert.equal(await logged('info', [slow, good]), [retrying, done])
  assert.equal(await logged('warning', [slow, good]), [retrying])
  assert.equal(await logged('error', [slow, good]), [])
  assert.equal(await logged('error', [{ status: 400, body: 'sk-state and sk-secret' }]), [
    'level=error msg=failed operation="POST /v1/questions" attempts=1 status=400 duration=0ms kind=request error="typesafe: POST /v1/questions returned 400"',
  ])
  assert.equal(await logged('off', [slow, good]), [])
})

test.run()
