import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readGolden } from '../../lib/replay/golden'
import { listFiles, readScenarios } from '../../lib/replay/scenarios'
import { startSocketService } from '../../lib/replay/socket-service'
import { prepareWorkingFolder } from '../../lib/replay/working-folder'
import { readProjectScenarios } from '../golden/project-scenarios'
import { testVersion } from '../support/build'
import { createTemporaryFolder, root } from '../support/folders'
import { run, start } from '../support/program'

const test = suite('process: runs are recorded')

/** Fails if a file of the folder has the text, in any encoding that keeps ASCII. */
const refuteText = (folder: string, text: string): void => {
  for (const file of listFiles(folder))
    assert.not.match(readFileSync(join(folder, file), 'latin1'), text, file)
}

test('ask and batch write whole scenarios, which fail once an answer differs', async () => {
  const cwd = createTemporaryFolder()
  const tests = join(cwd, 'tests')
  writeFileSync(join(cwd, 'rows.jsonl'), '{"text":"A refund is wanted."}\n{"text":"Hello."}\n')
  const service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.waitForStderr(/http:\S+/)).trim()
  const world = { cwd, env: { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'sk-secret' } }
  const question = ['--noul', 'refund=Is a refund wanted?', '--record', 'tests']
  const state = ['--state', '-', '--api-key', 'sk-secret']
  const asked = await run(['ask', ...state, ...question], { ...world, stdin: 'Hello sk-secret.' })
  assert.equal([asked.code, asked.stderr], [0, ''])
  const rows = ['-i', 'rows.jsonl', '-o', 'run.jsonl', '--state-field', 'text']
  const batch = await run(['batch', ...rows, ...question], world)
  assert.equal([batch.code, batch.stderr], [0, 'batch: 2 rows, 2 answered, 0 failed\n'])
  const outside = join(createTemporaryFolder(), 'outside.jsonl')
  writeFileSync(outside, '"Hello."\n')
  const left = await run(['batch', '-i', outside, ...question], world)
  assert.is(left.code, 0)
  assert.match(left.stderr, `svc: recording ended: ${outside} is not below the working folder`)
  service.child.kill()
  await service.ended

  const [first, second, ...others] = readScenarios(tests)
  assert.equal(
    [first?.name, second?.name, others],
    ['recorded/001-refund', 'recorded/002-refund', []],
  )
  assert.is(first?.scenario.command, "svc ask --state - --noul 'refund=Is a refund wanted?'")
  const golden = readGolden(tests, 'recorded/002-refund')
  assert.is(golden['files/run.jsonl'], readFileSync(join(cwd, 'run.jsonl'), 'utf8'))
  refuteText(tests, 'sk-secret')

  const answer = join(tests, 'fixtures/recorded/001-refund/response.json')
  const changed = readFileSync(answer, 'utf8').replace(/"noul":0\.\d+/, '"noul":0.9')
  writeFileSync(answer, changed)
  const checked = await run(['fixtures', '--check', 'tests'], { cwd, env: {} })
  assert.is(checked.code, 8)
  assert.match(checked.stdout, '{"scenario":"recorded/001-refund","differs":["stdout"]')
})

test('a folder that cannot be written is refused before the first call', async () => {
  const cwd = createTemporaryFolder()
  writeFileSync(join(cwd, 'file'), '')
  const env = { SERVICE_BASE_URL: 'http://127.0.0.1:1', SERVICE_API_KEY: 'sk-secret' }
  const stderr = 'svc: record into file: not a directory\n'
  const question = ['--noul', 'refund=Is a refund wanted?', '--record', 'file']
  for (const args of [['ask', '--state', 'Hello.'], ['batch']]) {
    const ended = await run([...args, ...question], { cwd, env, stdin: '1\n' })
    assert.equal([ended.code, ended.stderr], [1, stderr], args[0])
  }
  const service = await run(['serve', '--port', '0', '--record', 'file'], { cwd, env: {} })
  assert.equal([service.code, service.stderr], [1, stderr])
})

/** Scenarios of svc that are run anew and recorded: another service, its key, and what can come in place of an answer. */
const rerun = [
  'ask/ticket',
  'batch/resume',
  'decisions/all-types',
  'errors/request-redirect',
  'gemini/error-503-retried',
  'images/gemini',
  'images/unreadable',
  'systemone/ollama',
]

test('a recorded run has the golden of the scenario that answered it, whatever the provider, and no key', async () => {
  const tests = createTemporaryFolder()
  for (const named of readProjectScenarios().filter(({ name }) => rerun.includes(name))) {
    const service = await startSocketService(named, testVersion.version, () => undefined)
    const { cwd, argv, env, stdin, remove } = await prepareWorkingFolder(
      named,
      service.baseUrl,
      testVersion,
    )
    const keyed = Object.entries(env).map(([name, value]) => [
      name,
      value.replaceAll('demo-key', 'sk-secret'),
    ])
    const world = { cwd, env: Object.fromEntries(keyed), stdin }
    const { stderr } = await run([...argv, '--record', tests], world)
    assert.not.match(stderr, 'recording ended', named.name)
    await service.close()
    remove()
    const recorded = readScenarios(tests).at(-1)?.name ?? ''
    assert.equal(readGolden(tests, recorded), readGolden(root, named.name), named.name)
  }
  refuteText(tests, 'sk-secret')
  const { stdout } = await run(['fixtures', '--check', tests], { env: {} })
  assert.is(stdout, `{"scenarios":${rerun.length},"passed":${rerun.length},"failed":[]}\n`)
})

test.run()
