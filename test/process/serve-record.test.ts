import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listFiles, readScenarios } from '../../lib/replay/scenarios'
import { createTemporaryFolder } from '../support/folders'
import { run, start } from '../support/program'
import { readRequestBody, startHttpServer } from '../support/servers'

const test = suite('process: svc serve records and plays')

/** Runs `svc serve` with these flags while `use` runs, which gets its address. */
const withService = async <A>(
  flags: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  use: (url: string) => Promise<A>,
): Promise<A> => {
  const service = start(['serve', '--port', '0', ...flags], { env })
  const url = (await service.waitForStderr(/http:\S+/)).trim()
  try {
    return await use(url)
  } finally {
    service.child.kill()
    await service.ended
  }
}

const readUnused = async (url: string): Promise<unknown> =>
  (await fetch(`${url}/__svc/unused`)).json()

const askRefund = async (url: string, state: string) => {
  const args = ['ask', '--state', state, '--noul', 'refund=Is a refund wanted?']
  const env = { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'sk-secret' }
  return JSON.parse((await run(args, { env })).stdout)
}

test('shows with --strict which requests were not recorded and which recordings were not requested', async () => {
  const tests = createTemporaryFolder()
  const recorded = await withService(['--record', tests], {}, async (url) => {
    assert.is((await fetch(`${url}/__svc/unused`)).status, 404)
    const wanted = await askRefund(url, 'A refund is wanted.')
    await askRefund(url, 'Hello.')
    return wanted
  })
  assert.equal(listFiles(tests), [
    'fixtures/recorded/001-refund/request.json',
    'fixtures/recorded/001-refund/response.json',
    'fixtures/recorded/001-refund/scenario.json',
    'fixtures/recorded/002-refund/request.json',
    'fixtures/recorded/002-refund/response.json',
    'fixtures/recorded/002-refund/scenario.json',
  ])
  await withService(['--fixtures', join(tests, 'fixtures'), '--strict'], {}, async (url) => {
    assert.equal((await askRefund(url, 'A refund is wanted.')).answers, recorded.answers)
    assert.match(
      (await askRefund(url, 'Another.')).error.message,
      'differs in state. state: recorded "Hello.", received "Another.".',
    )
    assert.equal(await readUnused(url), {
      unused: [{ scenario: 'recorded/002-refund', method: 'POST', path: '/v1/questions' }],
    })
  })
})

test('a key that SIGHUP adds is redacted too', async () => {
  const folder = createTemporaryFolder()
  const keysFile = join(folder, 'keys.txt')
  writeFileSync(keysFile, 'first-key\n', { mode: 0o600 })
  const flags = ['--api-keys-file', keysFile, '--record', folder, '--log-level', 'info']
  const service = start(['serve', '--port', '0', ...flags], { env: {} })
  const url = (await service.waitForStderr(/http:\S+/)).trim()
  writeFileSync(keysFile, 'second-key\n')
  service.child.kill('SIGHUP')
  await service.waitForStderr(/read the API keys again/)
  const env = { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'second-key' }
  const state = 'My keys are first-key and second-key.'
  await run(['ask', '--state', state, '--noul', 'refund=Is a refund wanted?'], { env })
  service.child.kill()
  await service.ended
  const request = join(folder, 'fixtures/recorded/001-refund/request.json')
  assert.match(readFileSync(request, 'utf8'), 'My keys are [redacted] and [redacted].')
})

