/**
 * `npm test` checks types and lint, and runs all tests that need only Node and npm. `npm test -- <part of a path>…` runs the test
 * files whose path contains one of the parts. `npm test -- tools/` runs the tests that need shells, curl or Python, which `.ci/run`
 * installs first.
 *
 * The program and the tests are built once. A process then runs the test files of one folder, or a single file of some folders (see
 * `foldersOfSlowTests`). Several processes run at a time. The last line is `N passed, N failed`: the sums of uvu, plus one failure for
 * each check or process that fails in another way, and for each skipped test.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { installLlama } from './llama/install-llama'
import { buildProgram } from './support/build'
import { createTemporaryFolder, root } from './support/folders'

/** A process that takes longer is killed. On an idle machine, the slowest process needs less than a tenth of this time. */
const processTimeoutMs = 900_000

/** The folder of the build: the program in `dist`, and each test file under its own path. */
const buildFolder = createTemporaryFolder()

const inheritedVariables = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'CI']
const env = {
  ...Object.fromEntries(inheritedVariables.map((name) => [name, process.env[name]])),
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  NO_COLOR: '1',
  SVC_TEST_PROGRAM: buildFolder,
}

interface StepResult {
  readonly isOk: boolean
  readonly output: string
}

const runNode = (args: ReadonlyArray<string>): Promise<StepResult> =>
  new Promise((resolve) => {
    let output = ''
    const child = spawn(process.execPath, args, { cwd: root, env, timeout: processTimeoutMs })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    child.on('close', (code, signal) => {
      if (signal !== null) output += `\nended by ${signal}\n`
      resolve({ isOk: code === 0, output })
    })
  })

const totals = { passed: 0, failed: 0 }

const printResult = (name: string, result: string, startMs: number): void => {
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
  console.log(`${result.padEnd(12)} ${seconds.padStart(5)}s  ${name}`)
}

/** Runs a step that is not a test file, such as the build. Resolves to `true` if it succeeds. */
const runStep = async (name: string, work: () => Promise<StepResult>): Promise<boolean> => {
  const startMs = performance.now()
  const { isOk, output } = await work()
  printResult(name, isOk ? 'ok' : 'FAIL', startMs)
  if (!isOk) {
    totals.failed += 1
    console.log(output)
  }
  return isOk
}

/** Adds up the numbers in lines of uvu such as `  Passed:    12`. */
const sumCounts = (output: string, label: string): number => {
  let sum = 0
  for (const [, count] of output.matchAll(new RegExp(`^ {2}${label}: +(\\d+)`, 'gm')))
    sum += Number(count)
  return sum
}

const runnerFile = 'test/support/run-files.ts'
const toBuiltPath = (file: string): string => join(buildFolder, file.replace(/ts$/, 'mjs'))

/** Runs test files in one process, and adds their results to the totals. */
const runTestFiles = async (name: string, files: ReadonlyArray<string>): Promise<void> => {
  const startMs = performance.now()
  const builtFiles = [runnerFile, ...files].map(toBuiltPath)
  const { isOk, output } = await runNode(['--enable-source-maps', ...builtFiles])
  const passed = sumCounts(output, 'Passed')
  // uvu leaves skipped tests out of its total. Here they count as failed.
  const failedTests = sumCounts(output, 'Total') - passed + sumCounts(output, 'Skipped')
  // A process can fail even if every test that it has run passes.
  const failed = failedTests === 0 && !isOk ? 1 : failedTests
  totals.passed += passed
  totals.failed += failed
  printResult(name, failed > 0 ? 'FAIL' : `${passed} passed`, startMs)
  if (failed > 0) console.log(output)
}

/**
 * Builds the test files, which then start three times as fast as TypeScript. Packages are not bundled, except fp-ts and io-ts: Node
 * cannot load their ES modules.
 */
