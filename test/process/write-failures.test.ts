import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, run, runInShell, start } from '../support/program'
import { type RowService, startRowService } from './batch-service'

const test = suite('process/write-failures')

const at = (name: string): string => join(folder, name)
const text = (name: string): string => readFileSync(at(name), 'utf8')
const question = '--noul "q=Is it?"'

/** Starts a service for the 80 rows of `rows.jsonl`. */
const serveRows = async () => {
  const service = await startRowService()
  writeFileSync(at('rows.jsonl'), Array.from({ length: 80 }, (_, row) => `${row}\n`).join(''))
  return { service, env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url } }
}

/** What a file system says that takes no more of a file: of the write that meets the limit it takes the beginning. */
const limited = (kibibytes: number, command: string): string =>
  // sh counts blocks of 512 bytes.
  `ulimit -f ${2 * kibibytes}; ${command}`

test('a full disk keeps only whole records, and the run resumes when there is room', async () => {
  const { service, env } = await serveRows()
  const batch = `svc batch -i rows.jsonl ${question}`
  const whole = await runInShell(`${batch} -o whole.jsonl`, env)
  assert.is(whole.code, 0, whole.stderr)
  rmSync(at('run.jsonl'), { force: true })
  const full = await runInShell(limited(8, `${batch} -o run.jsonl --resume`), env)
  const kept = text('run.jsonl')
  const records = kept.split('\n').length - 1
  assert.is(full.code, 1)
  assert.match(
    full.stderr,
    `svc: write run.jsonl: file too large: ${records} records are in the output\n`,
  )
  assert.ok(kept.length <= 8192 && kept.endsWith('\n') && text('whole.jsonl').startsWith(kept))
  assert.ok(records > 0)
  service.forget()
  const resumed = await runInShell(`${batch} -o run.jsonl --resume`, env)
  service.close()
  assert.is(resumed.code, 0, resumed.stderr)
  assert.is(text('run.jsonl'), text('whole.jsonl'))
  assert.is(Math.min(...service.asked()), records)
})

/** A run of 80 rows of which none was answered, since the service was away. */
const failedRun = async () => {
  const { service, env } = await serveRows()
  rmSync(at('run.jsonl'), { force: true })
  const args = ['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', '--max-retries', '0']
  const away = { ...env, SERVICE_BASE_URL: 'http://127.0.0.1:1' }
  const { code, stderr } = await run([...args, '--noul', 'q=Is it?'], { env: away })
  assert.is(code, 7, stderr)
  service.forget()
  return { service, env, before: text('run.jsonl') }
}

/** Starts to ask the failed rows again, and waits until some have been asked. */
const startRetry = async (service: RowService, env: Readonly<Record<string, string>>) => {
  const args = ['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', '--noul', 'q=Is it?', '--resume']
  const running = start([...args, '--retry-errors'], { env })
  await service.until(60)
  return running
}

const retry = `svc batch -i rows.jsonl -o run.jsonl --resume --retry-errors ${question}`

test('if the new file of --retry-errors does not fit, the old one stays and the new one is removed', async () => {
  const { service, env, before } = await failedRun()
  const files = readdirSync(folder).sort()
  const full = await runInShell(limited(8, retry), env)
  service.close()
  assert.is(full.code, 1)
  assert.match(full.stderr, /write run\.jsonl: file too large/)
  assert.is(text('run.jsonl'), before)
  assert.equal(readdirSync(folder).sort(), files)
})

test('a kill during --retry-errors leaves the old file unchanged', async () => {
  const { service, env, before } = await failedRun()
  const { child, ended } = await startRetry(service, env)
  child.kill('SIGKILL')
  await ended
  assert.is(text('run.jsonl'), before)
  const again = await runInShell(retry, env)
  service.close()
  assert.is(again.code, 0, again.stderr)
})

test('an interrupt during --retry-errors keeps the new answers, and resuming does not ask them again', async () => {
  const { service, env } = await failedRun()
  const { child, ended } = await startRetry(service, env)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  assert.is(code, 130)
  const { rows, answered, complete } = JSON.parse(stdout)
  assert.equal([rows, complete], [80, false])
  assert.ok(answered > 0)
  service.forget()
  const again = await runInShell(retry, env)
  service.close()
  assert.is(again.code, 0, again.stderr)
  assert.is(Math.min(...service.asked()), answered)
})

test('a full disk behind stdout leaves whole lines, and the message has their number', async () => {
  const { service, env } = await serveRows()
  const { code, stderr } = await runInShell(
    limited(8, `svc batch -i rows.jsonl ${question} > rows.out`),
    env,
  )
  service.close()
  const lines = text('rows.out').split('\n')
  assert.is(lines.pop(), '')
  assert.is(code, 1)
  assert.is(
    stderr,
    `batch: ${lines.length} rows, ${lines.length} answered, 0 failed\nsvc: write stdout: file too large: ${lines.length} records are in the output\n`,
  )
})

test.run()
