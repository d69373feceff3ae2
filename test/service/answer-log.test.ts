import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Literal } from '../../lib/codec/json/json'
import { decodeTemplate, parseDocument } from '../../lib/codec/request'
import { messageOf } from '../../lib/failure/report'
import { digestQuestions, digestState } from '../../lib/runs/record/record'
import { nodeClock } from '../../lib/runtime/node/clock'
import { nodeFiles } from '../../lib/runtime/node/files'
import type { Clock, OutputFile } from '../../lib/runtime/runtime'
import {
  type AnswerLog,
  type AnswerLogOptions,
  type LoggedAnswer,
  maxWaitingAnswers,
  openAnswerLog,
} from '../../lib/service/answer-log/answer-log'
import { servedDialects } from '../../lib/service/dialects/served-dialects'
import { createRedact } from '../../lib/text/secret'
import { createLogger } from '../../lib/tracing/log'
import { createTemporaryFolder } from '../support/folders'
import { closeAfterEach } from '../support/servers'
import { until } from '../support/until'
import { createStubEngine, exampleRequest, post, startService } from './run-service'

const test = suite('service: answer log')
closeAfterEach(test)

/** A clock whose waits end at once, except the wait of `close` for the disk. `passed` is the monotonic time. */
const createQuickClock = (passed = { ms: 0 }): Clock => ({
  ...nodeClock,
  now: () => Date.UTC(2026, 10, 1, 12),
  monotonic: () => passed.ms,
  sleep: (ms, signal) =>
    ms >= 5000 ? nodeClock.sleep(ms, signal) : new Promise((resolve) => setImmediate(resolve)),
})

interface OpenOptions extends Partial<AnswerLogOptions> {
  readonly files?: Pick<typeof nodeFiles, 'openOutput' | 'readPart'>
  readonly clock?: Clock
  readonly keys?: ReadonlyArray<string>
}

/** Opens a log in a new folder, unless the options name its path. */
const openLog = async (options: OpenOptions = {}) => {
  const {
    path = join(createTemporaryFolder(), 'log.jsonl'),
    share = 1,
    withStates = false,
  } = options
  const warnings: string[] = []
  const clock = options.clock ?? createQuickClock()
  const opened = await openAnswerLog(
    { path, share, withStates },
    {
      files: options.files ?? nodeFiles,
      clock,
      log: createLogger('warning', clock, (line) => warnings.push(line)),
      redact: createRedact(options.keys ?? []),
    },
  )
  if (E.isLeft(opened)) throw new Error(messageOf(opened.left))
  return { path, log: opened.right, warnings }
}

const requestBody = Buffer.from(
  '{"state":"A key: sk-caller, a number: 12345678","questions":{"q":{"type":"noul","instructions":null}}}',
)
const responseBody = Buffer.from(
  '{"model":"m","answers":{"q":{"type":"noul","noul":0.50}},"usage":{"input_tokens":1,"output_tokens":2}}',
)

/** An answer that a service passed on, whose documents the log decodes. */
const createAnswer = (changes: Partial<LoggedAnswer> = {}): LoggedAnswer => ({
  dialect: servedDialects[0],
  requestBody,
  responseBody,
  ask: undefined,
  timeMs: Date.UTC(2026, 10, 1, 12),
  caller: 'shop',
  requestId: 'req_1',
  serviceRequestId: 'req_1',
  callerKeys: ['sk-caller'],
  ...changes,
})

const readLines = (path: string): ReadonlyArray<Record<string, unknown>> =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** Adds answers and closes the log. */
const writeAnswers = async (log: AnswerLog, count: number): Promise<void> => {
  for (let i = 0; i < count; i++) log.add(createAnswer())
  await log.close()
}

test('writes a record of a run, with time and caller after the index, and without the state', async () => {
  const { path, log } = await openLog()
  await writeAnswers(log, 1)
  const questions = [['q', { type: 'noul' }]] as const
  const state = 'A key: sk-caller, a number: 12345678'
  assert.is(
    readFileSync(path, 'utf8'),
    `{"index":0,"time":"2026-11-01T12:00:00.000Z","caller":"shop","state_sha256":"${digestState(state, [])}","questions_sha256":"${digestQuestions(questions)}","model":"m","answers":{"q":{"type":"noul","noul":0.50}},"usage":{"input_tokens":1,"output_tokens":2},"request_id":"req_1"}\n`,
  )
  if (process.platform !== 'win32') assert.is(statSync(path).mode & 0o777, 0o600)
})