const buildTests = async (files: ReadonlyArray<string>): Promise<void> => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  await build({
    entryPoints: [runnerFile, ...files],
    outbase: root,
    outdir: buildFolder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // A process loads a source only once, even if several of its test files import it.
    splitting: true,
    chunkNames: 'chunks/[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    loader: { '.md': 'text', '.bin': 'file' },
    external: Object.keys(devDependencies).filter((name) => !/^(fp|io)-ts$/.test(name)),
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'silent',
  })
  symlinkSync(join(root, 'node_modules'), join(buildFolder, 'node_modules'))
}

const buildAll = async (files: ReadonlyArray<string>): Promise<StepResult> => {
  try {
    await Promise.all([buildProgram(buildFolder), buildTests(files)])
    return { isOk: true, output: '' }
  } catch (error) {
    return { isOk: false, output: String(error) }
  }
}

/** `true` for tests that need other programs than Node and npm. They run only if you name `tools`. */
const needsTools = (file: string): boolean => file.startsWith('test/tools/')

/** `true` for tests that load node-llama-cpp. They wait until it is installed. */
const needsLlama = (file: string): boolean => file.includes('engines/local')

/** Returns `true` if a test file runs with these arguments of `npm test`. */
const isSelected = (file: string, pathParts: ReadonlyArray<string>): boolean => {
  if (pathParts.length === 0) return !needsTools(file)
  return pathParts.some(
    (part) => file.includes(part) && (!needsTools(file) || part.includes('tools')),
  )
}

const findTestFiles = (pathParts: ReadonlyArray<string>): ReadonlyArray<string> =>
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .filter((file) => isSelected(file, pathParts))
    .sort()

/**
 * Each file of these folders runs in its own process, because it starts programs or takes long. The folders run in this order. The files
 * of any other folder share a process, because the start of Node takes half of the time of a short file. Such files must restore what
 * they change.
 */
const foldersOfSlowTests = ['golden', 'service/engines/local', 'bundle', 'process', 'tools']

/** Groups test files by the process that runs them. The groups have the order in which their processes start. */
const groupByProcess = (
  files: ReadonlyArray<string>,
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const slowFiles = foldersOfSlowTests.flatMap((folder) =>
    files.filter((file) => dirname(file) === `test/${folder}`),
  )
  const groups = new Map<string, string[]>()
  // Shared processes come first. Among them are the tests of the service, which wait for half of their time and let other processes run.
  for (const file of files) {
    if (slowFiles.includes(file)) continue
    const folder = dirname(file)
    groups.set(folder, [...(groups.get(folder) ?? []), file])
  }
  for (const file of slowFiles) groups.set(file, [file])
  return groups
}

const pathParts = process.argv.slice(2)
const files = findTestFiles(pathParts)
// If no path contains one of the parts, a part may be misspelled. That counts as a failure.
if (files.length === 0) totals.failed += 1

const checks: Promise<boolean>[] = []
if (pathParts.length === 0) {
  const tsc = ['node_modules/typescript/bin/tsc', '--noEmit']
  const biome = ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']
  checks.push(
    runStep('types', () => runNode(tsc)),
    runStep('lint', () => runNode(biome)),
  )
}
const llamaInstalled = files.some(needsLlama)
  ? runStep("the local engine's library", installLlama)
  : Promise.resolve(true)

if (await runStep('build', () => buildAll(files))) {
  const groups = groupByProcess(files).entries()
  const runGroups = async (): Promise<void> => {
    // All calls share the iterator, so each group runs once.
    for (const [name, groupFiles] of groups) {
      if (needsLlama(name)) await llamaInstalled
      await runTestFiles(name, groupFiles)
    }
  }
  // One process more than there are processors, because some tests mostly wait.
  const maxProcesses = availableParallelism() + 1
  await Promise.all(Array.from({ length: maxProcesses }, runGroups))
}
await Promise.all([...checks, llamaInstalled])

process.exitCode = totals.failed === 0 ? 0 : 1
console.log(`${totals.passed} passed, ${totals.failed} failed`)
