/**
 * The main job for real: `npm run demo` starts a local service that answers from the fixtures and
 * asks it about a support ticket with the built program, in both modes, and once with a wrong key.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { goldenKey } from '../golden/exchange'
import { type Named, root, scenarios } from '../golden/scenario'
import { wrapped } from '../golden/shell'

const bin = join(root, 'dist', 'bin.js')
if (!existsSync(bin)) spawnSync(process.execPath, ['esbuild.mjs'], { cwd: root, stdio: 'inherit' })

const named = (name: string): Named => {
  const found = scenarios().find((one) => one.name === name)
  if (found === undefined) throw new Error(`no scenario ${name}`)
  return found
}

interface Call {
  readonly title: string
  readonly scenario: Named
  readonly key: string
  readonly exit: number
}

const calls: ReadonlyArray<Call> = [
  {
    title: 'Three questions about a support ticket, from a file',
    scenario: named('ask/ticket-pretty'),
    key: goldenKey,
    exit: 0,
  },
  {
    title: 'The same questions as flags',
    scenario: named('ask/ticket-flags'),
    key: goldenKey,
    exit: 0,
  },
  { title: 'A wrong key', scenario: named('ask/ticket'), key: 'wrong-key', exit: 3 },
]

const run = async ({ title, scenario, key, exit }: Call, baseUrl: string): Promise<boolean> => {
  console.log(`\n== ${title}\n`)
  console.log(readFileSync(join(scenario.folder, 'request.json'), 'utf8'))
  console.log(`$ ${wrapped(scenario)}`)
  const child = spawn(process.execPath, [bin, ...scenario.scenario.argv], {
    cwd: scenario.folder,
    env: { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: key },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')
  console.log(`exit ${code}`)
  return code === exit
}

const service = spawn(process.execPath, ['--import', 'tsx', 'test/demo/service.ts'], {
  cwd: root,
  stdio: ['pipe', 'pipe', 'inherit'],
})
const [baseUrl] = await once(createInterface(service.stdout), 'line')
console.log(`a service that answers from fixtures/ listens on ${baseUrl}`)
let asExpected = true
for (const call of calls) asExpected = (await run(call, baseUrl)) && asExpected
service.stdin.end()
process.exitCode = asExpected ? 0 : 1
