/** The recipe of `svc help fixtures` as it is written: recorded, then played by its CI job, then broken on purpose. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { load } from 'js-yaml'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleOf } from '../support/documents'
import { root, temporaryFolder } from '../support/folders'
import { dist } from '../support/program'

const test = suite('tools: the recipe of svc help fixtures')

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Packs the built program as npm would publish it. Returns the path of the tarball. */
const packProgram = (): string => {
  const folder = temporaryFolder()
  const { name, version, type, bin, files } = manifest
  const published = { name, version, type, bin, files }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(published))
  cpSync(dist, join(folder, 'dist'), { recursive: true })
  const packed = execFileSync('npm', ['pack', '--silent'], { cwd: folder, encoding: 'utf8' })
  return join(folder, packed.trim())
}

const findFreePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })

/** A step of a job of GitHub. It has one of the two. */
interface JobStep {
  readonly uses?: string
  readonly run?: string
}

/** The commands of the job on the page, in order. Throws if the page has no valid YAML. */
const readCommands = (): ReadonlyArray<string> => {
  const workflow = load(exampleOf('yaml', 'fixtures-job')) as {
    readonly on: string
    readonly jobs: { readonly fixtures: { readonly steps: ReadonlyArray<JobStep> } }
  }
  assert.is(workflow.on, 'pull_request')
  return workflow.jobs.fixtures.steps.flatMap(({ run }) => run ?? [])
}

test('its programs are recorded, its CI job passes without a service, and fails once a program asks otherwise', async () => {
  const port = String(await findFreePort())
  const cwd = temporaryFolder()
  const prefix = temporaryFolder()
  const tarball = packProgram()
  mkdirSync(join(prefix, 'lib'))
  const write = (file: string, text: string): void =>
    writeFileSync(join(cwd, file), text.replaceAll('8787', port))
  const runSh = (script: string) =>
    spawnSync('sh', ['-e', '-c', script], {
      cwd,
      encoding: 'utf8',
      env: {
        PATH: [join(prefix, 'bin'), process.env.PATH].join(delimiter),
        HOME: prefix,
        CI: 'true',
        npm_config_prefix: prefix,
        npm_config_offline: 'true',
      },
    })
  write('app.mjs', exampleOf('js', 'fixtures-app'))
  write('app.py', exampleOf('python', 'fixtures-app'))
  write('app.sh', exampleOf('sh', 'fixtures-app'))
  write('record.sh', exampleOf('sh', 'fixtures-record'))
  write('check.sh', exampleOf('sh', 'fixtures-check'))

  const [install = '', ...commands] = readCommands()
  const pinned = `${manifest.name}@${manifest.version}`
  assert.is(install, `npm install --global ${pinned}`)
  const installed = runSh(install.replace(pinned, tarball))
  assert.is(installed.status, 0, installed.stderr)

  const printed = /^refund\nlate\n\{"model":/
  const recorded = runSh('sh record.sh')
  assert.match(recorded.stdout, printed, recorded.stderr)
  const [played, ...others] = commands.map(runSh)
  assert.match(played?.stdout ?? '', printed, played?.stderr)
  assert.match(played?.stdout ?? '', /\[\]\n$/)
  assert.is(played?.status, 0, played?.stderr)
  for (const { status, stderr } of others) assert.is(status, 0, stderr)

  write('app.mjs', exampleOf('js', 'fixtures-app').replace('my order', 'my money'))
  const failed = runSh(commands[0] ?? '')
  assert.is(failed.status, 1)
  assert.match(
    failed.stderr,
    'state: recorded \\"Please refund my order.\\", received \\"Please refund my money.\\".',
  )
  assert.match(failed.stdout, "scenario: 'recorded/002-refund'")
})

test.run()
