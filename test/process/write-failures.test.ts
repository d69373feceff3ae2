import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exitCodes } from '../../lib/failure/report'
import {
  type RunningProgram,
  runInShell,
  runProgram,
  startProgram,
  workingFolder,
} from '../support/program'
import { type RowService, startRowService } from './row-service'

const test = suite('process: svc batch cannot write')

const pathInFolder = (name: string): string => join(workingFolder, name)
const readText = (name: string): string => readFileSync(pathInFolder(name), 'utf8')
/** `--noul` asks a yes/no question. */
const question = '--noul "q=Is it?"'

const rowCount = 80

/** Starts a row service, and writes its rows to `rows.jsonl`. */
const startRowServiceWithInput = async () => {
  const service = await startRowService()
  const rows = Array.from({ length: rowCount }, (_, row) => `${row}\n`)
  writeFileSync(pathInFolder('rows.jsonl'), rows.join(''))
  return { service, env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url } }
}

/** The maximum size of a file in the tests of a full disk. The output of all rows is larger. */
const maxFileBytes = 8192

/** Runs a command that cannot write more than `maxFileBytes` to a file. The last write is cut at the limit. */
const limitFileSize = (command: string): string =>
  // sh counts blocks of 512 bytes.
  `ulimit -f ${maxFileBytes / 512}; ${command}`

test('a full disk leaves only complete records, and the run resumes when there is room', async () => {
  const { service, env } = await startRowServiceWithInput()
  const batch = `svc batch -i rows.jsonl ${question}`
  const wholeRun = await runInShell(`${batch} -o whole.jsonl`, env)
  assert.is(wholeRun.code, 0, wholeRun.stderr)
  rmSync(pathInFolder('run.jsonl'), { force: true })

  const fullDiskRun = await runInShell(limitFileSize(`${batch} -o run.jsonl --resume`), env)

  const written = readText('run.jsonl')
  const recordCount = written.split('\n').length - 1
  assert.is(fullDiskRun.code, 1)
  assert.match(
    fullDiskRun.stderr,
    `svc: write run.jsonl: file too large: ${recordCount} records are in the output\n`,
  )
  assert.ok(recordCount > 0)
  assert.ok(written.length <= maxFileBytes)
  assert.ok(written.endsWith('\n'))
  assert.ok(readText('whole.jsonl').startsWith(written))

  service.forgetRows()
  const resumed = await runInShell(`${batch} -o run.jsonl --resume`, env)
  service.close()
  assert.is(resumed.code, 0, resumed.stderr)
  assert.is(readText('run.jsonl'), readText('whole.jsonl'))
  // The first row that is asked again is the first one without a record.
  assert.is(Math.min(...service.askedRows()), recordCount)
})

/** Starts a row service. Writes a run to `run.jsonl` in which every row has failed, because the run could not reach a service. */
const writeFailedRun = async () => {
  const { service, env } = await startRowServiceWithInput()
  rmSync(pathInFolder('run.jsonl'), { force: true })
  const args = ['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', '--max-retries', '0']
  // No program listens on port 1.
  const unreachableEnv = { ...env, SERVICE_BASE_URL: 'http://127.0.0.1:1' }
  const { code, stderr } = await runProgram([...args, '--noul', 'q=Is it?'], {
    env: unreachableEnv,
  })
  assert.is(code, exitCodes.connection, stderr)
  return { service, env, failedRun: readText('run.jsonl') }
}

/** Starts to ask the failed rows again, and waits until 60 of the 80 rows have been asked. */
const startRetry = async (
  service: RowService,
  env: Readonly<Record<string, string>>,
): Promise<RunningProgram> => {
  const args = ['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', '--noul', 'q=Is it?', '--resume']
  const running = startProgram([...args, '--retry-errors'], { env })
  await service.waitForRows(60)
  return running
}

const retryCommand = `svc batch -i rows.jsonl -o run.jsonl --resume --retry-errors ${question}`

/** Lists the new outputs that runs left beside `run.jsonl`. */
const listLeftovers = (): ReadonlyArray<string> =>
  readdirSync(workingFolder).filter((name) => /^\.svc-.*\.jsonl$/.test(name))

/** Counts the answers in a file of records. */
const countAnswers = (name: string): number => readText(name).split('"answers"').length - 1

test('if the new output of --retry-errors does not fit, svc keeps its answers beside the old output, and --reuse takes them', async () => {
  const { service, env, failedRun } = await writeFailedRun()
  const fullDiskRun = await runInShell(limitFileSize(retryCommand), env)
  assert.is(fullDiskRun.code, 1)
  assert.is(readText('run.jsonl'), failedRun)
  const [leftover = ''] = listLeftovers()
  const path = join(realpathSync(workingFolder), leftover)
  const newAnswers = countAnswers(leftover)
  assert.ok(newAnswers > 0)
  assert.is(
    fullDiskRun.stderr,
    `svc: write run.jsonl: file too large: the output is unchanged; ${path} has ${newAnswers} answers that the output lacks: use it with --reuse\n`,
  )

  service.forgetRows()
  const retried = await runInShell(`${retryCommand} --reuse ${leftover}`, env)
  assert.is(retried.code, 0, retried.stderr)
  assert.is(service.askedRows().length, rowCount - newAnswers)
  assert.equal(listLeftovers(), [leftover], 'svc reads it until the run ends')
  const complete = await runInShell(retryCommand, env)
  service.close()
  assert.is(
    complete.stderr,
    `batch: ${newAnswers} rows reused, answered by m\nbatch: ${rowCount} rows, ${rowCount} answered, 0 failed\n`,
  )
  assert.equal(listLeftovers(), [], 'the output has all its answers')
})