/** A service in the form of System One. It repeats its key, refuses or fails as the state says, and is busy at first. */
const startSystemOne = async () => {
  const states: Array<string> = []
  const service = await startHttpServer(async (incoming, outgoing) => {
    const { authorization: key } = incoming.headers
    const reply = (status: number, document: object, headers = {}) =>
      outgoing.writeHead(status, headers).end(JSON.stringify(document))
    if (incoming.method === 'GET')
      return reply(200, { models: [{ id: 'm', name: 'm', description: key }] })
    const state = JSON.stringify(JSON.parse(String(await readRequestBody(incoming))).state)
    const isFirst = !states.includes(state)
    states.push(state)
    if (state.includes('wrong')) return reply(422, { detail: `no such state for ${key}` })
    if (state.includes('busy') && isFirst)
      return reply(429, { detail: 'busy' }, { 'retry-after-ms': '0', 'set-cookie': 'a=b' })
    const answer = state.includes('forbidden')
      ? { type: 'refusal', refusal: 'I cannot answer this.' }
      : { type: 'noul', noul: 0.9 }
    return reply(200, { model: 'm', answers: { ok: answer }, usage: {} })
  })
  return service
}

const question = { type: 'noul', instructions: 'Is it intact?' }
const decision = { type: 'predicate', name: 'ok', instructions: 'Is it intact?' }
const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const photo = [{ role: 'user', content: [{ type: 'input_image', image_url: image }] }]

/** Requests in every form that `svc serve` speaks: one path, and a body. */
const requests: ReadonlyArray<readonly [path: string, body?: object]> = [
  ['/v1/models'],
  ['/v1/questions', { model: 'm', state: 'Whole.', questions: { ok: question } }],
  ['/v1/systemone', { model: 'm', state: 'Whole.', questions: { ok: question } }],
  ['/v1/decisions', { model: 'm', input: 'Whole.', questions: [decision] }],
  ['/v1/decisions', { model: 'm', input: photo, questions: [decision] }],
  ['/v1/systemone', { model: 'm', state: 'A wrong one.', questions: { ok: question } }],
  ['/v1/decisions', { model: 'm', input: 'A wrong one.', questions: [decision] }],
  ['/v1/questions', { model: 'm', state: 'A forbidden one.', questions: { ok: question } }],
  ['/v1/decisions', { model: 'm', input: 'A busy one.', questions: [decision] }],
  ['/v1/decisions', { model: 'm', input: 'A busy one.', questions: [decision] }],
]

/** Makes all requests, one after the other. Returns status, requested wait and body of each response, without keys. */
const makeRequests = async (url: string) => {
  const replies: Array<unknown> = []
  for (const [path, body] of requests) {
    const response = await fetch(url + path, {
      headers: { authorization: 'Bearer caller-key', 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = (await response.text()).replaceAll('engine-key', '[redacted]')
    replies.push([response.status, response.headers.get('retry-after'), JSON.parse(text)])
  }
  return replies
}

test('plays every form, images, errors, refusals and repeated requests as they were recorded, without keys', async () => {
  const tests = createTemporaryFolder()
  const upstream = await startSystemOne()
  const flags = ['--engine=upstream', '--engine-dialect=systemone', `--engine-url=${upstream.url}`]
  const keys = { SERVICE_API_KEYS: 'caller-key', SERVICE_ENGINE_API_KEY: 'engine-key' }
  const recorded = await withService([...flags, '--record', tests], keys, makeRequests)
  await upstream.close()
  const statuses = recorded.map((reply) => (reply as ReadonlyArray<unknown>)[0])
  assert.equal(statuses, [200, 200, 200, 200, 200, 422, 400, 200, 429, 200])
  assert.is(readScenarios(tests).length, requests.length - 1)
  const play = ['--fixtures', join(tests, 'fixtures'), '--strict']
  await withService(play, {}, async (url) => {
    for (const [at, reply] of (await makeRequests(url)).entries())
      assert.equal(reply, recorded[at], JSON.stringify(requests[at]))
    assert.equal(await readUnused(url), { unused: [] })
  })
  const files = listFiles(tests).map((path) => join(tests, path))
  const { stdout } = await run(['fixtures', '--check', tests], { env: {} })
  assert.match(stdout, '"failed":[]')
  for (const file of files)
    assert.not.match(readFileSync(file, 'latin1'), /caller-key|engine-key|a=b/, file)
})

test.run()
