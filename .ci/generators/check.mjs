/**
 * Checks the OpenAPI description of `svc serve`: Spectral finds no error in it, and the clients that three generators make of it compile,
 * ask a running service and read its answers. `node check.mjs <path of the installed svc> <folder of a Python environment>`, with Node 22
 * or later. The last line is `N passed, N failed`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const [program = '', environment = ''] = process.argv.slice(2).map((path) => resolve(path))
process.chdir(import.meta.dirname)
const description = '../../lib/service/svc-openapi.json'
const generated = 'generated'
const modules = 'node_modules'

const service = spawn(process.execPath, [program, 'serve', '--port', '0'], {
  env: { PATH: process.env.PATH, SERVICE_API_KEYS: 'k' },
  stdio: ['ignore', 'ignore', 'pipe'],
})

/** Waits for the line with the address of the service. */
const readAddress = async () => {
  for await (const line of createInterface({ input: service.stderr })) {
    const address = /http:\/\/[\d.]+:\d+/.exec(line)?.[0]
    if (address !== undefined) return address
  }
  throw new Error('svc serve ended at once')
}
const address = await readAddress()

const counts = { passed: 0, failed: 0 }
// openapi-python-client formats its files with the program `ruff` of its environment.
const bin = resolve(environment, process.platform === 'win32' ? 'Scripts' : 'bin')
const env = {
  PATH: `${bin}${delimiter}${process.env.PATH}`,
  HOME: process.env.HOME,
  PYTHONPATH: generated,
}

/** Runs commands. Counts them as passed if all end with 0, and if the last one prints `expected`. Otherwise shows the output. */
const check = (title, commands, expected) => {
  let output = ''
  for (const [command, ...args] of commands) {
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env })
    output = stdout
    if (status === 0) continue
    counts.failed += 1
    console.log(`FAIL ${title}: ${command} ${args.join(' ')}\n${stdout}${stderr}`)
    return
  }
  const isExpected = expected === undefined || output === expected
  counts[isExpected ? 'passed' : 'failed'] += 1
  console.log(isExpected ? `ok ${title}` : `FAIL ${title}, which printed:\n${output}`)
}
const node = (...args) => [process.execPath, ...args]

rmSync(generated, { recursive: true, force: true })
mkdirSync(generated)

check('Spectral finds no error', [
  node(
    `${modules}/@stoplight/spectral-cli/dist/index.js`,
    'lint',
    '--ruleset=spectral.json',
    description,
  ),
])

check('openapi-typescript, @hey-api/openapi-ts and openapi-python-client generate clients', [
  node(
    `${modules}/openapi-typescript/bin/cli.js`,
    description,
    '--output',
    `${generated}/openapi-typescript.d.ts`,
  ),
  node(`${modules}/@hey-api/openapi-ts/bin/run.js`, '--file', 'openapi-ts.config.mjs'),
  [
    join(bin, 'openapi-python-client'),
    'generate',
    ...['--path', description, '--output-path', `${generated}/typed_questions`, '--meta', 'none'],
    '--fail-on-warning',
  ],
])

check('the TypeScript clients compile', [node(`${modules}/typescript/bin/tsc`, '--project', '.')])

/** The output of every client: its answers, the first model, and the status and the detail of a failure. */
const expected = [
  '[true,"angry",["calm","angry","other"],true,{"0":"can wait","1":{"text":"fix it now"}}]',
  'svc-latest',
  '401 true',
  '',
].join('\n')

for (const name of ['openapi-fetch', 'hey-api'])
  check(
    `the client of ${name} reads the answers`,
    [
      [
        '../../node_modules/.bin/esbuild',
        `${name}.ts`,
        ...['--bundle', '--platform=node', '--format=esm', '--log-level=error'],
        `--define:serviceUrl=${JSON.stringify(address)}`,
        `--outfile=${generated}/${name}.mjs`,
      ],
      node(`${generated}/${name}.mjs`),
    ],
    expected,
  )

check(
  'the client of openapi-python-client reads the answers',
  [[join(bin, 'python'), 'client.py', address]],
  expected,
)

service.kill()
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 ? 0 : 1
