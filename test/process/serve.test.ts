import { execFileSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleRequest, post, readJson } from '../service/run-service'
import { root } from '../support/folders'
import { type Ended, folder, run, start } from '../support/program'
import { startTcpServer } from '../support/servers'
import { until } from '../support/until'

const test = suite('service: the command svc serve')

/** Starts the service and waits until it listens at `url`; `stop` sends a signal. */
const serve = async (args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const { child, ended, waitForStderr } = start(['serve', '--port', '0', ...args], {
    cwd: root,
    env,
  })
  const line = await waitForStderr(/^svc: listening on http:\/\/\S+\n/m)
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> => {
    child.kill(signal)
    return ended
  }
  return { url: line.trim().slice('svc: listening on '.length), stop }
}

test('reports its address, answers, and a signal ends it with 0 and an empty stdout', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { url, stop } = await serve([])
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.is((await post(url, exampleRequest)).status, 200)
    const stderr =
      'svc: the lexical engine compares words; for real answers see svc help engines\n' +
      `svc: listening on ${url}\nsvc: stopping\n`
    assert.equal(await stop(signal), { code: 0, signal: null, stdout: '', stderr })
  }
})

test('warns of an engine that gets the key without encryption', async () => {
  const flags = ['--engine', 'upstream', '--log-level', 'warning', '--engine-url']
  const stderrOf = async (address: string) =>
    (await (await serve([...flags, address], { SERVICE_ENGINE_API_KEY: 'k' })).stop()).stderr
  const warning = 'level=warning msg="the API key is sent without encryption" host=service.test\n'
  assert.match(await stderrOf('http://service.test/v1'), warning)
  assert.not.match(await stderrOf('http://127.0.0.1:1/v1'), 'without encryption')
})

test('logs requests when asked to, to the last one', async () => {
  const { url, stop } = await serve(['--log-level', 'info'], { SERVICE_API_KEYS: 'one,two' })
  assert.is((await post(url, exampleRequest)).status, 401)
  assert.is((await post(url, exampleRequest, { authorization: 'Bearer two' })).status, 200)
  const { code, stderr } = await stop()
  assert.is(code, 0)
  assert.match(stderr, /status=401 .*\n.*status=200 .*model=svc-lexical-1\nsvc: stopping\n$/)
  assert.not.match(stderr, /two/)
})

test('logs in JSON and names callers by their keys when asked to', async () => {
  const flags = ['--log-level', 'info', '--log-format', 'json', '--trusted-proxy', '127.0.0.1']
  const { url, stop } = await serve(flags, { SERVICE_API_KEYS: 'shop:one,two' })
  const headers = { authorization: 'Bearer one', 'x-forwarded-for': '192.0.2.7' }
  assert.is((await post(url, exampleRequest, headers)).status, 200)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.match(
    metrics,
    /svc_http_requests_total\{route="\/v1\/questions",method="POST",status="200",key="shop"\} 1/,
  )
  const { stderr } = await stop()
  const line = stderr.split('\n').find((one) => one.startsWith('{')) ?? ''
  const { msg, level, status, key, peer } = JSON.parse(line)
  assert.equal([msg, level, status, key, peer], ['request', 'info', 200, 'shop', '192.0.2.7'])
})

