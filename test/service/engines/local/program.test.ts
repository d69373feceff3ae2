/** The installed program with the library beside it: `svc serve --engine local` as a user has it. */
import * as assert from 'node:assert/strict'
import { closeSync, cpSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { suite } from 'uvu'
import { installProgramWithLlama } from '../../../llama/install-llama'
import { createTemporaryFolder } from '../../../support/folders'
import { dist, type Ended, type Running, start } from '../../../support/program'
import { startHttpServer } from '../../../support/servers'
import { until } from '../../../support/until'
import { post, readJson, startService } from '../../run-service'
import { openWith, tiny, tinyPath } from './open-local-engine'

const test = suite('local engine in the program')

const installed = createTemporaryFolder()
const program = installProgramWithLlama(installed, dist)

/** Ends what a test started, which a failing test does not get to. */
const ends: Array<() => unknown> = []

test.after.each(async () => {
  for (const end of ends.splice(0)) await end()
})

const serve = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  file = program,
): Running => {
  const flags = ['--engine', 'local', '--engine-threads', '1', '--port', '0']
  const running = start(['serve', ...flags, ...args], { env: { HOME: installed, ...env }, file })
  ends.push(() => running.child.kill('SIGKILL'))
  return running
}

const readUrl = async (running: Running): Promise<string> =>
  (await running.waitForStderr(/http:\/\/127\.0\.0\.1:\d+/)).trim()

const stop = async (running: Running): Promise<Ended> => {
  running.child.kill('SIGTERM')
  return await running.ended
}

const noul = { type: 'noul', instructions: 'Is it about billing?' }
const createRequest = (state: string) => ({ state, questions: { billing: noul } })

/** Questions that take a tiny model a good while. */
const long = {
  state: 'word '.repeat(200),
  questions: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`q${i}`, noul])),
}

// Loading the library takes most of a second for each program, so that one shows several things.
test('answers over HTTP, refuses a prompt that is too long with 400, and finishes an answer before it ends with 0', async () => {
  const running = serve(['--engine-model', tinyPath, '--engine-context', '1024'], { CI: '' })
  const url = await readUrl(running)
  const answer = await post(url, createRequest('I was charged twice.'))
  assert.equal(answer.status, 200)
  const { model, answers } = await readJson(answer)
  assert.equal(model, 'tiny')
  assert.match(JSON.stringify(answers), /^{"billing":{"type":"noul","noul":0\.\d+}}$/)
  const refused = await post(url, createRequest('word '.repeat(500)))
  assert.equal(refused.status, 400)
  assert.match(
    (await readJson(refused)).detail.message,
    /takes 2895 tokens, and there is room for 1023/,
  )
  const listed = await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer k' } })
  assert.ok((await listed.text()).includes('"tiny"'))
  const last = post(url, createRequest('word '.repeat(120)))
  await post(url, {}).catch(() => undefined)
  const ended = await stop(running)
  assert.equal((await last).status, 200)
  assert.deepEqual([ended.code, ended.signal, ended.stdout], [0, null, ''])
  assert.match(
    ended.stderr,
    /^svc: listening on \S+\nsvc: stopping; waiting up to 10 s for 1 request\n$/,
  )
})

test('a request beyond its time limit, or at the stop of the service, does not delay it', async () => {
  const engine = await openWith()
  assert.ok(engine._tag === 'Right')
  const hurried = await startService(engine.right, { answerTimeoutMs: 100 })
  ends.push(hurried.stop)
  assert.equal((await post(hurried.url, long)).status, 504)
  const patient = await startService(engine.right, {
    drainTimeoutMs: 100,
    answerTimeoutMs: 60_000,
  })
  ends.push(patient.stop)
  assert.equal((await post(patient.url, createRequest('short'))).status, 200)
  const rest = post(patient.url, long).catch(() => 'cut')
  await post(patient.url, {})
  await patient.stop()
  await rest
})

