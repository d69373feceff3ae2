import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exitCodes } from '../../lib/failure/report'
import { runInShell, runProgram, startProgram, workingFolder } from '../support/program'
import { interruptAndResume, maxUnrecordedRows } from './interrupt-and-resume'
import { type RowService, startRowService } from './row-service'

const test = suite('process: svc batch')

const pathInFolder = (name: string): string => join(workingFolder, name)
/** `--noul` asks a yes/no question. */
const question = ['--noul', 'q=Is it?']

const listNumbers = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, number) => number)

/** Writes rows, each of which is its own number. */
const writeRows = (name: string, count: number): void => {
  const lines = listNumbers(count).map((row) => `${row}\n`)
  writeFileSync(pathInFolder(name), lines.join(''))
}

/** Reads the `index` of each record of a run. */
const readIndexes = (name: string): ReadonlyArray<number> => {
  const lines = readFileSync(pathInFolder(name), 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line).index)
}

const createEnv = ({ url }: RowService) => ({ SERVICE_API_KEY: 'k', SERVICE_BASE_URL: url })

test('a run that is killed at random moments and resumed equals an undisturbed run', async () => {
  const { sentSignals, repeatedRequests } = await interruptAndResume(5, 'SIGKILL', ({ signal }) =>
    assert.is(signal, 'SIGKILL'),
  )
  assert.is(sentSignals, 5)
  // A kill loses at most the rows without a record.
  assert.ok(repeatedRequests <= 5 * maxUnrecordedRows)
})

test('a run in packs that is killed at random moments and resumed has every row once', async () => {
  const packSize = 3
  const checkKilled = ({ signal }: { readonly signal: string | null }) =>
    assert.is(signal, 'SIGKILL')
  const { sentSignals } = await interruptAndResume(5, 'SIGKILL', checkKilled, packSize)
  assert.is(sentSignals, 5)
})

test('a run that is interrupted and resumed equals an undisturbed run, and prints a summary', async () => {
  await interruptAndResume(2, 'SIGINT', ({ code, stdout, stderr }) => {
    assert.is(code, exitCodes.interrupted)
    // An interrupt before the first row prints only the error.
    assert.match(stdout, /"complete":false|"kind":"interrupted"/)
    assert.match(stderr, /svc: interrupted\n$/)
  })
})

test('a run answers every row although the service restarts meanwhile', async () => {
  const service = await startRowService()
  writeRows('rows.jsonl', 60)
  rmSync(pathInFolder('run.jsonl'), { force: true })
  const { ended } = startProgram(['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', ...question], {
    env: createEnv(service),
  })
  await service.waitForRows(20)
  await service.restart()
  const { code, stderr } = await ended
  service.close()
  assert.is(code, 0, stderr)
  assert.equal(readIndexes('run.jsonl'), listNumbers(60))
})

test('refuses an output that another run writes, unless that run was killed', async () => {
  const service = await startRowService()
  const env = createEnv(service)
  rmSync(pathInFolder('locked.jsonl'), { force: true })
  const batch = ['batch', '-o', 'locked.jsonl', '--resume', ...question]
  // The stdin of this run stays open, so the run goes on and keeps its lock.
  const firstRun = startProgram(batch, { env })
  firstRun.child.stdin?.write('0\n')
  await service.waitForRows(1)
  const secondRun = await runProgram(batch, { env, stdin: '0\n' })
  assert.is(secondRun.code, 1)
  const lockFile = realpathSync(pathInFolder('locked.jsonl.lock'))
  const lock = `process ${firstRun.child.pid}, lock file ${lockFile}`
  assert.is(secondRun.stderr, `svc: write locked.jsonl: another svc is writing it (${lock})\n`)
  firstRun.child.kill('SIGKILL')
  await firstRun.ended
  const thirdRun = await runProgram(batch, { env, stdin: '0\n1\n' })
  service.close()
  assert.is(thirdRun.code, 0, thirdRun.stderr)
  assert.equal(readIndexes('locked.jsonl'), [0, 1])
  assert.is(existsSync(pathInFolder('locked.jsonl.lock')), false)
})

