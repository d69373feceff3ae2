import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, interrupted, type Running, start } from '../support/program'
import { closeAfterEach, startTcpServer } from '../support/servers'
import { startFullBacklogService } from './full-backlog-service'

const test = suite('process: signals')
closeAfterEach(test)

const ask = ['ask', '--state', 's', '--noul', 'q=Is it?', '--timeout', '0', '--log-level', 'debug']

/** Without the log lines, of which a run in back-off has written one. */
const withoutLogs = (text: string): string => text.replace(/^time=.*\n/gm, '')

const endOf = async ({ ended }: Running) => {
  const { stderr, ...rest } = await ended
  return { ...rest, stderr: withoutLogs(stderr) }
}

/**
 * A service that answers every connection's first bytes with `bytes`. `reached` resolves once a request came
 * and was answered, `left` when its connection is closed from the other side.
 */
const stage = async (bytes: string) => {
  const events: string[] = []
  let reach = (): void => undefined
  let leave = (): void => undefined
  const reached = new Promise<void>((done) => {
    reach = done
  })
  const left = new Promise<void>((done) => {
    leave = done
  })
  const service = await startTcpServer((socket) => {
    events.push('connected')
    socket.once('data', () => socket.write(bytes, () => reach()))
    socket.once('close', () => {
      events.push('closed')
      leave()
    })
  })
  return { ...service, events, reached, left }
}

const states: ReadonlyArray<readonly [state: string, bytes: string]> = [
  ['the wait for headers', ''],
  ['the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ['the body', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"model"'],
  ['the body of a failure', 'HTTP/1.1 503 Busy\r\nContent-Length: 99\r\n\r\nx'],
]

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  for (const [state, bytes] of states)
    test(`${signal} during ${state}`, async () => {
      const service = await stage(bytes)
      const running = start([...ask, '--base-url', service.url])
      await service.reached
      running.child.kill(signal)
      assert.equal(await endOf(running), interrupted)
      await service.left
      assert.equal(service.events, ['connected', 'closed'])
    })

  test(`${signal} during back-off`, async () => {
    const busy = 'HTTP/1.1 503 Busy\r\nRetry-After: 29\r\nContent-Length: 0\r\n\r\n'
    const service = await stage(busy)
    const running = start([...ask, '--base-url', service.url])
    await running.waitForStderr(/msg=retrying/)
    await service.left
    running.child.kill(signal)
    assert.equal(await endOf(running), interrupted)
    assert.equal(service.events, ['connected', 'closed'])
  })

  test(`${signal} while standard input is read`, async () => {
    const running = start(['ask', '--log-level', 'debug'])
    running.child.stdin?.write('{"state":')
    // svc does not show that it reads. A full pipe does.
    await new Promise<void>((full) => running.child.stdin?.write(' '.repeat(1 << 20), () => full()))
    running.child.kill(signal)
    assert.equal(await endOf(running), interrupted)
  })

  test(`${signal} while a named pipe is read`, async () => {
    const path = join(folder, `pipe-${signal}`)
    execFileSync('mkfifo', [path])
    const running = start(['ask', '-f', path])
    // Opens once the program has opened its own end.
    const writer = await open(path, 'w')
    running.child.kill(signal)
    assert.equal(await endOf(running), interrupted)
    await writer.close()
  })

  test(`${signal} during the TLS handshake`, async () => {
    const service = await stage('')
    const running = start([...ask, '--base-url', service.url.replace('http:', 'https:')])
    await service.reached
    running.child.kill(signal)
    assert.equal(await endOf(running), interrupted)
    await service.left
  })

  test(`${signal} while a proxy keeps its word back`, async () => {
    const proxy = await stage('')
    const env = {
      HTTP_PROXY: proxy.url,
      SERVICE_BASE_URL: 'http://service.example',
      SERVICE_API_KEY: 'k',
    }
    const running = start(ask, { env })
    await proxy.reached
    running.child.kill(signal)
    assert.equal(await endOf(running), interrupted)
    await proxy.left
  })

  if (process.platform === 'linux')
    test(`${signal} during the connection`, async () => {
      const service = await startFullBacklogService()
      const running = start([...ask, '--base-url', service.url])
      await service.waitForConnection()
      running.child.kill(signal)
      assert.equal(await endOf(running), interrupted)
      service.close()
    })
}

test('a second signal ends it at once', async () => {
  const service = await stage('')
  const running = start([...ask, '--base-url', service.url])
  await service.reached
  running.child.kill('SIGINT')
  running.child.kill('SIGTERM')
  const { code, signal, stdout } = await endOf(running)
  assert.ok(code === 130 || signal === 'SIGINT' || signal === 'SIGTERM', `${code} ${signal}`)
  assert.ok(interrupted.stdout.startsWith(stdout))
  await service.left
})

test.run()
