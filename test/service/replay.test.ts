import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeFiles } from '../../lib/runtime/node-files'
import { systemError } from '../../lib/runtime/reason'
import { replayEngine } from '../../lib/service/engines/replay/engine'
import { answerBody } from '../golden/exchange'
import { fixturesFolder, scenarios } from '../golden/scenario'
import { jsonOf, post, type Running, start } from './support'

const test = suite('service: the replay engine (D39)')

const filesOf = (texts: Readonly<Record<string, unknown>>) => {
  const all = new Map(
    Object.entries(texts).map(([path, content]) => [
      path,
      Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
    ]),
  )
  return {
    list: async (folder: string) =>
      [...all.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1))
        .sort(),
    read: async (path: string) => {
      const bytes = all.get(path)
      if (bytes === undefined) throw systemError('ENOENT')
      return bytes
    },
  }
}

const request = (body: unknown) => ({ method: 'POST', path: '/v1/questions', body })
const ticket = {
  model: 'm',
  state: 'a ticket',
  questions: { a: { type: 'noul' }, b: { type: 'x' } },
}

const serve = async (texts: Readonly<Record<string, unknown>>): Promise<Running> => {
  const engine = await replayEngine('f', filesOf(texts))()
  if (E.isLeft(engine)) throw new Error(JSON.stringify(engine.left))
  return start(engine.right)
}

test('the recorded status, headers and body; blanks between tokens do not matter', async () => {
  const service = await serve({
    'f/ask/one/scenario.json': {
      title: 'one',
      argv: [],
      exchanges: [
        {
          request: { method: 'POST', path: '/api/v1/questions', bodyFile: 'request.json' },
          response: {
            status: 418,
            headers: {
              'x-service-request-id': 'req_recorded',
              'Retry-After': '2',
              connection: 'x',
            },
            bodyFile: 'response.json',
          },
        },
      ],
    },
    'f/ask/one/request.json': '{ "state": 1.0,\n "questions": {} }\n',
    'f/ask/one/response.json': '{ "model": "m" }\n',
  })
  const response = await post(service.url, '{"state":1.0,  "questions":{}}')
  assert.is(response.status, 418)
  assert.is(response.headers.get('x-service-request-id'), 'req_recorded')
  assert.is(response.headers.get('retry-after'), '2')
  assert.is(response.headers.get('content-type'), 'application/json')
  assert.is(await response.text(), '{ "model": "m" }')
  assert.is((await post(service.url, '{"state":1,"questions":{}}')).status, 404)
  await service.stop()
})

test('no match is a 404 that says what is nearest, and where it differs', async () => {
  const answer = { response: { body: {} } }
  const service = await serve({
    'f/far/scenario.json': { exchanges: [{ request: request({ state: 'else' }), ...answer }] },
    'f/near/scenario.json': { exchanges: [{ request: request(ticket), ...answer }] },
  })
  const other = { ...ticket, state: 'another ticket', questions: { ...ticket.questions, c: {} } }
  const response = await post(service.url, other)
  assert.is(response.status, 404)
  assert.equal((await jsonOf(response)).detail, {
    error_type: 'not_recorded',
    message:
      'No recorded request is the same. Nearest is near, which differs in state and questions.c.',
  })
  const { model, ...rest } = ticket
  const turned = await jsonOf(await post(service.url, { ...rest, model }))
  assert.match(
    turned.detail.message,
    /Nearest is near, which differs in the order of its members\.$/,
  )
  const noJson = await post(service.url, '{"state"')
  assert.is(noJson.status, 404)
  const models = await fetch(`${service.url}/v1/models`, { headers: { authorization: 'Bearer k' } })
  assert.match((await jsonOf(models)).detail.message, /No request of this kind/)
  await service.stop()
})

test('of several scenarios one that succeeds; within one its responses in turn', async () => {
  const exchange = (status: number, more = {}) => ({
    request: request(ticket),
    response: { status, body: { status }, ...more },
  })
  const service = await serve({
    'f/a-fails/scenario.json': { exchanges: [exchange(500)] },
    'f/b-faults/scenario.json': { exchanges: [exchange(200, { fault: 'reset' })] },
    'f/c-works/scenario.json': { exchanges: [exchange(201)] },
  })
  assert.is((await post(service.url, ticket)).status, 201)
  await service.stop()
  const retried = await serve({
    'f/scenario.json': { exchanges: [exchange(429), exchange(503), exchange(200)] },
  })
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await post(retried.url, ticket)).status)
  assert.equal(statuses, [429, 503, 200, 429])
  await retried.stop()
})

test('a folder that is missing, empty or broken keeps the service from starting', async () => {
  const message = async (texts: Readonly<Record<string, unknown>>) => {
    const engine = await replayEngine('f', filesOf(texts))()
    return E.isLeft(engine) && engine.left._tag === 'Usage' ? engine.left.message : 'started'
  }
  assert.is(await message({}), 'no recorded exchange in f')
  assert.is(await message({ 'f/a/scenario.json': { argv: [] } }), 'no recorded exchange in f')
  assert.match(
    await message({ 'f/a/scenario.json': '{' }),
    /^read fixtures f: a\/scenario\.json: line 1/,
  )
  const lost = { exchanges: [{ request: { path: '/v1/questions', bodyFile: 'x' }, response: {} }] }
  assert.is(
    await message({ 'f/a/scenario.json': lost }),
    'read fixtures f: no such file or directory',
  )
  const engine = await replayEngine('/nowhere', nodeFiles)()
  assert.equal(E.isLeft(engine) && engine.left, {
    _tag: 'Usage',
    message: 'read fixtures /nowhere: no such file or directory',
  })
})

test('the project’s own fixtures: each recorded request gets a recorded answer', async () => {
  const engine = await replayEngine(fixturesFolder, nodeFiles)()
  if (E.isLeft(engine)) throw new Error(JSON.stringify(engine.left))
  const service = await start(engine.right)
  let played = 0
  for (const named of scenarios()) {
    const [only, second] = named.scenario.exchanges ?? []
    if (only?.request.bodyFile === undefined || second !== undefined) continue
    const { response } = only
    if ((response.raw ?? response.fault ?? response.encoding) !== undefined) continue
    const body = readFileSync(join(named.folder, only.request.bodyFile), 'utf8')
    const answer = await post(service.url, body)
    assert.is.not(answer.status, 404, named.name)
    if (answer.status === (response.status ?? 200) && answer.status === 200) {
      assert.ok(Buffer.from(await answer.arrayBuffer()).length > 0)
      assert.ok(answerBody(named, response).length > 0)
    }
    played++
  }
  assert.ok(played > 0)
  await service.stop()
})

test.run()
