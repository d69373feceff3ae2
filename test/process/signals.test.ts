import { execFileSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  interruptedResult,
  type ProgramResult,
  type RunningProgram,
  startProgram,
  workingFolder,
} from '../support/program'
import { closeAfterEach, startTcpServer } from '../support/servers'
import { startFullBacklogService } from './full-backlog-service'

const test = suite('process: signals')
closeAfterEach(test)

/** `--noul` asks a yes/no question, and `--timeout 0` waits without a limit. */
const flags = ['--state', 's', '--noul', 'q=Is it?', '--timeout', '0', '--log-level', 'debug']

const startAsk = (baseUrl: string): RunningProgram =>
  startProgram(['ask', ...flags, '--base-url', baseUrl])

/** Waits for the end of a program. Removes the log lines from its stderr. */
const waitForEnd = async ({ ended }: RunningProgram): Promise<ProgramResult> => {
  const result = await ended
  return { ...result, stderr: result.stderr.replace(/^time=.*\n/gm, '') }
}

const sendSignal = (running: RunningProgram, signal: NodeJS.Signals): Promise<ProgramResult> => {
  running.child.kill(signal)
  return waitForEnd(running)
}

/** Starts a service that answers the first bytes of each connection with `response`, and then leaves the connection open. */
const startStallingService = async (response: string) => {
  const events: string[] = []
  const emitter = new EventEmitter()
  const answered = once(emitter, 'answered')
  const disconnected = once(emitter, 'disconnected')
  const { url } = await startTcpServer((socket) => {
    events.push('connected')
    socket.once('data', () => socket.write(response, () => emitter.emit('answered')))
    socket.once('close', () => {
      events.push('disconnected')
      emitter.emit('disconnected')
    })
  })
  return {
    url,
    /** `connected` and `disconnected`, in order. */
    events,
    /** Resolves once a request has come and the response was written. */
    answered,
    /** Resolves once the client has closed the connection. */
    disconnected,
  }
}

const partialResponses: ReadonlyArray<{ readonly title: string; readonly response: string }> = [
  { title: 'svc waits for headers', response: '' },
  { title: 'svc reads headers', response: 'HTTP/1.1 200 OK\r\nContent-Le' },
  {
    title: 'svc reads the body',
    response: 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"model"',
  },
  {
    title: 'svc reads the body of an error',
    response: 'HTTP/1.1 503 Busy\r\nContent-Length: 99\r\n\r\nx',
  },
]

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  for (const { title, response } of partialResponses)
    test(`${signal} ends a run while ${title}`, async () => {
      const service = await startStallingService(response)
      const running = startAsk(service.url)
      await service.answered
      assert.equal(await sendSignal(running, signal), interruptedResult)
      await service.disconnected
      assert.equal(service.events, ['connected', 'disconnected'])
    })

  test(`${signal} ends a run during the wait before a retry`, async () => {
    const busy = 'HTTP/1.1 503 Busy\r\nRetry-After: 29\r\nContent-Length: 0\r\n\r\n'
    const service = await startStallingService(busy)
    const running = startAsk(service.url)
    await running.waitForStderr(/msg=retrying/)
    await service.disconnected
    assert.equal(await sendSignal(running, signal), interruptedResult)
    assert.equal(service.events, ['connected', 'disconnected'])
  })

  test(`${signal} ends a run while svc reads stdin`, async () => {
    const running = startProgram(['ask', '--log-level', 'debug'])
    const { stdin } = running.child
    stdin?.write('{"state":')
    // A pipe holds less than 1 MiB. Once this is written, svc has read a part of it.
    await new Promise<void>((resolve) => stdin?.write(' '.repeat(1 << 20), () => resolve()))
    assert.equal(await sendSignal(running, signal), interruptedResult)
  })

  test(`${signal} ends a run while svc reads a named pipe`, async () => {
    const path = join(workingFolder, `pipe-${signal}`)
    execFileSync('mkfifo', [path])
    const running = startProgram(['ask', '-f', path])
    // The pipe can be opened for writing once svc has opened it for reading.
    const writer = await open(path, 'w')
    assert.equal(await sendSignal(running, signal), interruptedResult)
    await writer.close()
  })

  test(`${signal} ends a run during the TLS handshake`, async () => {
    const service = await startStallingService('')
    const running = startAsk(service.url.replace('http:', 'https:'))
    await service.answered
    assert.equal(await sendSignal(running, signal), interruptedResult)
    await service.disconnected
  })

  test(`${signal} ends a run while svc waits for the response of a proxy`, async () => {
    const proxy = await startStallingService('')
    const env = {
      HTTP_PROXY: proxy.url,
      SERVICE_BASE_URL: 'http://service.example',
      SERVICE_API_KEY: 'k',
    }
    const running = startProgram(['ask', ...flags], { env })
    await proxy.answered
    assert.equal(await sendSignal(running, signal), interruptedResult)
    await proxy.disconnected
  })

  if (process.platform === 'linux')
    test(`${signal} ends a run while svc connects`, async () => {
      const service = await startFullBacklogService()
      const running = startAsk(service.url)
      await service.waitForConnection()
      assert.equal(await sendSignal(running, signal), interruptedResult)
      service.close()
    })
}

test('a second signal ends a run at once', async () => {
  const service = await startStallingService('')
  const running = startAsk(service.url)
  await service.answered
  running.child.kill('SIGINT')
  running.child.kill('SIGTERM')
  const { code, signal, stdout } = await waitForEnd(running)
  // The second signal may come before or after the first one has ended the run.
  assert.ok(code === 130 || signal === 'SIGINT' || signal === 'SIGTERM', `${code} ${signal}`)
  assert.ok(interruptedResult.stdout.startsWith(stdout))
  await service.disconnected
})

test.run()