test('logged states have no key that svc or the caller knows, but the digest of the whole state', async () => {
  const { path, log } = await openLog({ withStates: true, keys: ['12345678'] })
  const body = requestBody
    .toString()
    .replace('"A key', '["k",12345678,"A key')
    .replace('78","', '78"],"')
  log.add(createAnswer({ requestBody: Buffer.from(body) }))
  await log.close()
  const [record] = readLines(path)
  const state = ['k', '[redacted]', 'A key: [redacted], a number: [redacted]']
  assert.equal(record?.state, state)
  const original = ['k', new Literal('12345678'), 'A key: sk-caller, a number: 12345678']
  assert.is(record?.state_sha256, digestState(original, []))
})

test('the digest of the questions is that of svc batch, on every route', async () => {
  const template = parseDocument(
    Buffer.from('{"questions":{"q":{"type":"noul","instructions":"Is it long?"}}}'),
  )
  if (E.isLeft(template)) throw new Error('invalid')
  const decoded = decodeTemplate(template.right)
  if (E.isLeft(decoded)) throw new Error('invalid')
  const expected = digestQuestions(decoded.right.questions)
  const { path, log } = await openLog()
  const service = await startService(createStubEngine(), { answerLog: log })
  const questions = { q: { type: 'noul', instructions: 'Is it long?', criteria: null } }
  for (const route of ['/v1/questions', '/v1/systemone'])
    assert.is((await post(service.url, { state: 'x', questions }, { path: route })).status, 200)
  const wire = [{ type: 'predicate', name: 'q', instructions: 'Is it long?' }]
  const decision = { model: 'svc-latest', input: 'x', questions: wire }
  assert.is((await post(service.url, decision, { path: '/v1/decisions' })).status, 200)
  assert.is((await post(service.url, { state: 'x', questions: {} })).status, 422)
  await service.stop()
  const records = readLines(path)
  assert.equal(
    records.map(({ questions_sha256 }) => questions_sha256),
    Array(3).fill(expected),
  )
  assert.equal(new Set(records.map(({ state_sha256 }) => state_sha256)).size, 1)
  assert.equal(records[0]?.answers, records[2]?.answers)
})

test('a record has the model, the answers and the request id of the response', async () => {
  const { path, log } = await openLog({ withStates: true })
  const service = await startService(createStubEngine(), { answerLog: log })
  const response = await post(service.url, exampleRequest)
  const document = (await response.json()) as Readonly<Record<string, unknown>>
  await service.stop()
  const [record] = readLines(path)
  const { model, answers, usage, request_id, state } = record ?? {}
  assert.equal({ model, answers, usage }, document)
  assert.is(request_id, response.headers.get('x-service-request-id'))
  assert.equal(state, exampleRequest.state)
})

test('the digests of images are in the record of either form, and never their bytes', async () => {
  const image = Buffer.from('\x89PNG\r\n\x1a\nabc', 'latin1')
  const base64 = image.toString('base64')
  const question = { type: 'predicate', name: 'q', instructions: 'x' }
  const content = [{ type: 'input_image', image_url: `data:image/png;base64,${base64}` }]
  const decision = { model: 'm', input: [{ role: 'user', content }], questions: [question] }
  const answer = { type: 'predicate', name: 'q', probability: 0.5 }
  const { path, log } = await openLog({ withStates: true })
  const { dialect } = createAnswer()
  const decisions = servedDialects.find(({ askPath }) => askPath === '/v1/decisions') ?? dialect
  log.add(
    createAnswer({
      dialect: decisions,
      requestBody: Buffer.from(JSON.stringify(decision)),
      responseBody: Buffer.from(JSON.stringify({ model: 'm', answers: [answer] })),
    }),
  )
  const assets = { image_1: { type: 'image', format: 'png', data_base64: base64 } }
  const questions = { q: { type: 'noul', instructions: 'x' } }
  log.add(
    createAnswer({ requestBody: Buffer.from(JSON.stringify({ state: 'x', assets, questions })) }),
  )
  await log.close()
  const [first, second] = readLines(path)
  assert.equal(first?.images, second?.images)
  const images = first?.images as ReadonlyArray<Record<string, unknown>> | undefined
  assert.is(images?.[0]?.bytes, image.length)
  assert.not.match(readFileSync(path, 'utf8'), base64)
})

test('continues the index after a restart, and drops a torn last line and zero bytes', async () => {
  const { path, log } = await openLog()
  await writeAnswers(log, 2)
  for (const tail of ['{"index":2,"ti', '\0\0\0', '{"index":2,"time"\0\0', '{']) {
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, before + tail)
    const again = await openLog({ path })
    await writeAnswers(again.log, 1)
    assert.ok(readFileSync(path, 'utf8').startsWith(before))
  }
  assert.equal(
    readLines(path).map(({ index }) => index),
    [0, 1, 2, 3, 4, 5],
  )
})

