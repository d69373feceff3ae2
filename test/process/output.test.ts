import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bin, folder, runInShell, start } from '../support/program'
import { readRequestBody, startHttpServer } from '../support/servers'
import { until } from '../support/until'

const test = suite('process: output')

/** An answer of 5 MB. */
const large = `{"model":"m","answers":{"q":{"type":"rank","text":"${'é'.repeat(5 << 19)}"}}}`

const service = await startHttpServer(async (incoming, response) => {
  await readRequestBody(incoming)
  response.end(large)
})
test.after(() => service.close())
const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }
const ask = `svc ask --raw --state s --noul 'q=Is it?'`
const shell = (line: string) => runInShell(line, env)

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex')

test('a slow reader gets all of 5 MB', async () => {
  const sums = [
    `${ask} | sha256sum`,
    `${ask} | (sleep 0.5; sha256sum)`,
    `${ask} | (for n in 1 2 3 4 5; do sleep 0.05; head -c 100000; done; cat) | sha256sum`,
    `${ask} > whole; sha256sum < whole`,
  ]
  for (const line of sums) {
    const { stdout, stderr } = await shell(line)
    assert.equal([stdout.slice(0, 64), stderr], [checksum(`${large}\n`), ''], line)
  }
})

test('ends quietly if its reader leaves, with the exit code of its result', async () => {
  const codes: ReadonlyArray<readonly [string, number]> = [
    [ask, 0],
    ['svc version', 0],
    ['svc ask --help', 0],
    [`${ask} --base-url ${service.url}/?`, 1],
    [`${ask} --base-url http://127.0.0.1:1 --max-retries 0`, 7],
  ]
  for (const [line, code] of codes)
    for (const reader of ['true', 'head -c 70000 > /dev/null']) {
      const { stdout, stderr } = await shell(`{ ${line}; echo $? >&2; } | ${reader}`)
      const lines = stderr.split('\n')
      assert.is(stdout, '', line)
      assert.is(lines.at(-2), String(code), line)
      assert.is(
        lines
          .slice(0, -2)
          .filter((text) => !text.startsWith('svc: typesafe: '))
          .join(),
        '',
      )
    }
})

test('a command that reads a long run ends quietly if the reader of its output goes away', async () => {
  const record = (index: number) =>
    JSON.stringify({ index, model: 'm', answers: { q: { type: 'noul', noul: 0.5 } }, usage: {} })
  const lines = Array.from({ length: 20_000 }, (_, index) => `${record(index)}\n`)
  writeFileSync(join(folder, 'long-run.jsonl'), lines.join(''))
  const { code, stdout, stderr } = await shell(
    `{ svc select -i long-run.jsonl; echo $? >&2; } | head -n 1`,
  )
  assert.equal([code, stdout, stderr], [0, lines[0], '0\n'])
  writeFileSync(
    join(folder, 'labels.csv'),
    `index,q.label\n${lines.map((_line, index) => `${index},yes\n`).join('')}`,
  )
  const others: ReadonlyArray<readonly [string, number]> = [
    ["svc gate -i long-run.jsonl --require 'q.noul >= 0.9' --all", 8],
    ['svc eval -i long-run.jsonl --labels labels.csv', 0],
    ['svc eval -i long-run.jsonl --labels labels.csv --table', 0],
  ]
  for (const [line, exit] of others)
    for (const reader of ['head -n 1 > first', 'true']) {
      const ended = await shell(
        `{ ${line} 2> said; echo $? >&2; } | ${reader}; grep -v requirement said; true`,
      )
      assert.equal([ended.stdout, ended.stderr], ['', `${exit}\n`], `${line} | ${reader}`)
    }
})

