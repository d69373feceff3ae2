import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { busy, fakeEnv, networkError, type Reply } from '../client/call/support'
import { runMain } from './run-main'

const test = suite('main: logs')

const request = '{"state":"the state","questions":{"the id":{"type":"noul","instructions":"Why?"}}}'
const answered: Reply = {
  headers: { 'x-service-request-id': 'req 2' },
  body: '{"model":"m","answers":{"the id":{"type":"noul","noul":0.5}}}',
}
const refused: Reply = { status: 422, body: '{"detail":"sk-secret: the state"}' }

/** Runs `svc ask` at a log level, and returns stderr. The clock starts at midnight and moves only in waits. */
const runAtLevel = async (level: string, replies: ReadonlyArray<Reply>, more: string[] = []) => {
  const { env } = fakeEnv(replies)
  const { stderr } = await runMain({
    argv: ['ask', '--log-level', level, ...more],
    env: { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: 'http://service.localhost/api' },
    stdin: request,
    ...env.runtime,
  })
  for (const text of ['sk-secret', 'the state', 'the id', 'Why?'])
    assert.is(stderr.replace(/^svc: .*/m, '').includes(text), false, text)
  return stderr
}

const attempt =
  'level=debug msg=attempt method=POST url=http://service.localhost/api/v1/questions attempt='
const replies = [busy({ 'x-service-request-id': 'req_1' }), networkError('ECONNRESET'), answered]
const warnings = `time=2026-01-01T00:00:00.000Z level=warning msg=retrying attempt=1 wait=500ms error="typesafe: POST /v1/questions returned 503 (request id req_1)"
time=2026-01-01T00:00:00.500Z level=warning msg=retrying attempt=2 wait=1000ms error="typesafe: connection error: connection reset (service.localhost)"
`
const done = `time=2026-01-01T00:00:01.500Z level=info msg=done operation="POST /v1/questions" attempts=3 status=200 duration=1500ms request_id="req 2"
`

test('each level logs its part of a call that succeeds at the third attempt', async () => {
  const [first = '', second = ''] = warnings.match(/.*\n/g) ?? []
  assert.is(
    await runAtLevel('debug', replies),
    `time=2026-01-01T00:00:00.000Z ${attempt}1 status=503 duration=0ms error=server wait=500ms request_id=req_1
${first}time=2026-01-01T00:00:00.500Z ${attempt}2 duration=0ms error=connection wait=1000ms
${second}time=2026-01-01T00:00:01.500Z ${attempt}3 status=200 duration=0ms request_id="req 2"
${done}`,
  )
  assert.is(await runAtLevel('info', replies), warnings + done)
  assert.is(await runAtLevel('warning', replies), warnings)
  assert.is(await runAtLevel('error', replies), '')
  assert.is(await runAtLevel('off', replies), '')
})

test('a key in an address is redacted in the log', async () => {
  const text = await runAtLevel(
    'debug',
    [answered],
    ['--base-url', 'http://service.localhost/sk-secret'],
  )
  assert.match(text, / url=http:\/\/service\.localhost\/\[redacted\]\/v1\/questions /)
})

test('each level logs its part of a call that fails', async () => {
  const message = 'svc: typesafe: POST /v1/questions returned 422: [redacted]: the state\n'
  const failed =
    'time=2026-01-01T00:00:00.000Z level=error msg=failed operation="POST /v1/questions" attempts=1 status=422 duration=0ms kind=request error="typesafe: POST /v1/questions returned 422"\n'
  const tried = `time=2026-01-01T00:00:00.000Z ${attempt}1 status=422 duration=0ms error=request\n`
  assert.is(await runAtLevel('debug', [refused]), tried + failed + message)
  for (const level of ['info', 'warning', 'error'])
    assert.is(await runAtLevel(level, [refused]), failed + message)
  assert.is(await runAtLevel('off', [refused]), message)
})

test('a key that is sent without encryption is a warning', async () => {
  const warned = ' level=warning msg="the API key is sent without encryption" host=service.test\n'
  const to = (address: string) => runAtLevel('warning', [answered], ['--base-url', address])
  assert.match(await to('http://service.test'), warned)
  for (const address of ['https://service.test', 'http://127.0.0.1:1', 'http://[::1]'])
    assert.is(await to(address), '', address)
})

test('a key in a request id is redacted in the log', async () => {
  const headers = { 'x-service-request-id': 'sk-secret' }
  const stderr = await runAtLevel('debug', [{ status: 400, headers, body: 'no' }])
  assert.match(stderr, 'request_id=[redacted]')
})

test.run()
