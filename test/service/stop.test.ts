import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { example, firstOption, post, raw, standIn, start } from './support'

const test = suite('service: stopping (D43)')

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))
const slow = (ms: number) =>
  standIn(async (request) => {
    await wait(ms)
    return firstOption(request)
  })

test('what is in flight is finished, nothing new is taken, connections end', async () => {
  const service = await start(slow(400))
  const answer = post(service.url, example)
  await wait(100)
  const stopping = service.stop()
  await wait(50)
  assert.is(await post(service.url, example).catch(() => 'refused'), 'refused')
  const response = await answer
  assert.is(response.status, 200)
  assert.is(response.headers.get('connection'), 'close')
  assert.ok((await response.text()).startsWith('{"model"'))
  await stopping
})

test('quiet connections do not hold it up', async () => {
  const service = await start()
  const sockets = [0, 1, 2].map(() => connect(service.port, '127.0.0.1'))
  const closed = sockets.map((socket) => new Promise((done) => socket.on('close', done).resume()))
  await wait(50)
  await service.stop()
  await Promise.all(closed)
})

test('after the grace period the rest is cut off', async () => {
  const service = await start(
    standIn(() => new Promise(() => undefined)),
    { drainMs: 300 },
  )
  const answer = post(service.url, example).then(
    (response) => response.status,
    () => 'cut off',
  )
  await wait(100)
  await service.stop()
  assert.ok(['cut off', 502].includes(await answer))
})

test('requests half sent do not outlive it', async () => {
  const service = await start(standIn(), { drainMs: 300 })
  const half = raw(service.port, ['POST /v1/questions HTTP/1.1\r\nAuthorization: Bearer k\r\n'])
  await wait(100)
  await service.stop()
  await half
})

test.run()
