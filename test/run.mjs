/**
 * Runs everything: `node test/run.mjs` for types, lint, build and tests, and
 * `node test/run.mjs <part of a path>…` for the test files whose path holds one of the parts.
 *
 * Each `*.test.ts` runs in a child process of its own, two at a time, with an explicit
 * environment. A file that runs no test fails: uvu is silent when `test.run()` is forgotten.
 * The last line is `N passed, N failed`: uvu's sums, plus one failure for each broken step or file.
 */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const fileTimeout = 400_000

/** @param {string} name */
const inherited = (name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])

const env = Object.fromEntries([
  ...['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'CI'].flatMap(inherited),
  ['LANG', 'C.UTF-8'],
  ['TZ', 'UTC'],
  ['NO_COLOR', '1'],
])

/**
 * @param {string[]} command
 * @returns {Promise<{ code: number, output: string, seconds: number }>}
 */
const run = (command) =>
  new Promise((done) => {
    const started = performance.now()
    let output = ''
    const child = spawn(process.execPath, command, { cwd: root, env, timeout: fileTimeout })
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('close', (code, signal) => {
      if (signal !== null) output += `\nended by ${signal}\n`
      done({ code: code ?? 1, output, seconds: (performance.now() - started) / 1000 })
    })
  })

const totals = { passed: 0, failed: 0, skipped: 0 }

/** @param {string} name @param {string} state @param {{ seconds: number }} result */
const report = (name, state, { seconds }) =>
  console.log(`${state.padEnd(12)} ${seconds.toFixed(1).padStart(5)}s  ${name}`)

/** @param {string} name @param {string[]} command */
const step = async (name, command) => {
  const result = await run(command)
  report(name, result.code === 0 ? 'ok' : 'FAIL', result)
  if (result.code === 0) return
  totals.failed += 1
  console.log(result.output)
}

/** @param {string} output @param {string} label */
const sum = (output, label) =>
  [...output.matchAll(new RegExp(`^ {2}${label}: +(\\d+)`, 'gm'))].reduce((n, m) => n + +m[1], 0)

/** @param {string} file */
const testFile = async (file) => {
  const result = await run(['--import', 'tsx', file])
  const passed = sum(result.output, 'Passed')
  const failed = sum(result.output, 'Total') - passed - sum(result.output, 'Skipped')
  const broken = failed === 0 && (result.code !== 0 || passed === 0)
  totals.passed += passed
  totals.failed += failed + (broken ? 1 : 0)
  totals.skipped += sum(result.output, 'Skipped')
  const good = failed === 0 && !broken
  report(file, good ? `${passed} passed` : 'FAIL', result)
  if (good) return
  console.log(result.output)
  if (passed + failed === 0) console.log('no test ran')
}

/** These start first, so that the last lane does not end long after the other. @param {string} file */
const isLong = (file) => /golden\/bundle|codec\/fidelity|bundle\/package/.test(file)

const parts = process.argv.slice(2)
const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
  .sort((a, b) => Number(isLong(b)) - Number(isLong(a)) || (a < b ? -1 : 1))

if (parts.length === 0) {
  const checks = [
    step('types', ['node_modules/typescript/bin/tsc', '--noEmit']),
    step('lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']),
  ]
  await Promise.all(checks)
  await step('build', ['esbuild.mjs'])
}

const queue = files.values()
const worker = async () => {
  for (const file of queue) await testFile(file)
}
await Promise.all([worker(), worker()])

if (files.length === 0) totals.failed += 1
if (totals.skipped > 0) console.log(`${totals.skipped} skipped`)
process.exitCode = totals.failed === 0 ? 0 : 1
console.log(`${totals.passed} passed, ${totals.failed} failed`)
