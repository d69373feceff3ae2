import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, inShell, run, start } from '../support/program'
import { rowService } from './batch-service'

const test = suite('process/write-failures')

const at = (name: string): string => join(folder, name)
const text = (name: string): string => readFileSync(at(name), 'utf8')
const question = '--noul "q=Is it?"'

/** What a file system says that takes no more of a file: of the write that meets the limit it takes the beginning. */
const limited = (kibibytes: number, command: string): string => `ulimit -f ${kibibytes}; ${command}`

test('a disk that takes part of a record keeps whole ones alone, and the run goes on when there is room', async () => {
  const service = await rowService()
  const env = { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url }
  writeFileSync(at('rows.jsonl'), Array.from({ length: 80 }, (_, row) => `${row}\n`).join(''))
  const batch = `svc batch -i rows.jsonl ${question}`
  const whole = await inShell(`${batch} -o whole.jsonl`, env)
  assert.is(whole.code, 0, whole.stderr)
  rmSync(at('run.jsonl'), { force: true })
  const full = await inShell(limited(8, `${batch} -o run.jsonl --resume`), env)
  const kept = text('run.jsonl')
  const records = kept.split('\n').length - 1
  assert.is(full.code, 1)
  assert.match(full.stderr, `svc: write run.jsonl: file too large: ${records} records stand\n`)
  assert.ok(kept.length <= 8192 && kept.endsWith('\n') && text('whole.jsonl').startsWith(kept))
  assert.ok(records > 0)
  service.forget()
  const resumed = await inShell(`${batch} -o run.jsonl --resume`, env)
  service.close()
  assert.is(resumed.code, 0, resumed.stderr)
  assert.is(text('run.jsonl'), text('whole.jsonl'))
  assert.is(Math.min(...service.asked()), records)
})

/** A run of 80 rows of which none was answered. */
const failedRun = async (env: Readonly<Record<string, string>>): Promise<void> => {
  rmSync(at('run.jsonl'), { force: true })
  writeFileSync(at('rows.jsonl'), Array.from({ length: 80 }, (_, row) => `${row}\n`).join(''))
  const args = ['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', '--max-retries', '0']
  const away = { ...env, SERVICE_BASE_URL: 'http://127.0.0.1:1' }
  const { code, stderr } = await run([...args, '--noul', 'q=Is it?'], { env: away })
  assert.is(code, 7, stderr)
}

const retry = `svc batch -i rows.jsonl -o run.jsonl --resume --retry-errors ${question}`

test('where the new file of --retry-errors does not fit, the old one stays, and what was gained is picked up', async () => {
  const service = await rowService()
  const env = { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url }
  await failedRun(env)
  const before = text('run.jsonl')
  service.forget()
  const full = await inShell(limited(8, retry), env)
  assert.is(full.code, 1)
  const [, records = ''] = /write run\.jsonl: file too large: (\d+) records/.exec(full.stderr) ?? []
  assert.is(text('run.jsonl'), before)
  service.forget()
  const again = await inShell(retry, env)
  service.close()
  assert.is(again.code, 0, again.stderr)
  assert.ok(Number(records) > 0)
  assert.is(Math.min(...service.asked()), Number(records))
})

test('what --retry-errors gained before it was killed is not asked again', async () => {
  const service = await rowService()
  const env = { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url }
  await failedRun(env)
  service.forget()
  const args = ['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', '--noul', 'q=Is it?', '--resume']
  const { child, ended } = start([...args, '--retry-errors'], { env })
  await service.until(60)
  child.kill('SIGKILL')
  await ended
  const gained = text('run.jsonl.retry').split('\n').length - 1
  assert.ok(gained > 0)
  // A plain --resume keeps it too: it fails as the rows do that are still without an answer.
  const resumed = await run(args, { env })
  assert.is(resumed.code, 7, resumed.stderr)
  assert.match(resumed.stdout, `"rows":80,"answered":${gained},"failed":${80 - gained},`)
  service.forget()
  const again = await inShell(retry, env)
  service.close()
  assert.is(again.code, 0, again.stderr)
  assert.is(Math.min(...service.asked()), gained)
  assert.is(existsSync(at('run.jsonl.retry')), false)
})

test('a file beside the output that is not of its run is not picked up', async () => {
  const service = await rowService()
  const env = { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url }
  await failedRun(env)
  const before = text('run.jsonl')
  const [first = '', second = ''] = before.split('\n')
  for (const other of ['notes\n', `${second}\n`, `${first}\n${first}\n`, `${before}${first}\n`]) {
    writeFileSync(at('run.jsonl.retry'), other)
    const resumed = await run(
      ['batch', '-i', 'rows.jsonl', '-o', 'run.jsonl', '--noul', 'q=Is it?', '--resume'],
      { env },
    )
    assert.is(resumed.code, 7, resumed.stderr)
    assert.is(text('run.jsonl'), before)
    assert.is(text('run.jsonl.retry'), other)
  }
  service.close()
  rmSync(at('run.jsonl.retry'))
})

test.run()
