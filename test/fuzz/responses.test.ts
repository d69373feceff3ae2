import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jsonDocument } from '../codec/json/json-documents'
import { runMain } from '../main/run-main'
import * as fc from '../support/fast-check'
import { readRequestBody, startHttpServer, startTcpServer } from '../support/servers'
import { assertDocumentRun } from './check-run'
import { damage, fuzz } from './fuzz'

const test = suite('fuzz: responses')

const anyJson = jsonDocument.map(({ printed }) => printed)
const text = fc.oneof(
  fc.string({ unit: fc.anyCharacter, maxLength: 30 }),
  fc.constant('x'.repeat(300)),
)

/** Generates answers. A `noul` answers a yes/no question. Some answers lack a member, or have a type that svc does not know, such as `rank`. */
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
  anyJson,
)
/** Generates bodies that are valid responses to `svc ask` and `svc models`, unless the generated answer or usage is invalid. */
const successBody = fc
  .tuple(fc.constantFrom('q', '__proto__', '10', ''), answer, anyJson)
  .map(([id, answerText, usage]) => {
    const answers = `{"r":{"type":"rank","x":1e400},${JSON.stringify(id)}:${answerText}}`
    return `{"model":"m","models":[],"answers":${answers},"usage":${usage},"request_id":"r"}`
  })

/** A service may repeat the API key, such as in this `message`. */
const listOfFaults = fc.tuple(text, anyJson).map(([message, extra]) => {
  const detail = [{ loc: [message, 1], msg: message }, message, null]
  return `{"detail":${JSON.stringify(detail)},"x":${extra},"message":"sk-secret"}`
})
const typedError = fc
  .tuple(text, text)
  .map(([type, message]) =>
    JSON.stringify({ detail: { error_type: type, message }, request_id: type }),
  )
const errorBody = fc.oneof(
  text.map((detail) => JSON.stringify({ detail })),
  listOfFaults,
  typedError,
  anyJson.map((error) => `{"error":${error}}`),
)
const body = fc.oneof(
  successBody.map((json) => Buffer.from(json)),
  errorBody.map((json) => Buffer.from(json)),
  damage(fc.oneof(successBody, errorBody)),
  fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
)

const headerName = fc.constantFrom(
  'retry-after',
  'retry-after-ms',
  'x-service-request-id',
  'location',
  'content-encoding',
  'content-type',
  'connection',
  'set-cookie',
  'x-other',
)
const headerValue = fc.oneof(
  fc.constantFrom('0', '-1', '1e9', '300001', 'Thu, 01 Jan 1970 00:00:00 GMT', 'gzip', 'br', ''),
  fc.constantFrom('identity', 'deflate, gzip', 'chunked', '//u:p@h/sk-secret', 'http://[', 'é'),
  fc.stringMatching(/^[ -~\u00a0-\u00ff]{0,12}$/),
)
const headers = fc.dictionary(headerName, headerValue, { maxKeys: 3, noNullPrototype: true })
const status = fc.oneof(
  fc.constantFrom(200, 201, 204, 206, 299, 301, 304, 400, 401, 403, 404, 408, 422, 429, 500, 529),
  fc.integer({ min: 200, max: 999 }),
)
const commandLine = fc.constantFrom(
  ['ask'],
  ['ask', '--raw'],
  ['models', '--pretty'],
  ['ask', '--log-level=debug'],
)

/** Calls the service, and checks the run. The API key may appear only in a body that the service returned. */
const callService = async (url: string, argv: ReadonlyArray<string>): Promise<void> => {
  const result = await runMain({
    argv: [...argv, '--max-retries=1', '--timeout=15s'],
    env: { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: url },
    stdin: '{"state":"s","questions":{"q":{"type":"noul"}}}',
  })
  assert.not.match(result.stderr, 'sk-secret')
  if (result.code !== 0) assert.not.match(result.stdout, 'sk-secret')
  const isRawBody = result.code === 0 && argv.includes('--raw')
  if (isRawBody) JSON.parse(result.stdout.replace(/^\ufeff/, ''))
  else assertDocumentRun(result)
}

test('no status, header or body crashes svc', async () => {
  /** The response to the next request. */
  let reply = { status: 200, headers: {}, body: Buffer.of() as Uint8Array }
  const service = await startHttpServer(async (incoming, response) => {
    await readRequestBody(incoming)
    response.writeHead(reply.status, reply.headers).end(reply.body)
  })
  try {
    const replies = fc.record({ status, headers, body })
    await fuzz(fc.tuple(commandLine, replies), { inputCount: 300 }, async ([argv, generated]) => {
      reply = generated
      await callService(service.url, argv)
    })
  } finally {
    await service.close()
  }
})

test('no damaged HTTP response crashes svc', async () => {
  const statusLine = fc
    .constantFrom('200 OK', '100 Continue', '101 X', '302 Found', '503 Busy', '99', '')
    .map((statusText) => `HTTP/1.1 ${statusText}\r\n`)
  const headerLines = fc.constantFrom(
    'Content-Length: 40\r\n',
    'Content-Length: 99\r\n',
    'Transfer-Encoding: chunked\r\n',
    '',
    'Content-Encoding: gzip\r\n',
    'Connection: upgrade\r\nUpgrade: x\r\n',
  )
  const response = fc.tuple(statusLine, headerLines, successBody).map(([first, fields, json]) => {
    const chunked = `${Buffer.byteLength(json).toString(16)}\r\n${json}\r\n0\r\n\r\n`
    return `${first}${fields}\r\n${fields.includes('chunked') ? chunked : json}`
  })
  /** The bytes that the server sends for the next request. */
  let reply: Uint8Array = Buffer.of()
  // The server closes each connection, because svc would wait for the rest of a short body.
  const service = await startTcpServer((socket) => socket.once('data', () => socket.end(reply)))
  try {
    await fuzz(
      fc.tuple(commandLine, damage(response)),
      { inputCount: 200 },
      async ([argv, bytes]) => {
        reply = bytes
        await callService(service.url, argv)
      },
    )
  } finally {
    await service.close()
  }
})

test.run()
