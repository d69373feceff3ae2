import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { documents } from '../codec/json/documents'
import { run } from '../main/run'
import * as fc from '../support/fast-check'
import { bodyOf, httpServer, tcpServer } from '../support/servers'
import { mutate } from './mutations'
import { checkRun, fuzz } from './rules'

const test = suite('fuzz: responses')

const json = documents.map(({ text }) => text)
const text = fc.oneof(
  fc.string({ unit: fc.anyCharacter, maxLength: 30 }),
  fc.constant('x'.repeat(300)),
)

const answer = fc.oneof(
  fc.constantFrom(
    '{"type":"noul","noul":0.5}',
    '{"type":"choice","choice":"a","confidence":1}',
    '{"type":"score","score":1,"confidence":0.0,"legend":{"0":null},"probabilities":null}',
    '{"type":"noul"}',
    '{"type":"score","score":"1"}',
    '{"type":1}',
    '{"type":"rank"}',
    '{}',
  ),
  json,
)
const success = fc
  .tuple(fc.constantFrom('q', '__proto__', '10', ''), answer, json)
  .map(([id, one, usage]) => {
    const answers = `{"r":{"type":"rank","x":1e400},${JSON.stringify(id)}:${one}}`
    return `{"model":"m","models":[],"answers":${answers},"usage":${usage},"request_id":"r"}`
  })
const trouble = fc.oneof(
  text.map((detail) => JSON.stringify({ detail })),
  fc.tuple(text, json).map(([message, loc]) => {
    const detail = [{ loc: [message, 1], msg: message }, message, null]
    return `{"detail":${JSON.stringify(detail)},"x":${loc},"message":"sk-secret"}`
  }),
  fc
    .tuple(text, text)
    .map((pair) =>
      JSON.stringify({ detail: { error_type: pair[0], message: pair[1] }, request_id: pair[0] }),
    ),
  json.map((error) => `{"error":${error}}`),
)
const body = fc.oneof(
  success.map((whole) => Buffer.from(whole)),
  trouble.map((whole) => Buffer.from(whole)),
  mutate(fc.oneof(success, trouble)),
  fc.uint8Array({ maxLength: 30 }).map((some) => Buffer.from(some)),
)

const value = fc.oneof(
  fc.constantFrom('0', '-1', '1e9', '300001', 'Thu, 01 Jan 1970 00:00:00 GMT', 'gzip', 'br', ''),
  fc.constantFrom('identity', 'deflate, gzip', 'chunked', '//u:p@h/sk-secret', 'http://[', 'é'),
  fc.stringMatching(/^[ -~\u00a0-\u00ff]{0,12}$/),
)
const names = [
  'retry-after',
  'retry-after-ms',
  'x-service-request-id',
  'location',
  'content-encoding',
  'content-type',
  'connection',
  'set-cookie',
  'x-other',
]
const headers = fc.dictionary(fc.constantFrom(...names), value, {
  maxKeys: 3,
  noNullPrototype: true,
})
const status = fc.oneof(
  fc.constantFrom(200, 201, 204, 206, 299, 301, 304, 400, 401, 403, 404, 408, 422, 429, 500, 529),
  fc.integer({ min: 200, max: 999 }),
)
const argv = fc.constantFrom(
  ['ask'],
  ['ask', '--raw'],
  ['models', '--pretty'],
  ['ask', '--log-level=debug'],
)
const request = '{"state":"s","questions":{"q":{"type":"noul"}}}'

const ask = async (url: string, line: ReadonlyArray<string>): Promise<void> => {
  const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: url }
  const world = { argv: [...line, '--max-retries=1', '--timeout=15s'], env, stdin: request }
  const ended = await run(world)
  // A body that goes through unchanged may say anything.
  const quiet = ended.code === 0 ? ended.stderr : ended.stdout + ended.stderr
  assert.not.match(quiet, 'sk-secret')
  if (ended.code === 0 && line.includes('--raw')) JSON.parse(ended.stdout.replace(/^\ufeff/, ''))
  else checkRun(ended)
}

test('bodies, statuses and headers', async () => {
  let next = { status: 200, headers: {}, body: Buffer.of() as Uint8Array }
  const service = await httpServer(async (incoming, response) => {
    await bodyOf(incoming)
    response.writeHead(next.status, next.headers).end(next.body)
  })
  try {
    await fuzz(fc.tuple(argv, fc.record({ status, headers, body })), 300, async ([line, reply]) => {
      next = reply
      await ask(service.url, line)
    })
  } finally {
    await service.close()
  }
})

test('whole responses with bytes gone, doubled and changed', async () => {
  const framing = fc.constantFrom(
    'Content-Length: 40\r\n',
    'Content-Length: 99\r\n',
    'Transfer-Encoding: chunked\r\n',
    '',
    'Content-Encoding: gzip\r\n',
    'Connection: upgrade\r\nUpgrade: x\r\n',
  )
  const lines = ['200 OK', '100 Continue', '101 X', '302 Found', '503 Busy', '99', '']
  const first = fc.constantFrom(...lines)
  const response = fc.tuple(first, framing, success).map(([line, fields, whole]) => {
    const chunk = `${Buffer.byteLength(whole).toString(16)}\r\n${whole}\r\n0\r\n\r\n`
    const end = fields.includes('chunked') ? chunk : whole
    return `HTTP/1.1 ${line}\r\n${fields}\r\n${end}`
  })
  let next: Uint8Array = Buffer.of()
  // Ends every connection, so that nothing waits for more.
  const service = await tcpServer((socket) => socket.once('data', () => socket.end(next)))
  try {
    await fuzz(fc.tuple(argv, mutate(response)), 200, async ([line, bytes]) => {
      next = bytes
      await ask(service.url, line)
    })
  } finally {
    await service.close()
  }
})

test.run()
