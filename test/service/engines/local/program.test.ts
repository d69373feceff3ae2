/** The installed program with the library beside it: `svc serve --engine local` as a user has it. */
import * as assert from 'node:assert/strict'
import { closeSync, cpSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import { installProgramWithLlama } from '../../../llama/install-llama'
import { createTemporaryFolder } from '../../../support/folders'
import {
  distFolder,
  type ProgramResult,
  type RunningProgram,
  startProgram,
} from '../../../support/program'
import { startHttpServer } from '../../../support/servers'
import { until } from '../../../support/until'
import { post, readJson, startService } from '../../run-service'
import { openTestEngine, tiny, tinyPath } from './open-local-engine'

const test = suite('local engine in the program')

const installed = createTemporaryFolder()
const program = installProgramWithLlama(installed, distFolder)

/** Functions that are called after each test, also after a failed one. */
const cleanups: Array<() => unknown> = []

test.after.each(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
})

interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The path of the program. By default, the library is installed beside it. */
  readonly file?: string
}

/** Starts a service with the engine `local`. It is killed after the test. */
const serve = (
  args: ReadonlyArray<string>,
  { env = {}, file = program }: ServeOptions = {},
): RunningProgram => {
  const flags = ['--engine', 'local', '--engine-threads', '1', '--port', '0']
  const running = startProgram(['serve', ...flags, ...args], {
    env: { HOME: installed, ...env },
    file,
  })
  cleanups.push(() => running.child.kill('SIGKILL'))
  return running
}

const readUrl = async (running: RunningProgram): Promise<string> =>
  (await running.waitForStderr(/http:\/\/127\.0\.0\.1:\d+/)).trim()

const stop = async (running: RunningProgram): Promise<ProgramResult> => {
  running.child.kill('SIGTERM')
  return await running.ended
}

/** A yes/no question. */
const noul = { type: 'noul', instructions: 'Is it about billing?' }
const createRequest = (state: string) => ({ state, questions: { billing: noul } })

/** A request that takes the tiny model several seconds. */
const longRequest = {
  state: 'word '.repeat(200),
  questions: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`q${i}`, noul])),
}

// Loading the library takes most of a second, so one program shows several behaviors.
test('answers over HTTP, refuses a long prompt with 400, and finishes a request before it exits with 0', async () => {
  // The library would throw if the variable CI were empty, so svc removes it.
  const args = ['--engine-model', tinyPath, '--engine-context', '1024']
  const running = serve(args, { env: { CI: '' } })
  const url = await readUrl(running)
  const answer = await post(url, createRequest('I was charged twice.'))
  assert.equal(answer.status, 200)
  const { model, answers } = await readJson(answer)
  assert.equal(model, 'tiny')
  assert.match(JSON.stringify(answers), /^{"billing":{"type":"noul","noul":0\.\d+}}$/)
  // The tiny model has a token for each character: 2,500 for the state, and 395 for the rest of the prompt.
  const refusal = await post(url, createRequest('word '.repeat(500)))
  assert.equal(refusal.status, 400)
  assert.match(
    (await readJson(refusal)).detail.message,
    /takes 2895 tokens, and there is room for 1023/,
  )
  const modelList = await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer k' } })
  assert.ok((await modelList.text()).includes('"tiny"'))
  const requestInFlight = post(url, createRequest('word '.repeat(120)))
  // The service answers this request after it has received the one in flight.
  await post(url, {}).catch(() => undefined)
  const { code, stdout, stderr } = await stop(running)
  assert.equal((await requestInFlight).status, 200)
  assert.deepEqual({ code, stdout }, { code: 0, stdout: '' })
  assert.match(stderr, /^svc: listening on \S+\nsvc: stopping; waiting up to 10 s for 1 request\n$/)
})

/** Starts a service in this process, with the tiny model. */
const startWithTinyModel = async (options: {
  readonly answerTimeoutMs: number
  readonly drainTimeoutMs?: number
}) => {
  const engine = await openTestEngine()
  assert.ok(E.isRight(engine))
  const service = await startService(engine.right, options)
  cleanups.push(service.stop)
  return service
}

test('answers 504 after --answer-timeout, stops computing, and answers the next request', async () => {
  const service = await startWithTinyModel({ answerTimeoutMs: 1000 })
  assert.equal((await post(service.url, longRequest)).status, 504)
  assert.equal((await post(service.url, createRequest('short'))).status, 200)
})

test('stops after the drain timeout, while the model computes', async () => {
  const service = await startWithTinyModel({ answerTimeoutMs: 60_000, drainTimeoutMs: 100 })
  const responsePromise = post(service.url, longRequest).catch(() => 'connection closed')
  // The service answers this request after it has received the long one.
  await post(service.url, {})
  await service.stop()
  await responsePromise
})

test('exits with 1 and one line if the model file is missing', async () => {
  const { code, stderr } = await serve(['--engine-model', join(installed, 'none.gguf')]).ended
  assert.equal(code, 1)
  assert.match(stderr, /^svc: --engine-model: there is no file \S+none\.gguf\n$/)
})

