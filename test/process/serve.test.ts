import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleRequest, post } from '../service/run-service'
import { binFile, runProgram, workingFolder } from '../support/program'
import { startServe } from '../support/serve'
import { startTcpServer } from '../support/servers'
import { until } from '../support/until'

const test = suite('process: svc serve')

/** Sends the example request with a key. Resolves with the status of the response. */
const postWithKey = async (url: string, key: string): Promise<number> =>
  (await post(url, exampleRequest, { headers: { authorization: `Bearer ${key}` } })).status

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`reports its address, answers, and ends with 0 and an empty stdout after ${signal}`, async () => {
    const { url, stop } = await startServe()
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.is((await post(url, exampleRequest)).status, 200)
    assert.equal(await stop(signal), {
      code: 0,
      signal: null,
      stdout: '',
      stderr:
        'svc: the embedded engine is small: it knows topics, but no logic; see svc help engines\n' +
        `svc: listening on ${url}\nsvc: stopping\n`,
    })
  })

test('warns of a key that is sent to the engine of another machine without encryption', async () => {
  const runWithEngine = async (address: string): Promise<string> => {
    const flags = ['--engine', 'upstream', '--log-level', 'warning', '--engine-url', address]
    const { stop } = await startServe(flags, { env: { SERVICE_ENGINE_API_KEY: 'k' } })
    return (await stop()).stderr
  }
  const warning = 'level=warning msg="the API key is sent without encryption" host=service.test\n'
  assert.match(await runWithEngine('http://service.test/v1'), warning)
  assert.not.match(await runWithEngine('http://127.0.0.1:1/v1'), 'without encryption')
})

for (const engine of ['chat', 'upstream'])
  test(`says that the server of the engine ${engine} does not answer, at the default log level`, async () => {
    const flags = ['--engine', engine, '--engine-model', 'm', '--engine-url', 'http://127.0.0.1:1']
    const env = { SERVICE_ENGINE_API_KEY: 'k' }
    const serving = await startServe(engine === 'chat' ? flags : flags.toSpliced(2, 2), { env })
    await serving.waitForStderr(
      /^svc: the engine does not answer yet: .*refused.*127\.0\.0\.1:1.*; svc asks it again for each request$/m,
    )
    assert.is((await serving.stop()).code, 0)
  })

test('logs every request with --log-level info, without keys', async () => {
  const env = { SERVICE_API_KEYS: 'one,two' }
  const { url, stop } = await startServe(['--log-level', 'info'], { env })
  assert.is((await post(url, exampleRequest)).status, 401)
  assert.is(await postWithKey(url, 'two'), 200)
  const { code, stderr } = await stop()
  assert.is(code, 0)
  assert.match(stderr, /status=401 .*\n.*status=200 .*model=svc-embedded-1\nsvc: stopping\n$/)
  assert.not.match(stderr, 'two')
})

test('names callers by their keys in the JSON log and in the metrics', async () => {
  const flags = ['--log-level', 'info', '--log-format', 'json', '--trusted-proxy', '127.0.0.1']
  const { url, stop } = await startServe(flags, { env: { SERVICE_API_KEYS: 'shop:one,two' } })
  const headers = { authorization: 'Bearer one', 'x-forwarded-for': '192.0.2.7' }
  assert.is((await post(url, exampleRequest, { headers })).status, 200)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.match(
    metrics,
    'svc_http_requests_total{route="/v1/questions",method="POST",status="200",key="shop"} 1',
  )
  const { stderr } = await stop()
  const logLine = stderr.split('\n').find((line) => line.includes('"request"')) ?? ''
  const { msg, level, status, key, peer } = JSON.parse(logLine)
  assert.equal(
    { msg, level, status, key, peer },
    { msg: 'request', level: 'info', status: 200, key: 'shop', peer: '192.0.2.7' },
  )
})

