import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkProgram } from '../../lib/replay/check'
import { readGolden } from '../../lib/replay/golden'
import { listFiles } from '../../lib/replay/scenarios'
import { testVersion } from '../support/build'
import { root, temporaryFolder } from '../support/folders'
import { bin, run } from '../support/program'

const test = suite('replay: svc fixtures')

test('the program carries every fixture and golden, and lays them into a new folder only', async () => {
  const folder = join(temporaryFolder(), 'new')
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
  const folder = temporaryFolder()
  for (const top of ['fixtures', 'golden'])
    for (const name of names)
      cpSync(join(root, top, name), join(folder, top, name), { recursive: true })
  return folder
}

const program = { command: [process.execPath, bin], env: {}, version: testVersion } as const
const { signal } = new AbortController()

test('a program that does as recorded passes, with a service, a conversation and files', async () => {
  const folder = copyOf('version/json', 'ask/content-kinds', 'mcp/ask', 'init/new')
  assert.equal(await checkProgram(folder, program, signal), { scenarios: 4, passed: 4, failed: [] })
})

test('one that does otherwise is told, with the streams that differ and the requests that never came', async () => {
  const folder = copyOf('version/json', 'ask/content-kinds')
  writeFileSync(join(folder, 'golden/version/json/stdout'), 'another\n')
  mkdirSync(join(folder, 'golden/version/json/files'))
  writeFileSync(join(folder, 'golden/version/json/files/missing'), '')
  const { passed, failed } = await checkProgram(folder, program, signal)
  assert.is(passed, 1)
  assert.equal(failed, [
    { scenario: 'version/json', differs: ['files/missing', 'stdout'], problems: [] },
  ])
  const silent = { ...program, command: [process.execPath, '-e', ''] } as const
  const [asked] = (await checkProgram(folder, silent, signal)).failed
  assert.is(asked?.scenario, 'ask/content-kinds')
  assert.match(asked?.problems.join() ?? '', 'never came: POST /v1/questions')
})

test('a program that cannot start is a usage error', async () => {
  const { code, stderr } = await run(['fixtures', '--check', '--command', 'no-such-program'])
  assert.is(code, 1)
  assert.match(stderr, /^svc: run no-such-program: /)
})

test.run()
