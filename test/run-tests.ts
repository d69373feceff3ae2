/**
 * `npm test` checks types and lint and runs every test that needs only Node and npm. `npm test -- <part of a path>…` runs the
 * test files whose path holds one of the parts. `npm test -- tools/` runs those that need shells, curl or Python; `.ci/run`
 * installs these programs first.
 *
 * The program and the tests are built once. The test files of a folder then run in one child process,
 * with an explicit environment, a few folders at a time; those of some folders have a process each
 * (see `apart`). The last line is `N passed, N failed`: uvu's sums, plus one failure for each broken
 * step or process and for each skipped test.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { installLlama } from './llama/installed'
import { buildProgram } from './support/build'
import { root, temporaryFolder } from './support/folders'

/** A process that goes on for longer hangs and is killed, in ms. The longest takes a tenth of it where nothing else runs. */
const processTimeout = 240_000

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
    const child = spawn(process.execPath, command, { cwd: root, env, timeout: processTimeout })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    child.on('close', (code, signal) => {
      if (signal !== null) output += `\nended by ${signal}\n`
      done({ good: code === 0, output })
    })
  })

const totals = { passed: 0, failed: 0 }

const report = (name: string, state: string, since: number): void => {
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  console.log(`${state.padEnd(12)} ${seconds.padStart(5)}s  ${name}`)
}

const step = async (name: string, work: () => Promise<Result>): Promise<boolean> => {
  const since = performance.now()
  const { good, output } = await work()
  report(name, good ? 'ok' : 'FAIL', since)
  if (!good) {
    totals.failed += 1
    console.log(output)
  }
  return good
}

const sum = (output: string, label: string): number =>
  [...output.matchAll(new RegExp(`^ {2}${label}: +(\\d+)`, 'gm'))].reduce(
    (total, [, count]) => total + Number(count),
    0,
  )

const runnerFile = 'test/support/run-files.ts'
const builtPath = (file: string): string => join(built, file.replace(/ts$/, 'mjs'))

const testFiles = async (name: string, files: ReadonlyArray<string>): Promise<void> => {
  const since = performance.now()
  const paths = [runnerFile, ...files].map(builtPath)
  const { good, output } = await run(['--enable-source-maps', ...paths])
  const passed = sum(output, 'Passed')
  // The total of uvu leaves out skipped tests.
  const failed = sum(output, 'Total') - passed + sum(output, 'Skipped')
  const broken = failed === 0 && !good
  totals.passed += passed
  totals.failed += failed + (broken ? 1 : 0)
  report(name, failed > 0 || broken ? 'FAIL' : `${passed} passed`, since)
  if (failed > 0 || broken) console.log(output)
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
    entryPoints: [runnerFile, ...files],
    outbase: root,
    outdir: built,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What several files use is built once, and loaded once where they share a process.
    splitting: true,
    chunkNames: 'chunks/[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    loader: { '.md': 'text' },
    external: Object.keys(devDependencies).filter((name) => !/^(fp|io)-ts$/.test(name)),
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'silent',
  })
  symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'))
}

/**
 * Folders whose files have a process each, in the order in which they run: they start programs, wait for them, and may
 * take long. The files of any other folder share a process, since half of what a short one costs is the start of Node;
 * each leaves the process as it found it.
 */
const apart = ['golden', 'service/engines/local', 'bundle', 'process', 'tools']

/** Whether a test needs a program that a bare machine lacks. Such a test runs only if a part says `tools`. */
const needsTools = (file: string): boolean => file.startsWith('test/tools/')
const isPartOf =
  (file: string) =>
  (part: string): boolean =>
    file.includes(part) && (!needsTools(file) || part.includes('tools'))

const parts = process.argv.slice(2)
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .filter((name) => (parts.length === 0 ? !needsTools(name) : parts.some(isPartOf(name))))
  .sort()

/** What each process runs. The shared ones come first: that of the services waits for half of its time, while others run. */
const processes = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const alone = apart.flatMap((folder) =>
    files.filter((file) => dirname(file) === `test/${folder}`),
  )
  const groups = new Map<string, ReadonlyArray<string>>()
  for (const file of files.filter((one) => !alone.includes(one)))
    groups.set(dirname(file), [...(groups.get(dirname(file)) ?? []), file])
  for (const file of alone) groups.set(file, [file])
  return groups
}

const usesLlama = (file: string): boolean => file.includes('engines/local')

const checks =
  parts.length > 0
    ? []
    : [
        step('types', () => run(['node_modules/typescript/bin/tsc', '--noEmit'])),
        step('lint', () =>
          run(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']),
        ),
      ]
// Only the tests that load the library wait until it is installed.
const installed = files.some(usesLlama) && step("the local engine's library", installLlama)
const isBuilt = await step('build', () =>
  Promise.all([buildProgram(built), buildTests(files)]).then(
    () => ({ good: true, output: '' }),
    (error: unknown) => ({ good: false, output: String(error) }),
  ),
)
if (isBuilt) {
  const jobs = processes().entries()
  const lane = async (): Promise<void> => {
    for (const [name, files] of jobs) {
      if (usesLlama(name)) await installed
      await testFiles(name, files)
    }
  }
  // One more than there are processors: some files wait for most of their time.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, lane))
}
await Promise.all([...checks, installed])

if (files.length === 0) totals.failed += 1
process.exitCode = totals.failed === 0 ? 0 : 1
console.log(`${totals.passed} passed, ${totals.failed} failed`)