test('a second signal ends svc serve at once', async () => {
  const silentEngine = await startTcpServer(() => undefined)
  const flags = ['--engine', 'upstream', '--engine-url', silentEngine.url]
  const { url, stop } = await startServe(flags, { env: { SERVICE_ENGINE_API_KEY: 'k' } })
  const call = post(url, exampleRequest).catch(() => 'cut off')
  // svc makes the first connection at its start, to find out if the service answers.
  await until(() => silentEngine.countConnections() > 1)
  void stop()
  const refusesConnections = () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    )
  await until(refusesConnections)
  // Only a second signal ends the open call. If svc has not handled the first signal yet, the system may deliver both as one. So the
  // test repeats the signal until svc ends.
  const repeatedSignals = setInterval(() => void stop(), 100)
  assert.is((await stop()).code, 130)
  clearInterval(repeatedSignals)
  assert.is(await call, 'cut off')
  await silentEngine.close()
})

test('accepts only the keys of --api-keys-file', async () => {
  const keysFile = join(workingFolder, 'keys.txt')
  writeFileSync(keysFile, '# staff\nfile-key\n')
  // svc requires keys for an address that other machines reach. Those of a file are enough.
  const service = await startServe(['--host', '0.0.0.0', '--api-keys-file', keysFile])
  const url = `http://127.0.0.1:${new URL(service.url).port}`
  assert.is(await postWithKey(url, 'file-key'), 200)
  assert.is(await postWithKey(url, 'other-key'), 401)
  assert.is((await service.stop()).code, 0)
})

test('SIGHUP reloads the file of keys; if it is invalid, the old keys stay in effect', async () => {
  const keysFile = join(workingFolder, 'changing-keys.txt')
  writeFileSync(keysFile, 'first-key\n', { mode: 0o600 })
  const { child, url, stop, waitForStderr } = await startServe(
    ['--api-keys-file', keysFile, '--log-level', 'info'],
    { env: { SERVICE_API_KEYS: 'variable-key' } },
  )
  const reload = async (text: string, mode: number, logLine: RegExp): Promise<void> => {
    writeFileSync(keysFile, text)
    chmodSync(keysFile, mode)
    child.kill('SIGHUP')
    await waitForStderr(logLine)
  }
  const postWithEachKey = async () => ({
    first: await postWithKey(url, 'first-key'),
    second: await postWithKey(url, 'second-key'),
    variable: await postWithKey(url, 'variable-key'),
  })
  const onlyOldKeys = { first: 200, second: 401, variable: 200 }
  assert.equal(await postWithEachKey(), onlyOldKeys)

  const invalidFiles = [
    { text: '# none\n', mode: 0o600, cause: 'API keys file .* holds no' },
    { text: 'stolen-key\n', mode: 0o620, cause: 'API keys file .* can be written by' },
    // The check of all keys, of the file and the variable, names no file.
    { text: 'two words\n', mode: 0o600, cause: 'a configured API key holds a blank' },
  ]
  for (const { text, mode, cause } of invalidFiles) {
    await reload(text, mode, new RegExp(`level=error msg="kept the old API keys" cause="${cause}`))
    assert.equal(await postWithEachKey(), onlyOldKeys)
  }

  await reload('second-key\n', 0o644, /level=info msg="read the API keys again" keys=2\n/)
  assert.equal(await postWithEachKey(), { first: 401, second: 200, variable: 200 })
  const { code, stderr } = await stop()
  assert.is(code, 0)
  assert.match(stderr, 'level=warning msg="others can read the file with the API keys" file=')
  assert.not.match(stderr, /(?:first|second|variable|stolen)-key|two words/)
})

const createPipe = (path: string): void => {
  execFileSync('mkfifo', [path])
  chmodSync(path, 0o600)
}

test('refuses a pipe as the file of keys at the start', async () => {
  const keysFile = join(workingFolder, 'pipe-at-start')
  createPipe(keysFile)
  const { stderr } = await runProgram(['serve', '--port', '0', '--api-keys-file', keysFile])
  assert.is(stderr, `svc: read API keys file ${keysFile}: not a regular file\n`)
})

