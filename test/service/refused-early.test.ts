import { once } from 'node:events'
import { connect } from 'node:net'
import fetch from 'node-fetch'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { handClock } from '../support/clock'
import { until } from '../support/until'
import { example, post as postTo, type Running, raw, standIn, start } from './support'

const test = suite('service: requests refused while they come, and answers not taken (D70, D71)')

let service: Running
test.before(async () => {
  service = await start(standIn(), { keys: ['k'] })
})
test.after(() => service.stop())

const mib = Buffer.alloc(1 << 20, 0x20)
const post = 'POST /v1/questions HTTP/1.1\r\nHost: localhost\r\n'

test('a caller that goes on sending still gets the refusal whole, and the connection ends', async () => {
  const key = 'Authorization: Bearer k\r\n'
  const length = `Content-Length: ${20 << 20}\r\n\r\n`
  for (const [status, head] of [
    [401, `${post}${length}`],
    [413, `${post}${key}${length}`],
    [415, `${post}${key}Content-Type: text/plain\r\n${length}`],
    [400, `${post}Content-Length: x\r\n\r\n`],
  ] as const) {
    const socket = connect(service.port, '127.0.0.1')
    let [received, failure] = ['', '']
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text
    })
    socket.on('error', ({ message }) => {
      failure = message
    })
    socket.write(head)
    // As many callers do, it reads nothing before it has sent all.
    socket.pause()
    socket.write(Buffer.concat(Array(20).fill(mib)), () => socket.resume())
    await once(socket, 'close')
    assert.is(failure, '', String(status))
    assert.match(
      received,
      new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*connection: close[\\s\\S]*\\{.*\\}$`, 'i'),
    )
  }
})

test('clients that send a large body learn why it is refused', async () => {
  const url = `${service.url}/v1/questions`
  const headers = { 'content-type': 'application/json', authorization: 'Bearer k' }
  for (let i = 0; i < 5; i++) {
    const large = await fetch(url, { method: 'POST', headers, body: Buffer.alloc(17 << 20, 0x20) })
    assert.is(large.status, 413)
    assert.match(await large.text(), /request exceeds 2097152 bytes \(--max-body\)/)
    const unknown = await fetch(url, { method: 'POST', body: Buffer.alloc(17 << 20, 0x20) })
    assert.is(unknown.status, 401)
    assert.match(await unknown.text(), /authentication_error/)
  }
})

test('a request that came whole before it was refused keeps its connection', async () => {
  const request = `${post}Content-Length: 2\r\n\r\n{}`
  const answers = await raw(service.port, [
    request,
    request.replace('Host', 'Connection: close\r\nHost'),
  ])
  assert.is(answers.split('HTTP/1.1 401').length, 3)
})

test('a body in countless pieces is refused', async () => {
  const pieces = Buffer.from('1\r\n \r\n'.repeat(1001))
  const head = `${post}Authorization: Bearer k\r\nTransfer-Encoding: chunked\r\n\r\n`
  assert.match(await raw(service.port, [head, pieces]), /^HTTP\/1\.1 400 [\s\S]*too many pieces/)
  const some = Buffer.from('1\r\n \r\n'.repeat(998))
  const body = JSON.stringify(example)
  const end = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const taken = await raw(service.port, [
    head.replace('Host', 'Connection: close\r\nHost'),
    some,
    end,
  ])
  assert.match(taken, /^HTTP\/1\.1 200 /)
})

test('answers that nobody takes fill the room there is, until they are cut', async () => {
  const clock = handClock()
  const limits = { idleMs: 3000, maxHeldBytes: 30 << 20, maxBody: 16 << 20 }
  const full = await start(standIn(), limits, { clock })
  const criteria = { ['x'.repeat(4 << 20)]: null }
  const document = JSON.stringify({ state: 1, questions: { q: { type: 'choice', criteria } } })
  const head = `${post}Authorization: Bearer k\r\nContent-Length: ${document.length}\r\n\r\n`
  const callers = [1, 2].map(() => {
    const socket = connect(full.port, '127.0.0.1').on('error', () => undefined)
    socket.pause().write(head + document)
    return socket
  })
  await until(() => full.lines.join('').split('status=200').length === 3)
  const status = () => postTo(full.url, document).then((response) => response.status)
  assert.is(await status(), 529)
  assert.is((await fetch(`${full.url}/healthz`)).status, 200)
  clock.pass(limits.idleMs)
  // They read nothing, so that it takes a byte on their connection to learn that it is cut.
  await until(() => {
    for (const socket of callers) socket.write('\r\n')
    return callers.every(({ destroyed }) => destroyed)
  })
  assert.is(await status(), 200)
  await full.stop()
})

test.run()