test('exits with 1 and one line if node-llama-cpp is not installed', async () => {
  const folder = createTemporaryFolder()
  cpSync(distFolder, join(folder, 'dist'), { recursive: true })
  const running = serve(['--engine-model', tinyPath], { file: join(folder, 'dist/bin.js') })
  const { code, stderr } = await running.ended
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^svc: --engine local needs node-llama-cpp [^\n]* svc help engines shows how to install it\n$/,
  )
})

/** The model file, padded so that the library downloads it in three parts. */
const largeFile = Buffer.concat([tiny.file, Buffer.alloc(12 << 20)])

/**
 * Starts a hub with this file. A test changes `faults`. If `stalls` is true, all parts but the first never end. `cuts` is the number of
 * parts that are still to be cut off in the middle. `requests` has the range of each request, or `manifest`.
 */
const startHub = async () => {
  const faults = { stalls: false, cuts: 0 }
  const requests: string[] = []
  const sendPart = (range: string, response: ServerResponse): void => {
    requests.push(range)
    const { length } = largeFile
    // The first match is the whole text, which is skipped. Without a range, the defaults select the whole file.
    const [, from = 0, to = length - 1] = (/bytes=(\d+)-(\d+)/.exec(range) ?? []).map(Number)
    const part = largeFile.subarray(from, to + 1)
    response.writeHead(range === '' ? 200 : 206, {
      'content-length': part.length,
      'accept-ranges': 'bytes',
      'content-range': `bytes ${from}-${to}/${length}`,
    })
    if (range === '') response.end(part)
    else if (faults.stalls && from > 0) response.write(part.subarray(0, 9))
    else if (faults.cuts > 0) {
      faults.cuts -= 1
      response.write(part.subarray(0, part.length / 2), () => response.destroy())
    } else {
      response.end(part)
    }
  }
  const { url, close } = await startHttpServer(({ url: path = '', headers }, response) => {
    if (path.includes('/manifests/')) {
      requests.push('manifest')
      response.end('{"ggufFile":{"rfilename":"tiny.Q8_0.gguf"}}')
    } else if (path.startsWith('/someone/tiny-GGUF/resolve/main/tiny.Q8_0.gguf')) {
      sendPart(headers.range ?? '', response)
    } else response.writeHead(404).end()
  })
  cleanups.push(close)
  return { faults, requests, url: `${url}/` }
}

/** Reads the last 4096 bytes of a file, as Latin-1. */
const readEnd = (path: string): string => {
  const file = openSync(path, 'r')
  const tail = Buffer.alloc(4096)
  readSync(file, tail, 0, tail.length, Math.max(0, fstatSync(file).size - tail.length))
  closeSync(file)
  return tail.toString('latin1')
}

/**
 * Returns true if the first part of the model is downloaded. The library records the state of each part at the end of its unfinished
 * file; 2 means complete.
 */
const isFirstPartComplete = (): boolean => {
  const folder = join(installed, '.node-llama-cpp/models')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.some((name) => readEnd(join(folder, name)).includes('"chunks":[2,'))
}

test('continues an interrupted download, retries a cut part, and does not download the model again', async () => {
  const hub = await startHub()
  const env = { HF_ENDPOINT: hub.url }
  const model = ['--engine-model', 'hf:someone/tiny-GGUF:Q8_0']
  hub.faults.stalls = true
  const interrupted = serve(model, { env })
  await until(isFirstPartComplete)
  const { code, stderr } = await stop(interrupted)
  // 130 is the exit code of an interrupted program.
  assert.deepEqual({ code, stderr }, { code: 130, stderr: 'svc: interrupted\n' })

  hub.faults.stalls = false
  hub.faults.cuts = 1
  hub.requests.length = 0
  const continued = serve(model, { env })
  assert.equal((await post(await readUrl(continued), createRequest('hello'))).status, 200)
  assert.equal((await stop(continued)).code, 0)
  assert.equal(hub.faults.cuts, 0)
  const isFirstPartRequested = hub.requests.some((range) => range.startsWith('bytes=0-'))
  assert.ok(!isFirstPartRequested, `${hub.requests}`)

  hub.requests.length = 0
  const withModelFile = serve(model, { env })
  await readUrl(withModelFile)
  assert.equal((await stop(withModelFile)).code, 0)
  assert.deepEqual(hub.requests, [])
})

test('a second SIGTERM ends the program at once, while it answers', async () => {
  const running = serve(['--engine-model', tinyPath])
  const url = await readUrl(running)
  const responsePromise = post(url, longRequest).catch(() => 'connection closed')
  // The service answers this request after it has received the long one.
  await post(url, {}).catch(() => undefined)
  running.child.kill('SIGTERM')
  await until(async () => (await fetch(url).catch(() => undefined)) === undefined)
  const { code, signal } = await stop(running)
  assert.equal(await responsePromise, 'connection closed')
  // If a thread is still busy with a system call, svc ends itself with SIGINT.
  assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`)
})

test.run()
