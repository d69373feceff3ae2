/** Scenarios are recorded runs of a program with the exchanges of a service. The golden of a scenario is its expected output. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toJson } from '../../lib/codec/json/draft'
import { exitCodes } from '../../lib/failure/report'
import { checkProgram } from '../../lib/replay/check'
import { readContent } from '../../lib/replay/content'
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
  const result = await checkProgram(folder, program, { signal: neverAborts })
  assert.equal(result, { scenarios: 4, passed: 4, failed: [] })
})

test('a scenario fails with the names of the golden files that differ', async () => {
  const folder = copyScenarios('version/json', 'ask/content-kinds')
  const golden = join(folder, 'golden/version/json')
  writeFileSync(join(golden, 'stdout'), 'another\n')
  mkdirSync(join(golden, 'files'))
  writeFileSync(join(golden, 'files/missing'), '')
  const { passed, failed } = await checkProgram(folder, program, { signal: neverAborts })
  assert.is(passed, 1)
  assert.equal(failed, [
    { scenario: 'version/json', differs: ['files/missing', 'stdout'], problems: [] },
  ])
})

test('a scenario fails with the recorded requests that did not come', async () => {
  const folder = copyScenarios('ask/content-kinds')
  // Runs Node with an empty script, which ends without a request.
  const silentProgram = { ...program, command: [process.execPath, '-e', ''] } as const
  const { failed } = await checkProgram(folder, silentProgram, { signal: neverAborts })
  assert.match(failed[0]?.problems.join() ?? '', 'never came: POST /v1/questions')
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
  assert.match(
    readFileSync(junit, 'utf8'),
    '<testcase classname="fixtures" name="1 scenario as recorded"',
  )
  assert.match(readFileSync(summary, 'utf8'), '# svc fixtures: ok\n\n1 of 1 scenario passed')
})

test('a golden without a scenario fails', async () => {
  const folder = copyScenarios('version/json')
  writeGolden(folder, 'own/gone', { exit: '0\n' })
  const { stdout, code } = await runProgram(['fixtures', '--check', folder])
  assert.is(code, exitCodes.flagged)
  assert.match(
    stdout,
    '"failed":[{"scenario":"own/gone","differs":[],"problems":["a golden without a scenario"]}]',
  )
})

test('a scenario of a later version ends the check', async () => {
  const folder = writeScenario({ ...versionScenario, version: 2 })
  const { code, stderr } = await runProgram(['fixtures', '--check', folder])
  assert.is(code, 1)
  assert.match(stderr, /^svc: check .*scenario\.json: version 2 needs a later svc\n$/)
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

test('a repeated text of more than 64 MiB is refused', async () => {
  // `ab` has 2 bytes, so the content has 2 bytes more than 64 MiB.
  const content = toJson({ repeat: 'ab', times: (32 << 20) + 1 })
  const readNothing = async () => new Uint8Array()
  const error = await readContent(content, readNothing).catch(String)
  assert.is(error, 'Error: "repeat" times "times" is more than 64 MiB')
})

test.run()
