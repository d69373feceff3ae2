import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../support/folders'
import { example, post } from './support'

const test = suite('service: the command svc serve (D36, D38, D43)')
const folder = mkdtempSync(join(tmpdir(), 'svc-serve-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

interface Process {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  readonly exit: Promise<number | null>
  /** The address it prints once it listens. */
  readonly url: Promise<string>
}

const serve = (args: ReadonlyArray<string>, env: Record<string, string> = {}): Process => {
  const command = ['--import', 'tsx', 'commands/bin.ts', 'serve', ...args]
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const url = new Promise<string>((done) => {
    child.stderr.on('data', (chunk) => {
      err += chunk
      const found = /^svc: listening on (http:\/\/\S+)\n/m.exec(err)?.[1]
      if (found !== undefined) done(found)
    })
  })
  const exit = once(child, 'close').then(([code]) => code as number | null)
  return { child, out: () => out, err: () => err, exit, url }
}

test('says where it listens, answers, and a signal ends it with 0 and an empty stdout', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const run = serve(['--port', '0'])
    const url = await run.url
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    const response = await post(url, example)
    assert.is(response.status, 200)
    run.child.kill(signal)
    assert.is(await run.exit, 0)
    assert.is(run.out(), '')
    assert.is(run.err(), `svc: listening on ${url}\n`)
  }
})

test('logs requests when asked to, to the last one', async () => {
  const run = serve(['--port', '0', '--log-level', 'info'], { SERVICE_API_KEYS: 'one,two' })
  const url = await run.url
  assert.is((await post(url, example)).status, 401)
  assert.is((await post(url, example, { authorization: 'Bearer two' })).status, 200)
  run.child.kill('SIGTERM')
  assert.is(await run.exit, 0)
  assert.match(run.err(), /status=401 .*\n.*status=200 .*model=svc-lexical-1\n$/)
  assert.not.match(run.err(), /two/)
})

test('a second signal ends it at once', async () => {
  const stuck = createServer().listen(0, '127.0.0.1')
  await once(stuck, 'listening')
  const address = stuck.address()
  const port = typeof address === 'object' ? address?.port : 0
  const run = serve(
    ['--port', '0', '--engine', 'upstream', '--engine-url', `http://127.0.0.1:${port}`],
    { SERVICE_ENGINE_API_KEY: 'k' },
  )
  const url = await run.url
  const call = post(url, example).catch(() => 'cut off')
  await new Promise((next) => setTimeout(next, 200))
  run.child.kill('SIGTERM')
  await new Promise((next) => setTimeout(next, 200))
  run.child.kill('SIGTERM')
  assert.is(await run.exit, 130)
  assert.is(await call, 'cut off')
  stuck.close()
})

test('keys come from a file', async () => {
  const file = join(folder, 'keys.txt')
  writeFileSync(file, '# staff\nfiled-key\n')
  const run = serve(['--port', '0', '--host', '0.0.0.0', '--api-keys-file', file])
  const { port } = new URL(await run.url)
  const url = `http://127.0.0.1:${port}`
  assert.is((await post(url, example, { authorization: 'Bearer filed-key' })).status, 200)
  assert.is((await post(url, example)).status, 401)
  run.child.kill('SIGTERM')
  assert.is(await run.exit, 0)
})

test('replays fixtures', async () => {
  const run = serve(['--port', '0', '--fixtures', 'fixtures/ask/ticket'])
  const url = await run.url
  assert.match(
    ((await (await post(url, {})).json()) as { detail: { message: string } }).detail.message,
    /Nearest is/,
  )
  run.child.kill('SIGTERM')
  assert.is(await run.exit, 0)
})

test('a start that fails is a usage error with an envelope', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const port = String(typeof address === 'object' ? address?.port : 0)
  const empty = join(folder, 'empty.txt')
  writeFileSync(empty, '# nobody\n')
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, Record<string, string>, string]> = [
    [['--port', port], {}, `listen on 127.0.0.1:${port}: address already in use`],
    [['--api-keys-file', empty], {}, `API keys file ${empty} holds no API key`],
    [[], { SERVICE_API_KEYS: ' , ' }, 'SERVICE_API_KEYS holds no API key'],
  ]
  for (const [args, env, message] of cases) {
    const run = serve(args, env)
    assert.is(await run.exit, 1)
    assert.is(run.out(), `${JSON.stringify({ error: { kind: 'usage', message } })}\n`)
    assert.is(run.err(), `svc: ${message}\n`)
  }
  taken.close()
})

test.run()
