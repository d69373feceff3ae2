import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { servedDialects } from '../../lib/client/dialects/served-dialects'
import { nodeClock } from '../../lib/runtime/node/clock'
import { systemError } from '../../lib/runtime/node/error-reason'
import { nodeFiles } from '../../lib/runtime/node/files'
import { noSpan } from '../../lib/runtime/tracer'
import { parseOperationPath } from '../../lib/service/contract/operation-path'
import { openReplayEngine } from '../../lib/service/engines/replay/engine'
import { fixturesFolder, readProjectScenarios } from '../golden/project-scenarios'
import { temporaryFolder } from '../support/folders'
import { closeAfterEach } from '../support/servers'
import {
  exampleRequest,
  post,
  type RunningService,
  readJson,
  sendRaw,
  startService,
} from './run-service'

const test = suite('service: the replay engine')
closeAfterEach(test)

const createFiles = (texts: Readonly<Record<string, unknown>>) => {
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
    readRegular: async (path: string) => {
      const bytes = all.get(path)
      if (bytes === undefined) throw systemError('ENOENT')
      return { bytes, size: bytes.length }
    },
  }
}

const request = (body: unknown) => ({ method: 'POST', path: '/v1/questions', body })
const ticket = {
  model: 'm',
  state: 'a ticket',
  questions: { a: { type: 'noul' }, b: { type: 'x' } },
}

const serve = async (
  texts: Readonly<Record<string, unknown>>,
  strict = false,
): Promise<RunningService> => {
  const engine = await openReplayEngine('f', createFiles(texts), nodeClock, strict)()
  if (E.isLeft(engine)) throw new Error(JSON.stringify(engine.left))
  return startService(engine.right)
}

test('answers with the recorded status, headers and body; blanks between JSON tokens do not matter', async () => {
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
})

test('404 with the nearest request and its first difference if nothing matches', async () => {
  const answer = { response: { body: {} } }
  const service = await serve({
    'f/far/scenario.json': { exchanges: [{ request: request({ state: 'else' }), ...answer }] },
    'f/near/scenario.json': { exchanges: [{ request: request(ticket), ...answer }] },
  })
  const other = { ...ticket, state: 'another ticket', questions: { ...ticket.questions, c: {} } }
  const response = await post(service.url, other)
  assert.is(response.status, 404)
  assert.equal((await readJson(response)).detail, {
    error_type: 'not_recorded',
    message:
      'No recorded request is the same. Nearest is near, which differs in state and questions.c.',
  })
  const { model, ...rest } = ticket
  const turned = await readJson(await post(service.url, { ...rest, model }))
  assert.match(
    turned.detail.message,
    /Nearest is near, which differs in the order of its members\.$/,
  )
  const large = await readJson(await post(service.url, { ...other, state: 'x'.repeat(1 << 16) }))
  assert.is(large.detail.message, 'No recorded request is the same.')
  const noJson = await post(service.url, '{"state"')
  assert.is(noJson.status, 404)
  const models = await fetch(`${service.url}/v1/models`, { headers: { authorization: 'Bearer k' } })
  assert.match((await readJson(models)).detail.message, /No request of this kind/)
})

test('of several scenarios one that succeeds answers; one scenario gives its responses in turn', async () => {
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
})

test('what a program recorded overrides a recorded command, which need not be requested', async () => {
  const exchange = (status: number) => ({
    request: request(ticket),
    response: { status, body: {} },
  })
  const texts = {
    'f/a/scenario.json': { command: 'svc ask', exchanges: [exchange(200)] },
    'f/b/scenario.json': { exchanges: [exchange(429), exchange(200)] },
  }
  const service = await serve(texts, true)
  assert.is((await post(service.url, ticket)).status, 429)
  assert.is((await post(service.url, ticket)).status, 200)
  const unused = await fetch(`${service.url}/__svc/unused`)
  assert.equal(await unused.json(), { unused: [] })
})

const createExchange = (request: object, response: object) => ({ request, response })
const postAt = (service: RunningService, name: string, body: unknown = ticket) =>
  post(service.url, body, {}, `/${name}/v1/questions`)

