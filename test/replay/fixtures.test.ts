/** Scenarios are recorded runs of a program with the exchanges of a service. The golden of a scenario is its expected output. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toJson } from '../../lib/codec/json/draft'
import { exitCodes } from '../../lib/failure/report'
import { checkProgram } from '../../lib/replay/check'
import { createContentBudget, readContent } from '../../lib/replay/content'
import { readGolden, writeGolden } from '../../lib/replay/golden'
import { listFiles } from '../../lib/replay/scenarios'
import { testVersion } from '../support/build'
import { createTemporaryFolder, root } from '../support/folders'
import { binFile, runProgram } from '../support/program'

const test = suite('replay: svc fixtures')

test('writes every fixture and golden of svc into a new folder', async () => {
  const folder = join(createTemporaryFolder(), 'new')
  const { stdout, stderr, code } = await runProgram(['fixtures', folder])
  assert.is(code, 0)
  assert.is(stderr, '')
  const fixtures = listFiles(join(root, 'fixtures'))
  const goldens = listFiles(join(root, 'golden'))
  assert.equal(JSON.parse(stdout), { wrote: folder, files: fixtures.length + goldens.length })
  assert.equal(listFiles(join(folder, 'fixtures')), fixtures)
  assert.equal(listFiles(join(folder, 'golden')), goldens)
  assert.equal(readGolden(folder, 'version/json'), readGolden(root, 'version/json'))
})

test('refuses a folder that is not empty', async () => {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'users-file'), '')
  const { code, stderr } = await runProgram(['fixtures', folder])
  assert.is(code, 1)
  assert.is(stderr, `svc: ${folder} is not empty; name a new folder\n`)
  assert.equal(listFiles(folder), ['users-file'])
})

/** Copies scenarios of svc and their goldens into a new folder. Returns the folder. */
const copyScenarios = (...names: ReadonlyArray<string>): string => {
  const folder = createTemporaryFolder()
  for (const kind of ['fixtures', 'golden'])
    for (const name of names)
      cpSync(join(root, kind, name), join(folder, kind, name), { recursive: true })
  return folder
}

/** The built program. */
const program = { command: [process.execPath, binFile], env: {}, version: testVersion } as const
const neverAborts = new AbortController().signal

test('scenarios with requests, a conversation and files pass if the program behaves as recorded', async () => {
  const folder = copyScenarios('version/json', 'ask/content-kinds', 'mcp/ask', 'init/new')
  const { result } = await checkProgram(folder, program, { signal: neverAborts })
  assert.equal(result, { scenarios: 4, passed: 4, recordings: 0, failed: [] })
})

test('a scenario fails with the names of the golden files that differ', async () => {
  const folder = copyScenarios('version/json', 'ask/content-kinds')
  const golden = join(folder, 'golden/version/json')
  writeFileSync(join(golden, 'stdout'), 'another\n')
  mkdirSync(join(golden, 'files'))
  writeFileSync(join(golden, 'files/missing'), '')
  const { result } = await checkProgram(folder, program, { signal: neverAborts })
  assert.is(result.passed, 1)
  const { version, go } = testVersion
  const received = readGolden(root, 'version/json').stdout?.trimEnd() ?? ''
  assert.not.match(received, version)
  assert.not.match(received, go)
  assert.equal(result.failed, [
    {
      scenario: 'version/json',
      differs: ['files/missing', 'stdout'],
      differences: [
        { file: 'files/missing', line: 1, expected: '', received: null },
        { file: 'stdout', line: 1, expected: 'another', received },
      ],
      problems: [],
    },
  ])
})

test('a scenario fails with the recorded requests that did not come', async () => {
  const folder = copyScenarios('ask/content-kinds')
  // Runs Node with an empty script, which ends without a request.
  const silentProgram = { ...program, command: [process.execPath, '-e', ''] } as const
  const { result } = await checkProgram(folder, silentProgram, { signal: neverAborts })
  assert.match(result.failed[0]?.problems.join() ?? '', 'never came: POST /v1/questions')
})

/** Writes a scenario with the name `own/one` into a new folder. Returns the folder. */
const writeScenario = (scenario: object): string => {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, 'fixtures/own/one'), { recursive: true })
  writeFileSync(join(folder, 'fixtures/own/one/scenario.json'), JSON.stringify(scenario))
  return folder
}

const versionScenario = { version: 1, title: 'own', command: 'svc --version' }

test('a scenario without a golden fails until --update writes the golden', async () => {
  const folder = writeScenario(versionScenario)
  const before = await runProgram(['fixtures', '--check', folder])
  assert.is(before.code, exitCodes.flagged)
  assert.match(before.stdout, 'it has no golden: run with --update')
  assert.is((await runProgram(['fixtures', '--check', folder, '--update'])).code, 0)
  assert.is(readGolden(folder, 'own/one').stdout, 'svc version {version}\n')
  assert.is((await runProgram(['fixtures', '--check', folder])).code, 0)
})

test('writes a JUnit report and appends the job summary', async () => {
  const folder = copyScenarios('version/json')
  const junit = join(folder, 'report.xml')
  const summary = join(folder, 'summary.md')
  const env = { GITHUB_STEP_SUMMARY: summary }
  const { code } = await runProgram(['fixtures', '--check', folder, '--junit', junit], { env })
  assert.is(code, 0)
  assert.match(readFileSync(junit, 'utf8'), '<testcase classname="fixtures" name="version/json"')
  assert.match(readFileSync(summary, 'utf8'), '# svc fixtures: ok\n\n1 of 1 scenario passed')
})

test('a golden without a scenario fails', async () => {
  const folder = copyScenarios('version/json')
  writeGolden(folder, 'own/gone', { exit: '0\n', 'files/a/b': '' })
  const { stdout, stderr, code } = await runProgram(['fixtures', '--check', folder])
  assert.is(code, exitCodes.flagged)
  assert.is(stderr, 'fixtures: 1 of 2 scenarios differs\n')
  assert.match(
    stdout,
    '"failed":[{"scenario":"own/gone","differs":[],"differences":[],"problems":["a golden without a scenario"]}]',
  )
})

test('--command looks up a name in PATH, and not in the working folder', async () => {
  const cwd = createTemporaryFolder()
  writeFileSync(join(cwd, 'svc'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 })
  const { code, stderr } = await runProgram(['fixtures', '--check', '--command', 'svc'], {
    cwd,
    env: {},
  })
  assert.is(code, 1)
  assert.match(stderr, /^svc: run svc: /)
  assert.not.ok(existsSync(join(cwd, 'ran')))
})

test('a program that cannot start is a usage error', async () => {
  const { code, stderr } = await runProgram(['fixtures', '--check', '--command', 'no-such-program'])
  assert.is(code, 1)
  assert.match(stderr, /^svc: run no-such-program: /)
})

const readNothing = async () => new Uint8Array()

test('repeated parts of more than 64 MiB together are refused', async () => {
  // `ab` has 2 bytes, so the two parts have 2 bytes more than 64 MiB.
  const parts = [16 << 20, (16 << 20) + 1].map((times) => ({ repeat: 'ab', times }))
  const budget = createContentBudget()
  const error = await readContent(toJson(parts), readNothing, budget).catch(String)
  assert.is(error, 'Error: its parts hold more than 64 MiB together')
})

test('a file that a content names many times counts each time', async () => {
  const readLarge = async () => Buffer.alloc(40 << 20)
  const content = toJson([{ file: 'large' }, { file: 'large' }])
  const error = await readContent(content, readLarge, createContentBudget()).catch(String)
  assert.is(error, 'Error: its parts hold more than 64 MiB together')
})

test.run()