test('a second signal ends it at once', async () => {
  const stuck = await startTcpServer(() => undefined)
  const { url, stop } = await serve(['--engine', 'upstream', '--engine-url', stuck.url], {
    SERVICE_ENGINE_API_KEY: 'k',
  })
  const call = post(url, exampleRequest).catch(() => 'cut off')
  await until(() => stuck.connections() > 0)
  void stop()
  await until(() =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  // The system delivers two signals as one if the program has not taken the first one yet.
  const again = setInterval(() => void stop(), 100)
  assert.is((await stop()).code, 130)
  clearInterval(again)
  assert.is(await call, 'cut off')
  await stuck.close()
})

test('keys come from a file', async () => {
  const file = join(folder, 'keys.txt')
  writeFileSync(file, '# staff\nfiled-key\n')
  const service = await serve(['--host', '0.0.0.0', '--api-keys-file', file])
  const url = `http://127.0.0.1:${new URL(service.url).port}`
  assert.is((await post(url, exampleRequest, { authorization: 'Bearer filed-key' })).status, 200)
  assert.is((await post(url, exampleRequest)).status, 401)
  assert.is((await service.stop()).code, 0)
})

const stranger = (url: string, key: string) =>
  post(url, exampleRequest, { authorization: `Bearer ${key}` }).then(({ status }) => status)

test('SIGHUP reloads the file of keys; if it is invalid, the old keys stay in effect', async () => {
  const file = join(folder, 'changing-keys.txt')
  writeFileSync(file, 'first-key\n', { mode: 0o600 })
  const { child, ended, waitForStderr } = start(
    ['serve', '--port', '0', '--api-keys-file', file, '--log-level', 'info'],
    { cwd: root, env: { SERVICE_API_KEYS: 'kept-key' } },
  )
  const url = (await waitForStderr(/http:\/\/\S+/)).trim()
  const reload = async (text: string, mode: number, outcome: RegExp): Promise<void> => {
    writeFileSync(file, text)
    chmodSync(file, mode)
    child.kill('SIGHUP')
    await waitForStderr(outcome)
  }
  const letIn = async () => [
    await stranger(url, 'first-key'),
    await stranger(url, 'second-key'),
    await stranger(url, 'kept-key'),
  ]
  assert.equal(await letIn(), [200, 401, 200])
  await reload(
    '# none\n',
    0o600,
    /level=error msg="kept the old API keys" cause="API keys file .* holds no/,
  )
  assert.equal(await letIn(), [200, 401, 200])
  await reload(
    'stolen-key\n',
    0o620,
    /kept the old API keys" cause="API keys file .* can be written by/,
  )
  assert.equal(await letIn(), [200, 401, 200])
  await reload(
    'two words\n',
    0o600,
    /kept the old API keys" cause="a configured API key holds a blank/,
  )
  assert.equal(await letIn(), [200, 401, 200])
  await reload('second-key\n', 0o644, /level=info msg="read the API keys again" keys=2\n/)
  assert.equal(await letIn(), [401, 200, 200])
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  assert.is(code, 0)
  assert.match(stderr, /level=warning msg="others can read the file with the API keys" file=/)
  assert.not.match(stderr, /(?:first|second|kept|stolen)-key|two words/)
})

test('refuses a pipe as the file of keys, at the start and on SIGHUP', async () => {
  const file = join(folder, 'piped-keys.txt')
  execFileSync('mkfifo', [file])
  chmodSync(file, 0o600)
  const why = `read API keys file ${file}: not a regular file`
  assert.is((await run(['serve', '--port', '0', '--api-keys-file', file])).stderr, `svc: ${why}\n`)
  rmSync(file)
  writeFileSync(file, 'k\n', { mode: 0o600 })
  const { child, ended, waitForStderr } = start(
    ['serve', '--port', '0', '--api-keys-file', file, '--log-level', 'error'],
    { cwd: root, env: {} },
  )
  await waitForStderr(/listening/)
  rmSync(file)
  execFileSync('mkfifo', [file])
  chmodSync(file, 0o600)
  child.kill('SIGHUP')
  await waitForStderr(/kept the old API keys" cause="read API keys file .*: not a regular file"/)
  child.kill('SIGTERM')
  assert.is((await ended).code, 0)
})

test('a file of keys that others can write is refused', async () => {
  const file = join(folder, 'open-keys.txt')
  writeFileSync(file, 'k\n')
  for (const mode of [0o602, 0o660]) {
    chmodSync(file, mode)
    const { code, stderr } = await run(['serve', '--port', '0', '--api-keys-file', file])
    assert.is(code, 1)
    assert.is(stderr, `svc: API keys file ${file} can be written by others than its owner\n`)
  }
})

test('without a file of keys SIGHUP stops the service as SIGTERM does', async () => {
  const { child, ended, waitForStderr } = start(['serve', '--port', '0'], { cwd: root, env: {} })
  await waitForStderr(/listening/)
  child.kill('SIGHUP')
  const { code, signal, stderr } = await ended
  assert.equal([code, signal], [0, null])
  assert.match(stderr, /svc: stopping\n$/)
})

test('replays fixtures', async () => {
  const { url, stop } = await serve(['--fixtures', 'fixtures/ask/ticket'])
  assert.match((await readJson(await post(url, {}))).detail.message, /Nearest is/)
  assert.is((await stop()).code, 0)
})

test('a start that fails is a usage error with an envelope', async () => {
  const taken = await startTcpServer(() => undefined)
  const port = String(taken.port)
  const empty = join(folder, 'empty.txt')
  writeFileSync(empty, '# nobody\n')
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, Record<string, string>, string]> = [
    [['--port', port], {}, `listen on 127.0.0.1:${port}: address already in use`],
    [['--api-keys-file', empty], {}, `API keys file ${empty} holds no API key`],
    [[], { SERVICE_API_KEYS: ' , ' }, 'SERVICE_API_KEYS holds no API key'],
  ]
  for (const [args, env, message] of cases) {
    const stdout = `${JSON.stringify({ error: { kind: 'usage', message } })}\n`
    assert.equal(await run(['serve', ...args], { env }), {
      code: 1,
      signal: null,
      stdout,
      stderr: `svc: ${message}\n`,
    })
  }
  await taken.close()
})

test.run()
