/** The CI jobs that `svc help fixtures` and `svc help gates` show, run as written with the packed program. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exitCodes } from '../../lib/failure/report'
import { readExample } from '../support/documents'
import { packProgram } from '../support/package'
import { type ServeProcess, startServe } from '../support/serve'
import { startTcpServer } from '../support/servers'
import { type CiRunner, createCiRunner, readJob, type ScriptResult } from './ci-runner'

const test = suite('tools: the CI jobs of the documentation')

let tarball: string
let service: ServeProcess
/** The variables and secrets of the jobs, by name. */
let values: Readonly<Record<string, string>>

test.before(async () => {
  tarball = packProgram()
  service = await startServe()
  values = { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'demo-key' }
})

test.after(async () => {
  await service.stop()
})

const findFreePort = async (): Promise<number> => {
  const { port, close } = await startTcpServer(() => undefined)
  await close()
  return port
}

/** Fails unless every script of a job succeeded. */
const assertPassed = (results: ReadonlyArray<ScriptResult>): void => {
  for (const { script, code, stderr } of results) assert.is(code, 0, `${script}\n${stderr}`)
}

/** Writes the programs and scripts of `svc help fixtures`, for a service on `port`. */
const writeFixturesExample = ({ cwd }: CiRunner, port: string): void => {
  const examples = [
    { file: 'app.mjs', language: 'js', name: 'fixtures-app' },
    { file: 'app.py', language: 'python', name: 'fixtures-app' },
    { file: 'app.sh', language: 'sh', name: 'fixtures-app' },
    { file: 'record.sh', language: 'sh', name: 'fixtures-record' },
    { file: 'check.sh', language: 'sh', name: 'fixtures-check' },
  ]
  for (const { file, language, name } of examples)
    writeFileSync(join(cwd, file), readExample(language, name).replaceAll('8787', port))
}

test('fixtures-job passes without a service, and fails once a program sends another request', async () => {
  const runner = createCiRunner(tarball)
  writeFixturesExample(runner, String(await findFreePort()))
  const { steps } = readJob('fixtures-job')
  const install = steps.find(({ run }) => run?.startsWith('npm install '))?.run ?? ''
  assert.is(runner.runScript(install).code, 0)
  const expectedOutput = /^refund\nlate\n\{"model":/
  const recordRun = runner.runScript('sh record.sh')
  assert.match(recordRun.stdout, expectedOutput, recordRun.stderr)

  const results = runner.runJob({ steps })
  assertPassed(results)
  assert.is(results.length, 3)
  // The first step of the job installs the packages.
  const [_install, checkScript, fixturesCheck] = results
  assert.match(checkScript?.stdout ?? '', expectedOutput)
  // The script ends with the list of unused recordings, which is empty.
  assert.match(checkScript?.stdout ?? '', /\[\]\n$/)
  assert.match(fixturesCheck?.stdout ?? '', '"failed":[]')

  const app = join(runner.cwd, 'app.mjs')
  writeFileSync(app, readFileSync(app, 'utf8').replace('my order', 'my money'))
  const failed = runner.runJob({ steps }).at(-1)
  assert.is(failed?.script, 'sh check.sh')
  assert.is(failed?.code, 1)
  assert.match(
    failed?.stderr ?? '',
    'state: recorded \\"Please refund my order.\\", received \\"Please refund my money.\\".',
  )
  assert.match(failed?.stdout ?? '', "scenario: 'recorded/002-refund'")
})

test('gate-step passes a text that fulfils the requirement, and fails for any other text', () => {
  const runner = createCiRunner(tarball)
  const job = readJob('gate-step')
  writeFileSync(join(runner.cwd, 'RELEASE_NOTE.md'), 'The text says what changed for users.\n')
  assertPassed(runner.runJob(job, values))
  writeFileSync(join(runner.cwd, 'RELEASE_NOTE.md'), 'Lorem ipsum.\n')
  assert.is(runner.runJob(job, values).at(-1)?.code, exitCodes.flagged)
})

/** A text, and its label: is it a bug report? */
interface LabelledCase {
  readonly text: string
  readonly isBug: boolean
}

/**
 * Writes the cases, each with its label, and a yes/no question (a `noul`). The embedded engine answers it clearly, because its criteria
 * are words of the cases.
 */
const writeCases = ({ cwd }: CiRunner, cases: ReadonlyArray<LabelledCase>): void => {
  const criteria = { true: 'crash', false: 'thanks' }
  const question = { type: 'noul', instructions: 'Is this a bug report?', criteria }
  writeFileSync(join(cwd, 'questions.json'), JSON.stringify({ questions: { bug: question } }))
  const rows = cases.map(({ text, isBug }) => `"${text}",${isBug}`)
  writeFileSync(join(cwd, 'cases.csv'), `${['text,is_bug', ...rows].join('\n')}\n`)
}

test('gate-job passes clear and right answers, and stops at unclear ones', () => {
  const runner = createCiRunner(tarball)
  const job = readJob('gate-job')
  const bugReport = { text: 'A crash.', isBug: true }
  const thankYouNote = { text: 'Thanks.', isBug: false }
  // The job requires that answers are right in 90 % with 95 % confidence. 80 right answers prove that.
  writeCases(
    runner,
    Array.from({ length: 80 }, (_, index) => (index % 2 === 0 ? bugReport : thankYouNote)),
  )
  const results = runner.runJob(job, values)
  assertPassed(results)
  assert.is(results.length, 4)
  writeCases(runner, [{ text: 'A delivery.', isBug: true }])
  // Otherwise `svc batch` refuses to write to the file of the first run.
  rmSync(join(runner.cwd, 'run.jsonl'))
  const failed = runner.runJob(job, values).at(-1)
  assert.match(failed?.script ?? '', /^svc gate /)
  assert.is(failed?.code, exitCodes.flagged)
})

test('reuse-job asks every row in the first job, and only the changed rows in the next one', () => {
  const runner = createCiRunner(tarball)
  const job = readJob('reuse-job')
  writeCases(runner, [
    { text: 'A crash.', isBug: true },
    { text: 'Thanks.', isBug: false },
  ])
  const runBatch = (): unknown => {
    rmSync(join(runner.cwd, 'run.jsonl'), { force: true })
    const results = runner.runJob(job, values)
    assertPassed(results)
    const batch = results.find(({ script }) => script.startsWith('svc batch'))
    const { rows, reused, attempts } = JSON.parse(batch?.stdout ?? '')
    return { rows, reused, attempts }
  }
  assert.equal(runBatch(), { rows: 2, reused: 0, attempts: 2 })
  appendFileSync(join(runner.cwd, 'cases.csv'), '"A crash again.",true\n')
  assert.equal(runBatch(), { rows: 3, reused: 2, attempts: 1 })
})

test.run()
