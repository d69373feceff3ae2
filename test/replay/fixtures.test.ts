import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toJson } from '../../lib/codec/json/draft'
import { checkProgram } from '../../lib/replay/check'
import { readContent } from '../../lib/replay/content'
import { readGolden, writeGolden } from '../../lib/replay/golden'
import { listFiles } from '../../lib/replay/scenarios'
import { testVersion } from '../support/build'
import { createTemporaryFolder, root } from '../support/folders'
import { bin, run } from '../support/program'

const test = suite('replay: svc fixtures')

test('the program carries every fixture and golden, and lays them into a new folder only', async () => {
  const folder = join(createTemporaryFolder(), 'new')
  const { stdout, stderr, code } = await run(['fixtures', folder])
  assert.equal([code, stderr], [0, ''])
  const files = ['fixtures', 'golden'].flatMap((top) => listFiles(join(root, top)))
  assert.equal(JSON.parse(stdout), { wrote: folder, files: files.length })
  for (const top of ['fixtures', 'golden'])
    assert.equal(listFiles(join(folder, top)), listFiles(join(root, top)))
  assert.equal(readGolden(folder, 'version/json'), readGolden(root, 'version/json'))
  const again = await run(['fixtures', folder])
  assert.is(again.code, 1)
  assert.is(again.stderr, `svc: ${folder} is not empty; name a new folder\n`)
})

/** A folder with copies of some scenarios and their goldens. */
const copyOf = (...names: ReadonlyArray<string>): string => {
  const folder = createTemporaryFolder()
  for (const top of ['fixtures', 'golden'])
    for (const name of names)
      cpSync(join(root, top, name), join(folder, top, name), { recursive: true })
  return folder
}

const program = { command: [process.execPath, bin], env: {}, version: testVersion } as const
const { signal } = new AbortController()

test('a program that does as recorded passes, with a service, a conversation and files', async () => {
  const folder = copyOf('version/json', 'ask/content-kinds', 'mcp/ask', 'init/new')
  assert.equal(await checkProgram(folder, program, { signal }), {
    scenarios: 4,
    passed: 4,
    failed: [],
  })
})

test('one that does otherwise is told, with the streams that differ and the requests that never came', async () => {
  const folder = copyOf('version/json', 'ask/content-kinds')
  writeFileSync(join(folder, 'golden/version/json/stdout'), 'another\n')
  mkdirSync(join(folder, 'golden/version/json/files'))
  writeFileSync(join(folder, 'golden/version/json/files/missing'), '')
  const { passed, failed } = await checkProgram(folder, program, { signal })
  assert.is(passed, 1)
  assert.equal(failed, [
    { scenario: 'version/json', differs: ['files/missing', 'stdout'], problems: [] },
  ])
  const silent = { ...program, command: [process.execPath, '-e', ''] } as const
  const [asked] = (await checkProgram(folder, silent, { signal })).failed
  assert.is(asked?.scenario, 'ask/content-kinds')
  assert.match(asked?.problems.join() ?? '', 'never came: POST /v1/questions')
})

/** A scenario of one's own in a new folder. */
const ownScenario = (scenario: object): string => {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, 'fixtures/own'), { recursive: true })
  writeFileSync(join(folder, 'fixtures/own/scenario.json'), JSON.stringify(scenario))
  return folder
}

test('a scenario without a golden fails until --update writes it', async () => {
  const own = ownScenario({ version: 1, title: 'own', command: 'svc --version' })
  const before = await run(['fixtures', '--check', own])
  assert.is(before.code, 8)
  assert.match(before.stdout, 'it has no golden: run with --update')
  assert.is((await run(['fixtures', '--check', own, '--update'])).code, 0)
  assert.is(readGolden(own, 'own').stdout, 'svc version {version}\n')
  const junit = join(own, 'report.xml')
  const summary = join(own, 'summary.md')
  const env = { GITHUB_STEP_SUMMARY: summary }
  assert.is((await run(['fixtures', '--check', own, '--junit', junit], { env })).code, 0)
  assert.match(
    readFileSync(junit, 'utf8'),
    '<testcase classname="fixtures" name="1 scenario as recorded"',
  )
  assert.match(readFileSync(summary, 'utf8'), '# svc fixtures: ok\n\n1 of 1 scenario passed')
})

test('a golden without a scenario fails, and so does a scenario of a later version', async () => {
  const own = ownScenario({ title: 'own', command: 'svc --version' })
  writeGolden(own, 'own', { stdout: 'svc version {version}\n', exit: '0\n' })
  writeGolden(own, 'gone', { exit: '0\n' })
  const { stdout, code } = await run(['fixtures', '--check', own])
  assert.is(code, 8)
  assert.match(
    stdout,
    '"failed":[{"scenario":"gone","differs":[],"problems":["a golden without a scenario"]}]',
  )
  const later = await run(['fixtures', '--check', ownScenario({ version: 2, title: 'later' })])
  assert.match(later.stderr, /^svc: check .*scenario\.json: version 2 needs a later svc\n$/)
})

test('--command runs a name from PATH, and a file only if its path has a slash', async () => {
  const cwd = createTemporaryFolder()
  writeFileSync(join(cwd, 'svc'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 })
  const { code, stderr } = await run(['fixtures', '--check', '--command', 'svc'], { cwd, env: {} })
  assert.is(code, 1)
  assert.match(stderr, /^svc: run svc: /)
  assert.not.ok(existsSync(join(cwd, 'ran')))
})

test('a repeated text of more than 64 MiB is refused', async () => {
  const content = toJson({ repeat: 'ab', times: (32 << 20) + 1 })
  const refused = await readContent(content, async () => new Uint8Array()).catch(String)
  assert.is(refused, 'Error: "repeat" times "times" is more than 64 MiB')
})

test('a program that cannot start is a usage error', async () => {
  const { code, stderr } = await run(['fixtures', '--check', '--command', 'no-such-program'])
  assert.is(code, 1)
  assert.match(stderr, /^svc: run no-such-program: /)
})

test.run()
