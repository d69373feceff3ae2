import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ObservedExchange } from '../../lib/replay/recorded-files'
import { createRecorder, type RecorderFiles } from '../../lib/replay/recorder'
import { createSystemError } from '../../lib/runtime/node/error-reason'
import { createRedact } from '../../lib/text/secret'
import { createMemoryFiles } from '../support/files'

const test = suite('replay: recorder')

/** Creates an exchange about a state, with `text` in the body of its response. The id of its question, `is bug`, names the scenario. */
const createExchange = (state: string, text: string): ObservedExchange => ({
  method: 'POST',
  path: '/v1/questions',
  requestBody: Buffer.from(`{"state":"${state}","questions":{"is bug":{"type":"noul"}}}`),
  status: 200,
  headers: { 'x-request-id': 'req_1', 'set-cookie': 'secret', date: 'today' },
  responseBody: Buffer.from(`{"text":"${text}"}`),
})

/** Starts a recording into the folder `tests`. By default nothing is redacted, and the recording must not end early. */
const startRecorder = (
  files: RecorderFiles,
  {
    redact = (text: string): string => text,
    onEnd = (reason: string): void => assert.unreachable(reason),
  } = {},
) => createRecorder({ folder: 'tests', files, redact, onEnd })

const firstFolder = 'tests/fixtures/recorded/001-is-bug'
const secondFolder = 'tests/fixtures/recorded/002-is-bug'

test('a repeated request adds its response to the scenario of the first request', async () => {
  const { files, contents } = createMemoryFiles()
  const { record, settle } = startRecorder(files)
  record(createExchange('a', 'one'))
  record(createExchange('b', 'two'))
  record(createExchange('a', 'three'))
  await settle()
  const written = contents()
  assert.is(written[`${firstFolder}/response.json`], '{"text":"one"}\n')
  assert.is(written[`${firstFolder}/response-2.json`], '{"text":"three"}\n')
  assert.is(written[`${secondFolder}/response.json`], '{"text":"two"}\n')
  const { version, title, exchanges } = JSON.parse(written[`${firstFolder}/scenario.json`] ?? '')
  assert.equal([version, title, exchanges.length], [1, 'recorded: is bug', 2])
})

test('records the request id, and no cookie or date', async () => {
  const { files, contents } = createMemoryFiles()
  const { record, settle } = startRecorder(files)
  record(createExchange('a', 'one'))
  await settle()
  const { exchanges } = JSON.parse(contents()[`${firstFolder}/scenario.json`] ?? '')
  assert.equal(exchanges[0].response.headers, { 'x-request-id': 'req_1' })
})

test('redacts a key in the path and in the bodies, and leaves all other bytes unchanged', async () => {
  const { files, contents } = createMemoryFiles()
  const { record, settle } = startRecorder(files, { redact: createRedact(['sk-secret']) })
  record({
    ...createExchange('I am Zoë: sk-secret', 'sk-secret'),
    path: '/v1/questions?key=sk-secret',
  })
  await settle()
  const written = JSON.stringify(contents())
  assert.not.match(written, 'sk-secret')
  assert.match(written, 'I am Zoë: [redacted]')
  assert.match(written, '/v1/questions?key=[redacted]')
})

test('numbers new scenarios after those in the folder, and does not overwrite these', async () => {
  const { files, contents } = createMemoryFiles({
    [`${firstFolder}/scenario.json`]: 'recorded before',
  })
  const { record, settle } = startRecorder(files)
  record(createExchange('a', 'one'))
  await settle()
  assert.is(contents()[`${firstFolder}/scenario.json`], 'recorded before')
  assert.ok(contents()[`${secondFolder}/scenario.json`])
})

test('a scenario that another run records meanwhile is not overwritten, and the recording goes on', async () => {
  const { files, contents } = createMemoryFiles()
  const { record, settle } = startRecorder(files)
  record(createExchange('a', 'one'))
  await settle()
  // Another run takes the number 2, and writes its first file.
  await files.create(`${secondFolder}/request.json`, 'of another run', 0o644)
  record(createExchange('b', 'two'))
  await settle()
  const written = contents()
  assert.is(written[`${secondFolder}/request.json`], 'of another run')
  assert.is(written['tests/fixtures/recorded/003-is-bug/response.json'], '{"text":"two"}\n')
})

test('a full disk ends the recording, and is reported once', async () => {
  const { files } = createMemoryFiles()
  const reasons: string[] = []
  const fullDisk = { ...files, create: () => Promise.reject(createSystemError('ENOSPC')) }
  const { record, settle } = startRecorder(fullDisk, {
    onEnd: (reason) => reasons.push(reason),
  })
  record(createExchange('a', 'one'))
  record(createExchange('b', 'two'))
  await settle()
  assert.equal(reasons, ['no space left on device'])
})

test.run()
