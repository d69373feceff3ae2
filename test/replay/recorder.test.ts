import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedact } from '../../lib/failure/text/secret'
import type { RecordableExchange } from '../../lib/replay/recorded-files'
import { createRecorder } from '../../lib/replay/recorder'
import { createSystemError } from '../../lib/runtime/node/error-reason'
import { createMemoryFiles } from '../support/files'

const test = suite('replay: recorder')

/** An exchange about a state; its answer says `text`. */
const exchange = (state: string, text: string): RecordableExchange => ({
  method: 'POST',
  path: '/v1/questions',
  requestBody: Buffer.from(`{"state":"${state}","questions":{"is bug":{"type":"noul"}}}`),
  status: 200,
  headers: { 'x-request-id': 'req_1', 'set-cookie': 'secret', date: 'today' },
  responseBody: Buffer.from(`{"text":"${text}"}`),
})

const keepAll = (text: string): string => text

const first = 'tests/fixtures/recorded/001-is-bug'
const second = 'tests/fixtures/recorded/002-is-bug'

test('a request that comes again adds its answer to the scenario of the first', async () => {
  const { files, contents } = createMemoryFiles()
  const { record, settle } = createRecorder('tests', files, keepAll, assert.unreachable)
  record(exchange('a', 'one'))
  record(exchange('b', 'two'))
  record(exchange('a', 'three'))
  await settle()
  const written = contents()
  assert.is(written[`${first}/response.json`], '{"text":"one"}\n')
  assert.is(written[`${first}/response-2.json`], '{"text":"three"}\n')
  assert.is(written[`${second}/response.json`], '{"text":"two"}\n')
  const { version, title, exchanges } = JSON.parse(written[`${first}/scenario.json`] ?? '')
  assert.equal([version, title, exchanges.length], [1, 'recorded: is bug', 2])
})

test('only the headers that a client acts on are written', async () => {
  const { files, contents } = createMemoryFiles()
  const { record, settle } = createRecorder('tests', files, keepAll, assert.unreachable)
  record(exchange('a', 'one'))
  await settle()
  const { exchanges } = JSON.parse(contents()[`${first}/scenario.json`] ?? '')
  assert.equal(exchanges[0].response.headers, { 'x-request-id': 'req_1' })
})

test('a key in a path or a body is redacted, and all other bytes stay as they are', async () => {
  const { files, contents } = createMemoryFiles()
  const redact = createRedact(['sk-secret'])
  const { record, settle } = createRecorder('tests', files, redact, assert.unreachable)
  record({ ...exchange('I am Zoë: sk-secret', 'sk-secret'), path: '/v1/questions?key=sk-secret' })
  await settle()
  const written = JSON.stringify(contents())
  assert.not.match(written, 'sk-secret')
  assert.match(written, 'I am Zoë: [redacted]')
  assert.match(written, '/v1/questions?key=[redacted]')
})

test('a folder that has scenarios keeps them, and new ones are numbered after them', async () => {
  const { files, contents } = createMemoryFiles({ [`${first}/scenario.json`]: 'mine' })
  const { record, settle } = createRecorder('tests', files, keepAll, assert.unreachable)
  record(exchange('a', 'one'))
  await settle()
  assert.is(contents()[`${first}/scenario.json`], 'mine')
  assert.ok(contents()[`${second}/scenario.json`])
})

test('a scenario that another run records meanwhile is not overwritten, and the recording goes on', async () => {
  const { files, contents } = createMemoryFiles()
  const { record, settle } = createRecorder('tests', files, keepAll, assert.unreachable)
  record(exchange('a', 'one'))
  await settle()
  await files.create(`${second}/request.json`, 'of another run', 0o644)
  record(exchange('b', 'two'))
  await settle()
  const written = contents()
  assert.is(written[`${second}/request.json`], 'of another run')
  assert.is(written['tests/fixtures/recorded/003-is-bug/response.json'], '{"text":"two"}\n')
})

test('a full disk ends the recording once', async () => {
  const { files } = createMemoryFiles()
  const reasons: string[] = []
  const full = { ...files, create: () => Promise.reject(createSystemError('ENOSPC')) }
  const { record, settle } = createRecorder('tests', full, keepAll, (reason) =>
    reasons.push(reason),
  )
  record(exchange('a', 'one'))
  record(exchange('b', 'two'))
  await settle()
  assert.equal(reasons, ['no space left on device'])
})

test.run()
