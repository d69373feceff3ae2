import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLinkFreeFile, makeLinkFreeFolder } from '../../lib/replay/link-free-files'
import type { ObservedExchange } from '../../lib/replay/record/recorded-files'
import { createRecorder } from '../../lib/replay/record/recorder'
import { listFiles } from '../../lib/replay/scenarios'
import { createRedact } from '../../lib/text/secret'
import { createTemporaryFolder } from '../support/folders'

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

/** Starts a recording into a folder. By default nothing is redacted, and the recording must not end early. */
const startRecorder = (
  folder: string,
  {
    redact = (text: string): string => text,
    onEnd = (reason: string): void => assert.unreachable(reason),
  } = {},
) => createRecorder({ folder, redact, onEnd })

/** Reads all files of a folder, by path. */
const readAll = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    listFiles(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )

const firstFolder = 'fixtures/recorded/001-is-bug'
const secondFolder = 'fixtures/recorded/002-is-bug'

test('a repeated request adds its response to the scenario of the first request', async () => {
  const folder = createTemporaryFolder()
  const { record, settle } = startRecorder(folder)
  record(createExchange('a', 'one'))
  record(createExchange('b', 'two'))
  record(createExchange('a', 'three'))
  await settle()
  const written = readAll(folder)
  assert.is(written[`${firstFolder}/response.json`], '{"text":"one"}\n')
  assert.is(written[`${firstFolder}/response-2.json`], '{"text":"three"}\n')
  assert.is(written[`${secondFolder}/response.json`], '{"text":"two"}\n')
  const { version, title, exchanges } = JSON.parse(written[`${firstFolder}/scenario.json`] ?? '')
  assert.equal([version, title, exchanges.length], [1, 'recorded: is bug', 2])
})

test('records the request id, and no cookie or date', async () => {
  const folder = createTemporaryFolder()
  const { record, settle } = startRecorder(folder)
  record(createExchange('a', 'one'))
  await settle()
  const { exchanges } = JSON.parse(readAll(folder)[`${firstFolder}/scenario.json`] ?? '')
  assert.equal(exchanges[0].response.headers, { 'x-request-id': 'req_1' })
})

test('redacts a key in the path and in the bodies, and leaves all other bytes unchanged', async () => {
  const folder = createTemporaryFolder()
  const { record, settle } = startRecorder(folder, { redact: createRedact(['sk-secret']) })
  record({
    ...createExchange('I am Zoë: sk-secret', 'sk-secret'),
    path: '/v1/questions?key=sk-secret',
  })
  await settle()
  const written = JSON.stringify(readAll(folder))
  assert.not.match(written, 'sk-secret')
  assert.match(written, 'I am Zoë: [redacted]')
  assert.match(written, '/v1/questions?key=[redacted]')
})

test('numbers new scenarios after the scenarios and goldens in the folder, and overwrites none', async () => {
  const folder = createTemporaryFolder()
  await createLinkFreeFile(folder, `${firstFolder}/scenario.json`, 'recorded before')
  // The scenario of this golden was deleted.
  await createLinkFreeFile(folder, 'golden/recorded/002-old/exit', '0\n')
  const { record, settle } = startRecorder(folder)
  record(createExchange('a', 'one'))
  await settle()
  const written = readAll(folder)
  assert.is(written[`${firstFolder}/scenario.json`], 'recorded before')
  assert.ok(written['fixtures/recorded/003-is-bug/scenario.json'])
})

test('a scenario that another run records meanwhile is not overwritten, and the recording goes on', async () => {
  const folder = createTemporaryFolder()
  const { record, settle } = startRecorder(folder)
  record(createExchange('a', 'one'))
  await settle()
  // Another run takes the number 2, and writes its first file.
  await createLinkFreeFile(folder, 'fixtures/recorded/002-another/request.json', 'of another run')
  record(createExchange('b', 'two'))
  await settle()
  const written = readAll(folder)
  assert.is(written['fixtures/recorded/002-another/request.json'], 'of another run')
  assert.is(written['fixtures/recorded/003-is-bug/response.json'], '{"text":"two"}\n')
})

test('a file that cannot be written ends the recording, and is reported once', async () => {
  const folder = createTemporaryFolder()
  makeLinkFreeFolder(folder, 'fixtures')
  writeFileSync(join(folder, 'fixtures/recorded'), 'a file')
  const reasons: string[] = []
  const { record, settle } = startRecorder(folder, { onEnd: (reason) => reasons.push(reason) })
  record(createExchange('a', 'one'))
  record(createExchange('b', 'two'))
  await settle()
  assert.equal(reasons, ['not a directory'])
})

test('a folder that becomes a link ends the recording, and nothing is written through it', async () => {
  const folder = createTemporaryFolder()
  const outside = createTemporaryFolder()
  symlinkSync(outside, join(folder, 'fixtures'))
  const reasons: string[] = []
  const { record, settle } = startRecorder(folder, { onEnd: (reason) => reasons.push(reason) })
  record(createExchange('a', 'one'))
  await settle()
  assert.equal(reasons, [`${join(folder, 'fixtures')} is a link`])
  assert.equal(listFiles(outside), [])
})

test('a title is one line without a full stop, whatever the ids of the questions are', async () => {
  const folder = createTemporaryFolder()
  const { record, settle } = startRecorder(folder)
  const requestBody = Buffer.from('{"questions":{"a\\nb.":{}}}')
  record({ ...createExchange('a', 'one'), requestBody })
  await settle()
  const [path = ''] = listFiles(folder).filter((file) => file.endsWith('scenario.json'))
  assert.is(JSON.parse(readAll(folder)[path] ?? '').title, 'recorded: a b')
})

test.run()