test('unlocks its output if it is interrupted', async () => {
  const service = await startRowService()
  const { child, ended } = startProgram(['batch', '-o', 'stopped.jsonl', ...question], {
    env: createEnv(service),
  })
  child.stdin?.write('0\n')
  await service.waitForRows(1)
  assert.is(existsSync(pathInFolder('stopped.jsonl.lock')), true)
  child.kill('SIGTERM')
  const { code } = await ended
  service.close()
  assert.is(code, exitCodes.interrupted)
  assert.is(existsSync(pathInFolder('stopped.jsonl.lock')), false)
})

test('writes the record of a row before the next row arrives', async () => {
  const service = await startRowService()
  const { child, ended } = startProgram(['batch', ...question], { env: createEnv(service) })
  const lines = createInterface(child.stdout as Readable)[Symbol.asyncIterator]()
  for (const row of [0, 1, 2]) {
    child.stdin?.write(`${row}\n`)
    const { value } = await lines.next()
    assert.is(JSON.parse(value).index, row)
  }
  child.stdin?.end()
  const { code } = await ended
  service.close()
  assert.is(code, 0)
})

test('ends with 0 and without a message if the reader of its output leaves', async () => {
  const service = await startRowService()
  writeRows('many.jsonl', 4000)
  const line = '{ svc batch -i many.jsonl --noul "q=Is it?"; echo $? > code; } | head -1; cat code'
  const { stdout, stderr } = await runInShell(line, createEnv(service))
  service.close()
  assert.match(stdout, /^\{"index":0,.*\}\n0\n$/)
  assert.is(stderr, '')
  // Even if `head` leaves late, svc waits when the pipe is full: 64 KiB hold less than 700 records.
  assert.ok(service.askedRows().length < 1000, `${service.askedRows().length} rows asked`)
})

test('asks failed rows again if the input is a pipe', async () => {
  const service = await startRowService()
  writeRows('rows.jsonl', 3)
  rmSync(pathInFolder('run.jsonl'), { force: true })
  const batch = 'svc batch -o run.jsonl --max-retries 0 --noul "q=Is it?"'
  const failed = await runInShell(
    `SERVICE_BASE_URL=http://127.0.0.1:1 ${batch} -i rows.jsonl`,
    createEnv(service),
  )
  assert.is(failed.code, exitCodes.connection, failed.stderr)
  const fillPipe = 'mkfifo rows.pipe; cat rows.jsonl > rows.pipe'
  const retry = `${batch} -i rows.pipe --format jsonl --resume --retry-errors`
  const { code, stdout, stderr } = await runInShell(`${fillPipe} & ${retry}`, createEnv(service))
  service.close()
  assert.is(code, 0, stderr)
  assert.match(stdout, '{"rows":3,"answered":3,"failed":0,')
  assert.equal(readIndexes('run.jsonl'), listNumbers(3))
})

test('reports the number of complete records if the disk is full', async () => {
  const service = await startRowService()
  const env = createEnv(service)
  const toFile = await runProgram(['batch', '-o', '/dev/full', ...question], { env, stdin: '0\n' })
  const toStdout = await runInShell('echo 0 | svc batch --noul "q=Is it?" > /dev/full', env)
  service.close()
  const reason = 'no space left on device: 0 records are in the output'
  assert.is(toFile.code, 1)
  assert.is(toFile.stderr, `batch: 0 rows, 0 answered, 0 failed\nsvc: write /dev/full: ${reason}\n`)
  assert.is(toStdout.code, 1)
  assert.is(toStdout.stderr, `batch: 0 rows, 0 answered, 0 failed\nsvc: write stdout: ${reason}\n`)
})

test('an interrupted run ignores the incomplete last row of a pipe', async () => {
  const service = await startRowService()
  const env = createEnv(service)
  rmSync(pathInFolder('half.jsonl'), { force: true })
  const batch = ['batch', '-o', 'half.jsonl', '--resume', ...question]
  const { child, ended } = startProgram(batch, { env })
  child.stdin?.write('0\n1\n12')
  await service.waitForRows(2)
  child.kill('SIGTERM')
  const { code, stdout } = await ended
  assert.is(code, exitCodes.interrupted)
  // svc does not count the text `12` as a failed row, because the rest of the row may follow.
  assert.match(stdout, /"failed":0,.*"complete":false/)
  const resumed = await runProgram(batch, { env, stdin: '0\n1\n123\n' })
  service.close()
  assert.is(resumed.code, 0, resumed.stderr)
  assert.equal(readIndexes('half.jsonl'), listNumbers(3))
})

test.run()