test('a scenario at its address answers in order, then again from the start, for any body', async () => {
  const one = request(ticket)
  const service = await serve({
    'f/errors/two/scenario.json': {
      exchanges: [
        createExchange(one, { status: 429, headers: { 'retry-after-ms': '250' }, body: { n: 1 } }),
        createExchange(one, { body: { n: 2 } }),
        createExchange({ method: 'GET', path: '/gw/v1/models' }, { body: { models: [] } }),
      ],
    },
    'f/errors/other/scenario.json': { exchanges: [createExchange(one, { status: 401 })] },
  })
  for (const status of [429, 200, 429]) {
    const response = await postAt(service, 'errors/two', {})
    assert.is(response.status, status)
    assert.is(response.headers.get('retry-after-ms'), status === 429 ? '250' : null)
    // An id of the service's own would be one that was not recorded.
    assert.is(response.headers.get('x-service-request-id'), null)
    assert.equal(await response.json(), { n: status === 429 ? 1 : 2 })
  }
  assert.is((await postAt(service, 'errors/other')).status, 401)
  const authorization = 'Bearer k'
  for (const path of ['/errors/two', '/errors/two/gw']) {
    const models = await fetch(`${service.url}${path}/v1/models`, { headers: { authorization } })
    assert.equal(await models.json(), { models: [] })
  }
  const missing = await postAt(service, 'nowhere')
  assert.is(missing.status, 404)
  assert.is((await readJson(missing)).detail.message, 'Nothing is recorded at /nowhere')
  const near = await readJson(await postAt(service, 'errors/tow'))
  assert.is(near.detail.message, 'Nothing is recorded at /errors/tow; did you mean /errors/two?')
  assert.is((await fetch(`${service.url}/errors/two/healthz`)).status, 404)
  assert.match(service.lines.join(''), /route=\/v1\/questions status=429/)
})

test('a scenario is played at any recorded path, query included', async () => {
  const gemini = '/v1beta/models/gemini-decision-1:decide'
  const listed = '/v1/models?output_modalities=decisions'
  const service = await serve({
    'f/gemini/ask/scenario.json': {
      exchanges: [
        createExchange({ method: 'POST', path: gemini, body: {} }, { status: 503, body: { n: 1 } }),
        createExchange({ method: 'GET', path: listed }, { body: { n: 2 } }),
        createExchange({ method: 'POST', path: gemini, body: {} }, { body: { n: 3 } }),
      ],
    },
  })
  const address = `${service.url}/gemini/ask`
  const ask = () => post(address, {}, {}, gemini)
  assert.equal([(await ask()).status, (await ask()).status, (await ask()).status], [503, 200, 503])
  assert.equal(await (await fetch(address + listed)).json(), { n: 2 })
  assert.is((await fetch(`${address}/v1/models?output_modalities=else`)).status, 404)
  assert.is((await fetch(`${address}${gemini}`)).status, 404)
  assert.is((await post(service.url, {}, {}, gemini)).status, 404)
})

test('an answer at the plain address keeps its recorded request ids', async () => {
  const named = (header: string) => ({
    exchanges: [
      createExchange(
        { ...request(ticket), path: '/v1/questions' },
        { headers: { [header]: 'id-1' }, body: {} },
      ),
    ],
  })
  for (const header of ['x-request-id', 'x-typesafe-request-id', 'x-service-request-id']) {
    const service = await serve({ 'f/one/scenario.json': named(header) })
    const response = await post(service.url, ticket)
    assert.is(response.headers.get(header), 'id-1')
    await service.stop()
  }
})

test('requests that may come in any order get the response recorded for them', async () => {
  const service = await serve({
    'f/batch/rows/scenario.json': {
      order: 'any',
      exchanges: [1, 2, 2].map((state, i) => createExchange(request({ state }), { body: { i } })),
    },
  })
  const answers: unknown[] = []
  for (const state of [2, 1, 2, 3])
    answers.push(await (await postAt(service, 'batch/rows', { state })).json())
  assert.equal(answers, [{ i: 1 }, { i: 0 }, { i: 2 }, { i: 0 }])
})

test('sends recorded encodings, with and without the address', async () => {
  const service = await serve({
    'f/ask/br/scenario.json': {
      exchanges: [createExchange(request(ticket), { encoding: 'br', body: { packed: 1.5 } })],
    },
    'f/ask/broken/scenario.json': {
      exchanges: [
        createExchange(request({}), {
          headers: { 'content-encoding': 'gzip' },
          bodyText: 'no gzip',
        }),
      ],
    },
  })
  for (const response of [await postAt(service, 'ask/br'), await post(service.url, ticket)]) {
    assert.is(response.headers.get('content-encoding'), 'br')
    assert.equal(await response.json(), { packed: 1.5 })
  }
  const broken = await postAt(service, 'ask/broken')
  assert.is(await broken.text().catch(() => 'not decoded'), 'not decoded')
})

test('sends recorded bytes and faults, at the address only', async () => {
  const faulty = (response: object) => ({ exchanges: [createExchange(request(ticket), response)] })
  const service = await serve({
    'f/f/raw/scenario.json': faulty({ raw: 'SSH-2.0-x\r\n' }),
    'f/f/end/scenario.json': faulty({ fault: 'end' }),
    'f/f/cut/scenario.json': faulty({ status: 200, body: { cut: true }, fault: 'reset' }),
    'f/f/stall/scenario.json': faulty({ status: 200, body: { part: 1 }, fault: 'stall' }),
    'f/f/endless/scenario.json': faulty({
      raw: 'HTTP/1.1 200 OK\r\n\r\n',
      bodyText: { repeat: 'again ', times: 1000 },
      fault: 'endless',
    }),
  })
  const ask = (name: string, isComplete?: (received: string) => boolean) => {
    const head = `POST /f/${name}/v1/questions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n`
    const rest = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
    return sendRaw(service.port, [head + rest], { isComplete })
  }
  assert.is(await ask('raw'), 'SSH-2.0-x\r\n')
  assert.is(await ask('end'), '')
  assert.match(await ask('cut'), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"cut":true\}\r\n$/)
  assert.match(
    await ask('stall', (text) => text.endsWith('{"part":1}\r\n')),
    /^HTTP\/1\.1 200 OK\r\n/,
  )
  await ask('endless', ({ length }) => length > 1 << 20)
  assert.is((await post(service.url, ticket)).status, 404)
})