test('refuses a file that is not a run, and leaves it unchanged', async () => {
  const { path, log } = await openLog()
  await writeAnswers(log, 1)
  const record = readFileSync(path, 'utf8')
  for (const [text, line] of [
    ['hello\n', 'last'],
    ['hello', 'last'],
    [`hello\n${record}`, 'first'],
    [`${record}hello\n`, 'last'],
    [`${record}hello`, 'last'],
  ] as const) {
    writeFileSync(path, text)
    const error = await openLog({ path }).catch(({ message }) => message)
    assert.is(error, `write ${path}: its ${line} line is not a record of a run`)
    assert.is(readFileSync(path, 'utf8'), text)
  }
})

test('a second log of one file is refused', async () => {
  const { path, log } = await openLog()
  const error = await openLog({ path }).catch(({ message }) => message)
  assert.match(error, 'another svc is writing it')
  await log.close()
})

test('SIGHUP opens the file at the path again, and the index goes on', async () => {
  const { path, log } = await openLog()
  log.add(createAnswer())
  await until(() => readFileSync(path, 'utf8') !== '')
  renameSync(path, `${path}.1`)
  log.add(createAnswer())
  log.reopen()
  await until(() => statSync(path, { throwIfNoEntry: false }) !== undefined)
  await writeAnswers(log, 1)
  const rotated = [...readLines(`${path}.1`), ...readLines(path)]
  assert.equal(
    rotated.map(({ index }) => index),
    [0, 1, 2],
  )
  assert.is(readLines(path).length > 0, true)
})

/** Creates files whose appends wait for `append`. */
const createFiles = (append: (lines: Uint8Array) => Promise<void>) => ({
  readPart: nodeFiles.readPart,
  openOutput: async (): Promise<OutputFile> => ({
    size: 0,
    leftovers: [],
    append,
    truncate: async () => undefined,
    startReplacement: () => Promise.reject(new Error('unused')),
    close: async () => undefined,
  }),
})

test('a slow disk drops what comes on top of the waiting answers, and says so once a minute', async () => {
  let release = (): void => undefined
  const blocked = new Promise<void>((resolve) => {
    release = resolve
  })
  let isWriting = false
  const files = createFiles(() => {
    isWriting = true
    return blocked
  })
  const passed = { ms: 0 }
  const { log, warnings } = await openLog({ files, clock: createQuickClock(passed) })
  log.add(createAnswer())
  await until(() => isWriting)
  for (let i = 0; i < maxWaitingAnswers + 5; i++) log.add(createAnswer())
  assert.is(log.countDropped(), 5)
  assert.equal(warnings.length, 1)
  passed.ms = 60_000
  log.add(createAnswer())
  assert.is(warnings.length, 2)
  assert.match(warnings[1] ?? '', 'dropped=5 cause="the disk is too slow"')
  release()
  await log.close()
})

test('a full disk drops answers and delays none; once there is space, logging goes on', async () => {
  let isFull = true
  const written: string[] = []
  const files = createFiles(async (lines) => {
    if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
    written.push(Buffer.from(lines).toString())
  })
  const { log, warnings } = await openLog({ files })
  const service = await startService(createStubEngine(), { answerLog: log })
  assert.is((await post(service.url, exampleRequest)).status, 200)
  await until(() => log.countDropped() === 1)
  assert.match(warnings[0] ?? '', /msg="answers are missing in the answer log" dropped=1 cause=/)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, 'svc_answer_log_dropped_total 1\n')
  isFull = false
  assert.is((await post(service.url, exampleRequest)).status, 200)
  await service.stop()
  assert.match(written.join(''), /^\{"index":0,[^\n]*\n$/)
})

test('--log-share logs that share of the requests, chosen by their ids', async () => {
  const { path, log } = await openLog({ share: 0.25 })
  for (let i = 0; i < 800; i++) log.add(createAnswer({ serviceRequestId: `req_${i}` }))
  await log.close()
  const count = readLines(path).length
  // The standard deviation is 12.
  assert.ok(count > 150 && count < 250, String(count))
})

test('documents that cannot be read are counted, and their texts are not logged', async () => {
  const { log, warnings } = await openLog()
  log.add(createAnswer({ responseBody: Buffer.from('sk-caller') }))
  await log.close()
  assert.is(log.countDropped(), 1)
  assert.match(warnings.join(''), 'cause="a response is invalid"')
})

test.run()
