/**
 * Runs everything: `npm test` for types, lint and tests, `npm test -- <part of a path>…` for the
 * test files whose path holds one of the parts.
 *
 * The program and the tests are built once. Each `*.test.ts` then runs in a child process of its
 * own, a few at a time, with an explicit environment. A file that runs no test fails: uvu is silent
 * when `test.run()` is forgotten. The last line is `N passed, N failed`: uvu's sums, plus one
 * failure for each broken step or file.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { installLlama } from './llama/installed'
import { buildProgram } from './support/build'
import { root, temporaryFolder } from './support/folders'

/** A file that goes on for longer is killed, in ms. */
const fileTimeout = 120_000

/** Where the builds are: the program in `dist`, and each test file under its own path. */
const built = temporaryFolder()

const inherited = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'CI']
const env = {
  ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  NO_COLOR: '1',
  SVC_TEST_PROGRAM: built,
}

interface Result {
  readonly good: boolean
  readonly output: string
}

const run = (command: ReadonlyArray<string>): Promise<Result> =>
  new Promise((done) => {
    let output = ''
    const child = spawn(process.execPath, command, { cwd: root, env, timeout: fileTimeout })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    child.on('close', (code, signal) => {
      if (signal !== null) output += `\nended by ${signal}\n`
      done({ good: code === 0, output })
    })
  })

const totals = { passed: 0, failed: 0, skipped: 0 }

const report = (name: string, state: string, since: number): void => {
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  console.log(`${state.padEnd(12)} ${seconds.padStart(5)}s  ${name}`)
}

const step = async (name: string, work: () => Promise<Result>): Promise<void> => {
  const since = performance.now()
  const { good, output } = await work()
  report(name, good ? 'ok' : 'FAIL', since)
  if (good) return
  totals.failed += 1
  console.log(output)
}

const sum = (output: string, label: string): number =>
  [...output.matchAll(new RegExp(`^ {2}${label}: +(\\d+)`, 'gm'))].reduce(
    (total, [, count]) => total + Number(count),
    0,
  )

const testFile = async (file: string): Promise<void> => {
  const since = performance.now()
  const path = join(built, file.replace(/ts$/, 'mjs'))
  const { good, output } = await run(['--enable-source-maps', path])
  const passed = sum(output, 'Passed')
  const skipped = sum(output, 'Skipped')
  const failed = sum(output, 'Total') - passed - skipped
  const broken = failed === 0 && (!good || passed === 0)
  totals.passed += passed
  totals.failed += failed + (broken ? 1 : 0)
  totals.skipped += skipped
  report(file, failed > 0 || broken ? 'FAIL' : `${passed} passed`, since)
  if (failed === 0 && !broken) return
  console.log(output)
  if (passed + failed === 0) console.log('no test ran')
}

/**
 * Bundles the test files, so that each starts in a third of the time that TypeScript takes. Packages
 * stay outside, but for fp-ts and io-ts, whose modules Node cannot load as they are published.
 */
const buildTests = async (files: ReadonlyArray<string>): Promise<void> => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  await build({
    ...{ entryPoints: [...files], outbase: root, outdir: built, outExtension: { '.js': '.mjs' } },
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20.19' },
    external: Object.keys(devDependencies).filter((name) => !/^(fp|io)-ts$/.test(name)),
    ...{
      mainFields: ['module', 'main'],
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'silent',
    },
  })
  symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'))
}

/** These start first, so that the last lane does not end long after the other. */
const isLong = (file: string): boolean =>
  /golden\/(bundle|in-process)|bundle\/package|fuzz\/|malformed|simulations/.test(file)

const parts = process.argv.slice(2)
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
  .sort((a, b) => Number(isLong(b)) - Number(isLong(a)) || (a < b ? -1 : 1))

const biome = 'node_modules/@biomejs/biome/bin/biome'
const checks = [
  () => step('types', () => run(['node_modules/typescript/bin/tsc', '--noEmit'])),
  () => step('lint', () => run([biome, 'check', '--error-on-warnings', '.'])),
]

if (files.some((name) => name.includes('engines/local')))
  await step("the local engine's library", async () => installLlama())
await step('build', () =>
  Promise.all([buildProgram(built), buildTests(files)]).then(
    () => ({ good: true, output: '' }),
    (error: unknown) => ({ good: false, output: String(error) }),
  ),
)
if (totals.failed === 0) {
  const tests = files.map((file) => () => testFile(file))
  const queue = [...(parts.length === 0 ? checks : []), ...tests].values()
  const lane = async (): Promise<void> => {
    for (const job of queue) await job()
  }
  // One more than there are processors: some files wait for most of their time.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, lane))
}

if (files.length === 0) totals.failed += 1
if (totals.skipped > 0) console.log(`${totals.skipped} skipped`)
process.exitCode = totals.failed === 0 ? 0 : 1
console.log(`${totals.passed} passed, ${totals.failed} failed`)