test('if the new output of --overwrite does not fit, its answers replace the output, and the message counts them', async () => {
  const { service, env } = await startRowServiceWithInput()
  const overwrite = `svc batch -i rows.jsonl -o run.jsonl --overwrite ${question}`
  await runInShell(overwrite, env)
  const fullDiskRun = await runInShell(limitFileSize(overwrite), env)
  service.close()
  const answers = countAnswers('run.jsonl')
  assert.is(readText('run.jsonl').split('\n').length - 1, answers)
  assert.ok(answers > 0 && answers < rowCount)
  assert.is(fullDiskRun.code, 1)
  assert.is(
    fullDiskRun.stderr,
    `batch: ${answers} rows, ${answers} answered, 0 failed\nsvc: write run.jsonl: file too large: ${answers} records are in the output\n`,
  )
  assert.equal(listLeftovers(), [])
})

test('the answers of a killed --overwrite stay beside the output, and later runs name them', async () => {
  const { service, env } = await startRowServiceWithInput()
  await runInShell(`svc batch -i rows.jsonl -o run.jsonl --overwrite --limit 1 ${question}`, env)
  service.forgetRows()
  const args = ['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', '--noul', 'q=Is it?', '--overwrite']
  const { child, ended } = startProgram(args, { env })
  await service.waitForRows(60)
  child.kill('SIGKILL')
  await ended
  const [leftover = ''] = listLeftovers()
  const newAnswers = countAnswers(leftover) - 1
  const path = join(realpathSync(workingFolder), leftover)
  const named = `batch: ${path} has ${newAnswers} answers that the output lacks: use it with --reuse, or delete it\n`
  const resume = `svc batch -i rows.jsonl -o run.jsonl --resume --limit 1 ${question}`
  for (let run = 0; run < 2; run += 1)
    assert.ok((await runInShell(resume, env)).stderr.startsWith(named))
  service.close()
  rmSync(pathInFolder(leftover))
})

test('if --retry-errors finds records of other rows in the output only after new answers, it keeps these beside the output', async () => {
  const { service, env, failedRun } = await writeFailedRun()
  // Rows from a pipe are compared while they are asked: the first 40 fit the records, and row 40 does not.
  const rows = '(head -n 40 rows.jsonl; echo 999)'
  const retry = retryCommand.replace('-i rows.jsonl', '--format jsonl')
  const { code, stderr } = await runInShell(`${rows} | ${retry}`, env)
  service.close()
  const [leftover = ''] = listLeftovers()
  const path = join(realpathSync(workingFolder), leftover)
  assert.is(code, 1)
  assert.is(
    stderr,
    `svc: resume run.jsonl: row 40 of the input: the file has another state; ${path} has 40 answers that the output lacks: use it with --reuse\n`,
  )
  assert.is(countAnswers(leftover), 40)
  assert.is(readText('run.jsonl'), failedRun)
  rmSync(pathInFolder(leftover))
})

test('a second run is refused while --retry-errors asks the rows after those of the old output', async () => {
  const { service, env } = await writeFailedRun()
  const failedRecords = readText('run.jsonl').split('\n')
  writeFileSync(pathInFolder('run.jsonl'), `${failedRecords[0]}\n`)
  const { child, ended } = await startRetry(service, env)
  child.kill('SIGSTOP')
  const second = await runInShell(retryCommand, env)
  child.kill('SIGCONT')
  await ended
  service.close()
  assert.is(second.code, 1)
  assert.match(second.stderr, `another svc is writing it (process ${child.pid}`)
})

test('a kill during --retry-errors leaves the old output unchanged', async () => {
  const { service, env, failedRun } = await writeFailedRun()
  const { child, ended } = await startRetry(service, env)
  child.kill('SIGKILL')
  await ended
  assert.is(readText('run.jsonl'), failedRun)
  const retried = await runInShell(retryCommand, env)
  service.close()
  assert.is(retried.code, 0, retried.stderr)
})

test('an interrupt during --retry-errors saves the new answers, and resuming does not ask them again', async () => {
  const { service, env } = await writeFailedRun()
  const { child, ended } = await startRetry(service, env)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  assert.is(code, exitCodes.interrupted)
  const { rows, answered, complete } = JSON.parse(stdout)
  assert.is(rows, rowCount)
  assert.is(complete, false)
  assert.ok(answered > 0)

  service.forgetRows()
  const retried = await runInShell(retryCommand, env)
  service.close()
  assert.is(retried.code, 0, retried.stderr)
  assert.is(Math.min(...service.askedRows()), answered)
})

test('a full disk behind stdout leaves complete lines, and the message has their number', async () => {
  const { service, env } = await startRowServiceWithInput()
  const batch = limitFileSize(`svc batch -i rows.jsonl ${question} > rows.out`)
  const { code, stderr } = await runInShell(batch, env)
  service.close()
  const lines = readText('rows.out').split('\n')
  // The last line is complete, so nothing follows its newline.
  assert.is(lines.pop(), '')
  assert.is(code, 1)
  const count = lines.length
  assert.is(
    stderr,
    `batch: ${count} rows, ${count} answered, 0 failed\nsvc: write stdout: file too large: ${count} records are in the output\n`,
  )
})

test.run()