test('a broken file and a missing library end with one line and code 1', async () => {
  const none = await serve(['--engine-model', join(installed, 'none.gguf')]).ended
  assert.equal(none.code, 1)
  assert.match(none.stderr, /^svc: --engine-model: there is no file \S+none\.gguf\n$/)
  const alone = createTemporaryFolder()
  cpSync(dist, join(alone, 'dist'), { recursive: true })
  const missing = await serve(['--engine-model', tinyPath], {}, join(alone, 'dist/bin.js')).ended
  assert.equal(missing.code, 1)
  assert.match(
    missing.stderr,
    /^svc: --engine local needs node-llama-cpp .* svc help engines shows how to install it\n$/,
  )
  assert.equal(missing.stderr.trimEnd().includes('\n'), false)
})

/** The model, made large enough that it is fetched in three parts. */
const large = Buffer.concat([tiny.file, Buffer.alloc(12 << 20)])

/**
 * A hub with that model. `stalls`: parts after the first never end. `cuts`: this many parts are cut off in the
 * middle.
 */
const startHub = async () => {
  const ways = { stalls: false, cuts: 0 }
  const seen: string[] = []
  const give = (range: string, response: ServerResponse): void => {
    seen.push(range)
    const file = large
    const [, from = 0, to = file.length - 1] = (/bytes=(\d+)-(\d+)/.exec(range) ?? []).map(Number)
    const part = file.subarray(from, to + 1)
    response.writeHead(range === '' ? 200 : 206, {
      'content-length': part.length,
      'accept-ranges': 'bytes',
      'content-range': `bytes ${from}-${to}/${file.length}`,
    })
    if (range === '') response.end(part)
    else if (ways.stalls && from > 0) response.write(part.subarray(0, 9))
    else if (ways.cuts > 0) {
      ways.cuts -= 1
      response.write(part.subarray(0, part.length / 2), () => response.destroy())
    } else {
      response.end(part)
    }
  }
  const { url, close } = await startHttpServer(({ url = '', headers }, response) => {
    if (url.includes('/manifests/')) {
      seen.push('manifest')
      response.end('{"ggufFile":{"rfilename":"tiny.Q8_0.gguf"}}')
    } else if (url.startsWith('/someone/tiny-GGUF/resolve/main/tiny.Q8_0.gguf')) {
      give(headers.range ?? '', response)
    } else response.writeHead(404).end()
  })
  ends.push(close)
  return { ways, seen, url: `${url}/` }
}

/** The last bytes of a file, as text. */
const readEnd = (path: string): string => {
  const file = openSync(path, 'r')
  const end = Buffer.alloc(4096)
  readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length))
  closeSync(file)
  return end.toString('latin1')
}

/** True if the library has noted at the end of its unfinished file that the first part is complete. */
const isFirstPartComplete = (): boolean => {
  const folder = join(installed, '.node-llama-cpp/models')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.some((name) => readEnd(join(folder, name)).includes('"chunks":[2,'))
}

test('a model of the hub is fetched if it is missing: stopped, continued, cut off, and only once; a second stop ends it at once', async () => {
  const hub = await startHub()
  const env = { HF_ENDPOINT: hub.url }
  const model = ['--engine-model', 'hf:someone/tiny-GGUF:Q8_0']
  hub.ways.stalls = true
  const first = serve(model, env)
  await until(isFirstPartComplete)
  const ended = await stop(first)
  assert.deepEqual([ended.code, ended.stderr], [130, 'svc: interrupted\n'])

  hub.ways.stalls = false
  hub.ways.cuts = 1
  hub.seen.length = 0
  const running = serve(model, env)
  assert.equal((await post(await readUrl(running), createRequest('hello'))).status, 200)
  assert.equal((await stop(running)).code, 0)
  assert.equal(hub.ways.cuts, 0)
  const fromStart = hub.seen.filter((range) => range.startsWith('bytes=0-'))
  assert.equal(fromStart.length, 0, `${hub.seen}`)

  hub.seen.length = 0
  await stopTwice(serve(model, env))
  assert.equal(hub.seen.join(), '')
})

/** Stops a program twice while it answers: the second stop ends it at once, in the middle of a batch. */
const stopTwice = async (running: Running): Promise<void> => {
  const url = await readUrl(running)
  const cut = post(url, long).catch(() => 'cut')
  await post(url, {}).catch(() => undefined)
  running.child.kill('SIGTERM')
  await until(async () => (await fetch(url).catch(() => undefined)) === undefined)
  const { code, signal } = await stop(running)
  assert.equal(await cut, 'cut')
  assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`)
}

test.run()
