import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bin, folder, run, runInShell, start } from '../support/program'
import { type RowService, startRowService } from './batch-service'
import { interruptAndResume } from './killed'

const test = suite('process/batch')

const at = (name: string): string => join(folder, name)
const question = ['--noul', 'q=Is it?']
const put = (name: string, count: number): void =>
  writeFileSync(at(name), Array.from({ length: count }, (_, row) => `${row}\n`).join(''))
const indexes = (text: string): ReadonlyArray<number> =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).index)
const envOf = ({ url }: RowService) => ({ SERVICE_API_KEY: 'k', SERVICE_BASE_URL: url })
const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

test('a run that is killed at any moment and resumed equals an undisturbed one', async () => {
  const { kills, again } = await interruptAndResume(5, 'SIGKILL', ({ signal }) =>
    assert.is(signal, 'SIGKILL'),
  )
  assert.is(kills, 5)
  assert.ok(again <= 5 * 16)
})

test('a run that is interrupted and resumed equals an undisturbed one, and has a summary', async () => {
  await interruptAndResume(2, 'SIGINT', ({ code, stdout, stderr }) => {
    assert.is(code, 130)
    // Before the run has begun there is only the envelope.
    assert.match(stdout, /"complete":false|"kind":"interrupted"/)
    assert.match(stderr, /svc: interrupted\n$/)
  })
})

test('a service that goes away and comes back costs no row', async () => {
  const service = await startRowService()
  put('rows.jsonl', 60)
  rmSync(at('run.jsonl'), { force: true })
  const { ended } = start(['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', ...question], {
    env: envOf(service),
  })
  await service.until(20)
  await service.restart()
  const { code, stderr } = await ended
  service.close()
  assert.is(code, 0, stderr)
  assert.equal(indexes(readFileSync(at('run.jsonl'), 'utf8')), upTo(60))
})

test('refuses a second run on the same output, unless the first one was killed', async () => {
  const service = await startRowService()
  const env = envOf(service)
  rmSync(at('locked.jsonl'), { force: true })
  const batch = ['batch', '-o', 'locked.jsonl', '--resume', ...question]
  const first = start(batch, { env })
  first.child.stdin?.write('0\n')
  await service.until(1)
  const second = await run(batch, { env, stdin: '0\n' })
  assert.is(second.code, 1)
  assert.is(
    second.stderr,
    `svc: write locked.jsonl: another run is writing it (process ${first.child.pid}, lock file ${realpathSync(at('locked.jsonl.lock'))})\n`,
  )
  first.child.kill('SIGKILL')
  await first.ended
  const third = await run(batch, { env, stdin: '0\n1\n' })
  service.close()
  assert.is(third.code, 0, third.stderr)
  assert.equal(indexes(readFileSync(at('locked.jsonl'), 'utf8')), [0, 1])
  assert.is(existsSync(at('locked.jsonl.lock')), false)
})

test('unlocks its output if it is interrupted', async () => {
  const service = await startRowService()
  const { child, ended } = start(['batch', '-o', 'stopped.jsonl', ...question], {
    env: envOf(service),
  })
  child.stdin?.write('0\n')
  await service.until(1)
  assert.is(existsSync(at('stopped.jsonl.lock')), true)
  child.kill('SIGTERM')
  const { code } = await ended
  service.close()
  assert.is(code, 130)
  assert.is(existsSync(at('stopped.jsonl.lock')), false)
})

test("a row's record is written before the next row arrives", async () => {
  const service = await startRowService()
  const env = { PATH: process.env.PATH, SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url }
  const child = spawn(process.execPath, [bin, 'batch', ...question], { cwd: folder, env })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  for (const row of [0, 1, 2]) {
    child.stdin.write(`${row}\n`)
    const { value } = await lines.next()
    assert.is(JSON.parse(value).index, row)
  }
  child.stdin.end()
  const [code] = await once(child, 'close')
  service.close()
  assert.is(code, 0)
})

test('ends quietly if the reader of its output leaves, after few rows', async () => {
  const service = await startRowService()
  put('many.jsonl', 4000)
  const line = '{ svc batch -i many.jsonl --noul "q=Is it?"; echo $? > code; } | head -1; cat code'
  const { stdout, stderr } = await runInShell(line, envOf(service))
  service.close()
  assert.match(stdout, /^\{"index":0,.*\}\n0\n$/)
  assert.is(stderr, '')
  assert.ok(service.asked().length < 1000, `${service.asked().length} rows asked`)
})

test('asks failed rows again even if the input is a pipe', async () => {
  const service = await startRowService()
  put('rows.jsonl', 3)
  rmSync(at('run.jsonl'), { force: true })
  const batch = 'svc batch -o run.jsonl --max-retries 0 --noul "q=Is it?"'
  const away = await runInShell(
    `SERVICE_BASE_URL=http://127.0.0.1:1 ${batch} -i rows.jsonl`,
    envOf(service),
  )
  assert.is(away.code, 7, away.stderr)
  const again = `mkfifo rows.pipe; cat rows.jsonl > rows.pipe & ${batch} -i rows.pipe --format jsonl --resume --retry-errors`
  const { code, stdout, stderr } = await runInShell(again, envOf(service))
  service.close()
  assert.is(code, 0, stderr)
  assert.match(stdout, '{"rows":3,"answered":3,"failed":0,')
  assert.equal(indexes(readFileSync(at('run.jsonl'), 'utf8')), upTo(3))
})

test('reports a full disk with the number of whole records', async () => {
  const service = await startRowService()
  const env = envOf(service)
  const toFile = await run(['batch', '-o', '/dev/full', ...question], { env, stdin: '0\n' })
  const toStdout = await runInShell('echo 0 | svc batch --noul "q=Is it?" > /dev/full', env)
  service.close()
  const why = 'no space left on device: 0 records are in the output'
  assert.is(toFile.code, 1)
  assert.is(toFile.stderr, `batch: 0 rows, 0 answered, 0 failed\nsvc: write /dev/full: ${why}\n`)
  assert.is(toStdout.code, 1)
  assert.is(toStdout.stderr, `batch: 0 rows, 0 answered, 0 failed\nsvc: write stdout: ${why}\n`)
})

test('ignores an incomplete last row of a pipe when the run is interrupted', async () => {
  const service = await startRowService()
  const env = envOf(service)
  rmSync(at('half.jsonl'), { force: true })
  const batch = ['batch', '-o', 'half.jsonl', '--resume', ...question]
  const { child, ended } = start(batch, { env })
  child.stdin?.write('0\n1\n12')
  await service.until(2)
  child.kill('SIGTERM')
  const { code, stdout } = await ended
  assert.is(code, 130)
  assert.match(stdout, /"failed":0,.*"complete":false/)
  const again = await run(batch, { env, stdin: '0\n1\n123\n' })
  service.close()
  assert.is(again.code, 0, again.stderr)
  assert.equal(indexes(readFileSync(at('half.jsonl'), 'utf8')), upTo(3))
})

test.run()
