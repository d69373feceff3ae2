import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createBusyResponse,
  createFakeClient,
  createNetworkError,
  type Reply,
} from '../client/call/fake-client'
import { runMain } from './run-main'

const test = suite('main: logs')

const request = '{"state":"the state","questions":{"the id":{"type":"noul","instructions":"Why?"}}}'
const answeredReply: Reply = {
  headers: { 'x-service-request-id': 'req 2' },
  body: '{"model":"m","answers":{"the id":{"type":"noul","noul":0.5}}}',
}
const invalidRequestReply: Reply = { status: 422, body: '{"detail":"sk-secret: the state"}' }

/** Runs `svc ask` and returns its stderr. The clock starts at midnight and moves only during waits. */
const runAsk = async (
  logLevel: string,
  replies: ReadonlyArray<Reply>,
  flags: ReadonlyArray<string> = [],
): Promise<string> => {
  const { client } = createFakeClient(replies)
  const { stderr } = await runMain({
    argv: ['ask', '--log-level', logLevel, ...flags],
    env: { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: 'http://service.localhost/api' },
    stdin: request,
    ...client.runtime,
  })
  return stderr
}

/** Checks that log lines have neither the API key nor a text of the request. */
const assertNoSecrets = (logLines: string): void => {
  for (const secret of ['sk-secret', 'the state', 'the id', 'Why?'])
    assert.not.match(logLines, secret)
}

const runAskAtEachLevel = async (replies: ReadonlyArray<Reply>) => ({
  debug: await runAsk('debug', replies),
  info: await runAsk('info', replies),
  warning: await runAsk('warning', replies),
  error: await runAsk('error', replies),
  off: await runAsk('off', replies),
})

const joinLines = (...lines: ReadonlyArray<string>): string =>
  lines.map((line) => `${line}\n`).join('')

// The times when the three attempts of a call start, because the waits are 500 ms and 1 s
const startTime = 'time=2026-01-01T00:00:00.000Z'
const secondAttemptTime = 'time=2026-01-01T00:00:00.500Z'
const thirdAttemptTime = 'time=2026-01-01T00:00:01.500Z'

/** The start of each debug line, after its time. */
const attemptLine =
  'level=debug msg=attempt method=POST url=http://service.localhost/api/v1/questions'

test('a call that succeeds at the third attempt logs attempts, retries and the end', async () => {
  const attempt1 =
    `${startTime} ${attemptLine} attempt=1 status=503 duration=0ms error=server ` +
    `wait=500ms request_id=req_1`
  const retry1 =
    `${startTime} level=warning msg=retrying attempt=1 wait=500ms ` +
    `error="typesafe: POST /v1/questions returned 503 (request id req_1)"`
  const attempt2 = `${secondAttemptTime} ${attemptLine} attempt=2 duration=0ms error=connection wait=1000ms`
  const retry2 =
    `${secondAttemptTime} level=warning msg=retrying attempt=2 wait=1000ms ` +
    `error="typesafe: connection error: connection reset (service.localhost)"`
  const attempt3 = `${thirdAttemptTime} ${attemptLine} attempt=3 status=200 duration=0ms request_id="req 2"`
  const done =
    `${thirdAttemptTime} level=info msg=done operation="POST /v1/questions" attempts=3 ` +
    `status=200 duration=1500ms request_id="req 2"`

  const logs = await runAskAtEachLevel([
    createBusyResponse({ 'x-service-request-id': 'req_1' }),
    createNetworkError('ECONNRESET'),
    answeredReply,
  ])

  assert.equal(logs, {
    debug: joinLines(attempt1, retry1, attempt2, retry2, attempt3, done),
    info: joinLines(retry1, retry2, done),
    warning: joinLines(retry1, retry2),
    error: '',
    off: '',
  })
  assertNoSecrets(logs.debug)
})

test('a call that fails logs the attempt and the failure, without the text of the service', async () => {
  const attempt = `${startTime} ${attemptLine} attempt=1 status=422 duration=0ms error=request`
  const failed =
    `${startTime} level=error msg=failed operation="POST /v1/questions" attempts=1 status=422 duration=0ms kind=request ` +
    `error="typesafe: POST /v1/questions returned 422"`
  // The message for the user has the text of the service, which may repeat the request.
  const message = 'svc: typesafe: POST /v1/questions returned 422: [redacted]: the state'

  assert.equal(await runAskAtEachLevel([invalidRequestReply]), {
    debug: joinLines(attempt, failed, message),
    info: joinLines(failed, message),
    warning: joinLines(failed, message),
    error: joinLines(failed, message),
    off: joinLines(message),
  })
  assertNoSecrets(joinLines(attempt, failed))
})

test('redacts a key in an address', async () => {
  const flags = ['--base-url', 'http://service.localhost/sk-secret']
  const stderr = await runAsk('debug', [answeredReply], flags)
  assert.match(stderr, ' url=http://service.localhost/[redacted]/v1/questions ')
  assertNoSecrets(stderr)
})

test('redacts a key in a request id', async () => {
  const headers = { 'x-service-request-id': 'sk-secret' }
  const stderr = await runAsk('debug', [{ status: 400, headers, body: 'no' }])
  assert.match(stderr, 'request_id=[redacted]')
  assertNoSecrets(stderr)
})

test('warns of a key that is sent without encryption to another machine', async () => {
  const stderr = await runAsk('warning', [answeredReply], ['--base-url', 'http://service.test'])
  assert.match(
    stderr,
    ' level=warning msg="the API key is sent without encryption" host=service.test\n',
  )
  for (const address of ['https://service.test', 'http://127.0.0.1:1', 'http://[::1]'])
    assert.is(await runAsk('warning', [answeredReply], ['--base-url', address]), '', address)
})

test.run()
