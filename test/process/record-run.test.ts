import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exitCodes } from '../../lib/failure/report'
import { goldenKey } from '../../lib/replay/compare-requests'
import { readGolden } from '../../lib/replay/golden'
import { listFiles, readScenarios } from '../../lib/replay/scenarios'
import { startSocketService } from '../../lib/replay/socket-service'
import { prepareWorkingFolder } from '../../lib/replay/working-folder'
import { findProjectScenario } from '../golden/project-scenarios'
import { testVersion } from '../support/build'
import { createTemporaryFolder, root } from '../support/folders'
import { runProgram } from '../support/program'
import { type ServeProcess, startServe } from '../support/serve'

const test = suite('process: svc ask --record and svc batch --record')

let service: ServeProcess

test.before(async () => {
  service = await startServe()
})

test.after(async () => {
  await service.stop()
})

const key = 'sk-secret'
/** `--noul` asks a yes/no question. */
const refundQuestion = ['--noul', 'refund=Is a refund wanted?']

/** Runs svc in a folder, and records into its subfolder `tests`. */
const runRecorded = (cwd: string, args: ReadonlyArray<string>, stdin = '') =>
  runProgram([...args, '--record', 'tests'], {
    cwd,
    env: { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: key },
    stdin,
  })

/** Fails if a file of a folder contains the text. */
const assertNoFileHas = (folder: string, text: string): void => {
  // In latin1 every byte is a character, so files that are not UTF-8 are searched too.
  for (const file of listFiles(folder))
    assert.not.match(readFileSync(join(folder, file), 'latin1'), text, file)
}

// A golden is the expected output of a recorded scenario.
test('ask writes its command, input, exchange and golden, without keys', async () => {
  const cwd = createTemporaryFolder()
  const args = ['ask', '--state', '-', '--api-key', key, ...refundQuestion]
  const { code, stdout, stderr } = await runRecorded(cwd, args, `Hello ${key}.`)
  assert.is(code, 0)
  assert.is(stderr, '')

  const tests = join(cwd, 'tests')
  const [recorded] = readScenarios(tests)
  assert.is(recorded?.name, 'recorded/001-refund')
  assert.is(recorded?.scenario.command, "svc ask --state - --noul 'refund=Is a refund wanted?'")
  assert.equal(readGolden(tests, 'recorded/001-refund'), { stdout, exit: '0\n' })
  const input = readFileSync(join(tests, 'fixtures/recorded/001-refund/stdin'), 'utf8')
  assert.is(input, 'Hello [redacted].')
  assertNoFileHas(tests, key)
})

test('batch writes its rows, and the output as part of the golden', async () => {
  const cwd = createTemporaryFolder()
  const rows = '{"text":"A refund is wanted."}\n{"text":"Hello."}\n'
  writeFileSync(join(cwd, 'rows.jsonl'), rows)
  const files = ['-i', 'rows.jsonl', '-o', 'run.jsonl', '--state-field', 'text']
  const { code, stderr } = await runRecorded(cwd, ['batch', ...files, ...refundQuestion])
  assert.is(code, 0)
  assert.is(stderr, 'batch: 2 rows, 2 answered, 0 failed\n')

  const golden = readGolden(join(cwd, 'tests'), 'recorded/001-refund')
  assert.is(golden['files/run.jsonl'], readFileSync(join(cwd, 'run.jsonl'), 'utf8'))
  const input = join(cwd, 'tests/fixtures/recorded/001-refund/rows.jsonl')
  assert.is(readFileSync(input, 'utf8'), rows)
})

test('svc fixtures --check fails once a recorded answer differs', async () => {
  const cwd = createTemporaryFolder()
  await runRecorded(cwd, ['ask', '--state', 'Hello.', ...refundQuestion])
  const firstCheck = await runProgram(['fixtures', '--check', 'tests'], { cwd, env: {} })
  assert.is(firstCheck.stdout, '{"scenarios":1,"passed":1,"recordings":0,"failed":[]}\n')

  const answerFile = join(cwd, 'tests/fixtures/recorded/001-refund/response.json')
  const changedAnswer = readFileSync(answerFile, 'utf8').replace(/"noul":0\.\d+/, '"noul":0.9')
  writeFileSync(answerFile, changedAnswer)
  const secondCheck = await runProgram(['fixtures', '--check', 'tests'], { cwd, env: {} })
  assert.is(secondCheck.code, exitCodes.flagged)
  assert.match(secondCheck.stdout, '{"scenario":"recorded/001-refund","differs":["stdout"]')
})

test('a run that reads a file outside the working folder is not recorded', async () => {
  const cwd = createTemporaryFolder()
  const outside = join(createTemporaryFolder(), 'outside.jsonl')
  writeFileSync(outside, '"Hello."\n')
  const { code, stderr } = await runRecorded(cwd, ['batch', '-i', outside, ...refundQuestion])
  assert.is(code, 0)
  assert.match(stderr, `svc: recording ended: ${outside} is not below the working folder`)
  assert.equal(readScenarios(join(cwd, 'tests')), [])
})

for (const command of ['ask', 'batch', 'serve'])
  test(`${command} refuses a folder that cannot be made before it starts`, async () => {
    const cwd = createTemporaryFolder()
    writeFileSync(join(cwd, 'file'), '')
    const flags = command === 'serve' ? ['--port', '0'] : refundQuestion
    const env = { SERVICE_BASE_URL: 'http://127.0.0.1:1', SERVICE_API_KEY: key }
    const { code, stderr } = await runProgram([command, ...flags, '--record', 'file'], { cwd, env })
    assert.is(code, 1)
    assert.is(stderr, 'svc: record into file: not a directory\n')
  })

/** Scenarios whose commands are recorded: several providers, retries, images, files, and failures in place of an answer. */
const scenariosToRecord = [
  'ask/ticket',
  'batch/resume',
  'decisions/all-types',
  'errors/request-redirect',
  'gemini/error-503-retried',
  'images/gemini',
  'images/unreadable',
  'systemone/ollama',
]
for (const name of scenariosToRecord)
  test(`the recording of ${name} has the same golden, passes, and has no key`, async () => {
    const namedScenario = findProjectScenario(name)
    const tests = createTemporaryFolder()
    const scripted = await startSocketService(namedScenario, testVersion.version, () => undefined)
    const workingFolder = await prepareWorkingFolder(namedScenario, scripted.baseUrl, testVersion)
    const { cwd, argv, stdin } = workingFolder
    const env: Record<string, string> = {}
    for (const [variable, value] of Object.entries(workingFolder.env))
      env[variable] = value.replaceAll(goldenKey, key)
    const { stderr } = await runProgram([...argv, '--record', tests], { cwd, env, stdin })
    await scripted.close()
    workingFolder.remove()

    assert.not.match(stderr, 'recording ended')
    const [recorded] = readScenarios(tests)
    assert.equal(readGolden(tests, recorded?.name ?? ''), readGolden(root, name))
    assertNoFileHas(tests, key)
    const { stdout } = await runProgram(['fixtures', '--check', tests], { env: {} })
    assert.is(stdout, '{"scenarios":1,"passed":1,"recordings":0,"failed":[]}\n')
  })

test.run()