test('streams that are closed from the start', async () => {
  const good = await shell(`${ask} >&-; echo $? >&2`)
  assert.equal([good.stdout, good.stderr], ['', '0\n'])
  const bad = await shell('svc nonsense 2>&-; echo $?')
  assert.match(bad.stdout, /^\{"error":\{"kind":"usage".*\}\n1\n$/)
  const both = await shell('svc nonsense >&- 2>&-; echo $?')
  assert.is(both.stdout, '1\n')
  const none = await shell(`${ask} <&- >&- 2>&-; echo $?`)
  assert.is(none.stdout, '0\n')
  const own = { version: 0, eval: 1, 'batch --noul q=x': 0, "gate --require 'q.noul > 0'": 8 }
  for (const [command, code] of Object.entries({ ...own, mcp: 0, review: 1, models: 6 }))
    assert.is((await shell(`svc ${command} <&- >&- 2>&-; echo $?`)).stdout, `${code}\n`, command)
})

test('a reader of stderr that goes away', async () => {
  const { stdout } = await shell('mkfifo gone; true < gone & { svc nonsense; echo $?; } 2> gone')
  assert.match(stdout, /^\{"error":\{"kind":"usage".*\}\n1\n$/)
})

test('has written every log line when it ends', async () => {
  let count = 0
  const busy = await startHttpServer(async (_, response) => {
    count += 1
    if (count > 12) response.end('{"models":[]}')
    else response.writeHead(503, { 'retry-after': '0' }).end()
  })
  const prefix = `${busy.url}/${'p'.repeat(500)}`
  const line = `svc models --max-retries 20 --log-level debug --base-url ${prefix}`
  for (const where of ['2>&1 >/dev/null | cat', '>/dev/null 2> log; cat log']) {
    count = 0
    const { stdout } = await shell(`${line} ${where}`)
    const lines = stdout.trimEnd().split('\n')
    assert.is(lines.length, 26, stdout)
    assert.match(lines.at(-1) ?? '', / msg=done /)
  }
  await busy.close()
})

if (process.platform === 'linux')
  test('a signal ends the wait for room in a full pipe', async () => {
    const path = join(folder, 'filled')
    execFileSync('mkfifo', [path])
    const filling = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    const page = Buffer.alloc(4096)
    assert.throws(() => {
      for (;;) writeSync(filling, page)
    }, 'EAGAIN')
    const full = openSync(path, constants.O_WRONLY)
    const child = spawn(process.execPath, [bin, 'ask', '--state=s', '--noul=q=Is it?'], {
      env,
      stdio: ['ignore', full, 'ignore'],
      timeout: 25_000,
      killSignal: 'SIGKILL',
    })
    const ended = once(child, 'exit')
    // It waits once it has filled the room of one page: until then, the page that was taken out can be put back.
    const waits = async () => {
      readSync(filling, page)
      // A program that waits needs a moment to be woken.
      await new Promise((next) => setTimeout(next, 10))
      try {
        return writeSync(filling, page) === 0
      } catch {
        return true
      }
    }
    await until(waits)
    child.kill('SIGTERM')
    const [code, signal] = await ended
    // A thread may still be in the system's write: the shell sees 130 either way.
    assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`)
    for (const fd of [filling, full]) closeSync(fd)
  })

if (process.platform === 'linux')
  test('a full disk', async () => {
    const full = 'svc: write stdout: no space left on device\n'
    for (const line of [ask, 'svc version', 'svc --help'])
      assert.equal(await shell(`${line} > /dev/full`), {
        code: 1,
        signal: null,
        stdout: '',
        stderr: full,
      })
    // The failure keeps its line; the disk gets one too.
    const failed = await shell('svc nonsense > /dev/full')
    assert.is(failed.code, 1)
    assert.match(failed.stderr, /unknown command "nonsense" for "svc"/)
    const silent = await shell('svc nonsense 2> /dev/full')
    assert.match(silent.stdout, /^\{"error":\{"kind":"usage".*\}\n$/)
    assert.is(silent.code, 1)
  })

test('a full disk ends every writing command with one line, and leaves no partial file', async () => {
  const within = join(folder, 'full')
  mkdirSync(within)
  const record =
    '{"index":0,"labels":{"q":true},"model":"m","answers":{"q":{"type":"noul","noul":1}}}'
  const put = `echo '{"a":1}' > ../rows.jsonl; echo '${record}' > ../run.jsonl`
  const lines: ReadonlyArray<readonly [string, string]> = [
    ['review init', 'write svc-review.json'],
    ['batch -i ../rows.jsonl --noul q=x -o out', 'write out'],
    ["gate -i ../run.jsonl --require 'q.noul > 0' --junit out", 'write JUnit report out'],
    ['eval -i ../run.jsonl --html out', 'write page out'],
  ]
  for (const [line, what] of lines) {
    const { code, stdout, stderr } = await shell(`cd full; ${put}; ulimit -f 0; svc ${line}`)
    assert.is(code, 1, line)
    assert.match(stdout, `{"error":{"kind":"usage","message":"${what}: file too large`)
    assert.match(stderr, new RegExp(`^(batch: .*\\n)?svc: ${what}: file too large.*\\n$`))
    const kept = readdirSync(within).filter((name) => statSync(join(within, name)).size > 0)
    assert.equal(kept, [], line)
    if (!line.startsWith('batch')) assert.equal(readdirSync(within), [], line)
    rmSync(join(within, 'out'), { force: true })
  }
})

for (const crash of ["throw new Error('boom')", "Promise.reject(new Error('boom'))"])
  test(`an exception that nobody catches ends the program in a line: ${crash}`, async () => {
    const wait = `setInterval(() => { if (process.listenerCount('SIGTERM') > 0) { ${crash} } }, 10)`
    const node = ['--import', `data:text/javascript,${encodeURIComponent(wait)}`]
    // Its input stays open.
    const { code, stdout, stderr } = await start(['ask'], { node }).ended
    assert.is(stdout, '{"error":{"kind":"internal","message":"boom"}}\n')
    assert.equal([code, stderr], [1, 'svc: boom\n'])
  })

test.run()