test('refuses a pipe as the file of keys on SIGHUP', async () => {
  const keysFile = join(workingFolder, 'pipe-later')
  writeFileSync(keysFile, 'k\n', { mode: 0o600 })
  const flags = ['--api-keys-file', keysFile, '--log-level', 'error']
  const { child, stop, waitForStderr } = await startServe(flags)
  rmSync(keysFile)
  createPipe(keysFile)
  child.kill('SIGHUP')
  await waitForStderr(/kept the old API keys" cause="read API keys file .*: not a regular file"/)
  assert.is((await stop()).code, 0)
})

for (const mode of [0o602, 0o660])
  test(`refuses a file of keys with the mode ${mode.toString(8)}, which others can write`, async () => {
    const keysFile = join(workingFolder, 'open-keys.txt')
    writeFileSync(keysFile, 'k\n')
    chmodSync(keysFile, mode)
    const { code, stderr } = await runProgram(['serve', '--port', '0', '--api-keys-file', keysFile])
    assert.is(code, 1)
    assert.is(stderr, `svc: API keys file ${keysFile} can be written by others than its owner\n`)
  })

test('every line of stderr is JSON with --log-format json', async () => {
  const keysFile = join(workingFolder, 'json-keys.txt')
  writeFileSync(keysFile, 'one\n', { mode: 0o644 })
  const flags = ['--log-level', 'info', '--log-format', 'json', '--api-keys-file', keysFile]
  const { url, stop } = await startServe(flags)
  await postWithKey(url, 'one')
  const { stderr } = await stop()
  const lines = stderr.trim().split('\n')
  const messages = lines.map((line) => JSON.parse(line))
  assert.equal(
    messages.map(({ msg }) => msg).filter((msg) => !msg.includes('engine')),
    ['others can read the file with the API keys', 'listening', 'request', 'stopping'],
  )
  const [listening, request] = messages.filter(({ msg }) => /^(listening|request)$/.test(msg))
  assert.is(listening.url, url)
  assert.type(request.duration_ms, 'number')
})

test('a failed start is a line of JSON too with --log-format json', async () => {
  const args = ['serve', '--log-format', 'json', '--engine', 'upstream']
  const { code, stdout, stderr } = await runProgram(args, { env: {} })
  assert.is(code, 1)
  const { level, msg, kind } = JSON.parse(stderr)
  const { error } = JSON.parse(stdout)
  assert.equal({ level, msg, kind }, { level: 'error', msg: error.message, kind: 'usage' })
})

test('names the address variable of a provider that it does not use', async () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:1' }
  const run = async (...flags: ReadonlyArray<string>) => {
    const { stop } = await startServe(flags, { env })
    return (await stop()).stderr
  }
  const line = /^svc: OPENAI_BASE_URL is not used: svc serve takes an address from --engine-url$/m
  assert.match(await run('--engine', 'upstream', '--engine-provider', 'openai'), line)
  assert.not.match(await run(), line)
})

test('SIGHUP is ignored if stdout or stderr is a file, as under nohup', async () => {
  const outputFile = join(workingFolder, 'nohup.out')
  for (const streams of ['>', '2>']) {
    writeFileSync(outputFile, '')
    const command = `"${process.execPath}" "${binFile}" serve --port 0 ${streams} "${outputFile}" & echo "pid=$!"; wait`
    const shell = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
    let output = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    const readOutput = () => output + readFileSync(outputFile, 'utf8')
    await until(() => readOutput().includes('listening on'))
    const pid = Number(/pid=(\d+)/.exec(output)?.[1])
    const url = /listening on (\S+)/.exec(readOutput())?.[1]
    process.kill(pid, 'SIGHUP')
    assert.is((await fetch(`${url}/healthz`)).status, 200)
    assert.not.match(readOutput(), 'stopping')
    process.kill(pid, 'SIGTERM')
    await once(shell, 'close')
    assert.match(readOutput(), 'stopping')
  }
})

test('SIGHUP stops the service if there is no file of keys', async () => {
  const { stop } = await startServe()
  const { code, signal, stderr } = await stop('SIGHUP')
  assert.is(code, 0)
  assert.is(signal, null)
  assert.match(stderr, /svc: stopping\n$/)
})

test('refuses a port that another program listens on', async () => {
  const otherProgram = await startTcpServer(() => undefined)
  const { code, stderr } = await runProgram(['serve', '--port', String(otherProgram.port)], {
    env: {},
  })
  assert.is(code, 1)
  assert.is(
    stderr,
    `svc: listen on 127.0.0.1:${otherProgram.port}: address already in use; choose another port by --port\n`,
  )
  await otherProgram.close()
})

test.run()
