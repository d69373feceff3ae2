import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleRequest, post } from '../service/run-service'
import { createTemporaryFolder } from '../support/folders'
import { runProgram } from '../support/program'
import { startServe } from '../support/serve'
import { until } from '../support/until'

const test = suite('process: svc serve --log-answers')

const readLog = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Reads the indexes of the records. Throws if a line is not whole. */
const readIndexes = (text: string): ReadonlyArray<number> =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).index)

test('the log of a service that was killed under load has only whole lines, and a new service continues it', async () => {
  const path = join(createTemporaryFolder(), 'log.jsonl')
  const { child, url, ended } = await startServe(['--log-answers', path])
  let isRunning = true
  const client = async (): Promise<void> => {
    while (isRunning) await post(url, exampleRequest).catch(() => undefined)
  }
  const clients = [client(), client(), client(), client()]
  await until(() => readLog(path).length > 20_000)
  child.kill('SIGKILL')
  await ended
  isRunning = false
  await Promise.all(clients)
  const text = readLog(path)
  assert.ok(text.endsWith('\n'))
  const indexes = readIndexes(text)
  assert.equal(
    indexes,
    indexes.map((_, i) => i),
  )
  const next = await startServe(['--log-answers', path])
  await post(next.url, exampleRequest)
  await next.stop()
  assert.is(readIndexes(readLog(path)).at(-1), indexes.length)
})

test('a log can be rotated in the middle: the files joined are one run', async () => {
  const path = join(createTemporaryFolder(), 'log.jsonl')
  const { child, url, stop } = await startServe(['--log-answers', path])
  await post(url, exampleRequest)
  await until(() => readLog(path) !== '')
  renameSync(path, `${path}.1`)
  child.kill('SIGHUP')
  await until(() => existsSync(path))
  await post(url, exampleRequest)
  assert.is((await stop()).code, 0)
  assert.equal(readIndexes(readLog(`${path}.1`) + readLog(path)), [0, 1])
})

test('a second service on one log is refused', async () => {
  const path = join(createTemporaryFolder(), 'log.jsonl')
  const first = await startServe(['--log-answers', path])
  const { code, stderr } = await runProgram(['serve', '--port', '0', '--log-answers', path])
  assert.is(code, 1)
  assert.match(stderr, `svc: write ${path}: another svc is writing it`)
  await first.stop()
})

test('the name of a key is the caller in the log, and the key is nowhere', async () => {
  const path = join(createTemporaryFolder(), 'log.jsonl')
  const env = { SERVICE_API_KEYS: 'shop:sk-of-the-shop' }
  const { url, stop } = await startServe(['--log-answers', path, '--log-states'], { env })
  const headers = { authorization: 'Bearer sk-of-the-shop' }
  const request = { ...exampleRequest, state: 'My key is sk-of-the-shop.' }
  assert.is((await post(url, request, { headers })).status, 200)
  await stop()
  const record = JSON.parse(readLog(path))
  assert.equal(
    { caller: record.caller, state: record.state },
    { caller: 'shop', state: 'My key is [redacted].' },
  )
})

test.run()