test('only this engine finds paths with a prefix before /v1', async () => {
  const service = await startService()
  assert.is((await postAt(service, 'errors/two', exampleRequest)).status, 404)
})

test('a folder that is missing, empty or broken keeps the service from starting', async () => {
  const message = async (texts: Readonly<Record<string, unknown>>) => {
    const engine = await openReplayEngine('f', createFiles(texts), nodeClock)()
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
  const engine = await openReplayEngine('/nowhere', nodeFiles, nodeClock)()
  assert.equal(E.isLeft(engine) && engine.left, {
    _tag: 'Usage',
    message: 'read fixtures /nowhere: no such file or directory',
  })
})

test('a scenario can use files of its neighbours, and none from outside the folder', async () => {
  const folder = (bodyFile: string) => ({
    'outside.json': { outside: true },
    'f/shared.json': { shared: true },
    'f/a/b/scenario.json': {
      exchanges: [{ request: request(ticket), response: { status: 200, bodyFile } }],
    },
  })
  const service = await serve(folder('../../shared.json'))
  assert.equal(await readJson(await post(service.url, ticket)), { shared: true })
  await service.stop()
  const engine = await openReplayEngine(
    'f',
    createFiles(folder('../../../outside.json')),
    nodeClock,
  )()
  assert.equal(E.isLeft(engine) && engine.left, {
    _tag: 'Usage',
    message: 'read fixtures f: a/b/scenario.json: "../../../outside.json" is not below the folder',
  })
})

test('no link in a scenario shows a file from outside the folder', async () => {
  const above = temporaryFolder()
  const fixtures = join(above, 'fixtures')
  mkdirSync(join(above, 'outside'))
  writeFileSync(join(above, 'outside/secret.json'), '{"secret":true}')
  mkdirSync(join(fixtures, 'a'), { recursive: true })
  symlinkSync('../../outside/secret.json', join(fixtures, 'a/file-link.json'))
  symlinkSync('../../outside', join(fixtures, 'a/folder-link'))
  for (const file of ['file-link.json', 'folder-link/secret.json'])
    for (const response of [{ bodyFile: file }, { bodyText: { file } }, { raw: { file } }]) {
      const scenario = { exchanges: [{ request: request(ticket), response }] }
      writeFileSync(join(fixtures, 'a/scenario.json'), JSON.stringify(scenario))
      const engine = await openReplayEngine(fixtures, nodeFiles, nodeClock)()
      assert.equal(E.isLeft(engine) && engine.left, {
        _tag: 'Usage',
        message: `read fixtures ${fixtures}: a/scenario.json: a link of "${file}" leads out of the folder`,
      })
    }
})

test('a document of the other form names its route, save at the address of a scenario', async () => {
  const exchanges = [{ request: request(ticket), response: { body: { model: 'm' } } }]
  const service = await serve({ 'f/ask/one/scenario.json': { exchanges } })
  const wrong = await post(service.url, ticket, {}, '/v1/decisions')
  assert.is(wrong.status, 400)
  assert.match(await wrong.text(), 'A document of this form belongs to POST /v1/questions')
  assert.is((await post(service.url, ticket, {}, '/v1/systemone')).status, 200)
  assert.is((await post(service.url, ticket, {}, '/ask/one/v1/decisions')).status, 200)
})

test('the project’s own fixtures: each recorded request gets a recorded answer', async () => {
  const engine = await openReplayEngine(fixturesFolder, nodeFiles, nodeClock)()
  if (E.isLeft(engine)) throw new Error(JSON.stringify(engine.left))
  const context = {
    signal: new AbortController().signal,
    span: noSpan,
    compute: TE.fromIO,
  }
  let played = 0
  for (const named of readProjectScenarios()) {
    const [only, second] = named.scenario.exchanges ?? []
    if (only?.request.bodyFile === undefined || second !== undefined) continue
    const { response } = only
    if ((response.raw ?? response.fault ?? response.encoding) !== undefined) continue
    const path = parseOperationPath(only.request.path)?.route
    const dialect = servedDialects.find(({ askPath }) => askPath === path)
    if (dialect === undefined) continue
    const body = readFileSync(join(named.folder, only.request.bodyFile))
    const asked = { operation: 'ask', dialect, body } as const
    const passed = await engine.right.pass(asked, context)()
    assert.ok(E.isRight(passed) && passed.right.body.length > 0, named.name)
    played++
  }
  assert.ok(played > 100)
})

test.run()
