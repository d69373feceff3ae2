import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { binFile, runInShell, startProgram, workingFolder } from '../support/program'
import { readRequestBody, startHttpServer } from '../support/servers'
import { until } from '../support/until'
import { createFullPipe } from './full-pipe'

const test = suite('process: output')

/** An answer of 5 MiB: 5 · 2¹⁹ times the letter `é`, which has two bytes. */
const largeAnswer = `{"model":"m","answers":{"q":{"type":"rank","text":"${'é'.repeat(5 << 19)}"}}}`

const service = await startHttpServer(async (incoming, response) => {
  await readRequestBody(incoming)
  response.end(largeAnswer)
})
test.after(() => service.close())
const env = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }
/** A command that asks a yes/no question (a `noul`), and prints the large answer. */
const ask = `svc ask --raw --state s --noul 'q=Is it?'`
const runLine = (line: string) => runInShell(line, env)

/** Command lines whose reader reads late, in parts, or at the end. Each prints the SHA-256 of the output. */
const linesWithSlowReaders = [
  `${ask} | sha256sum`,
  `${ask} | (sleep 0.5; sha256sum)`,
  `${ask} | (for n in 1 2 3 4 5; do sleep 0.05; head -c 100000; done; cat) | sha256sum`,
  `${ask} > whole; sha256sum < whole`,
]
for (const line of linesWithSlowReaders)
  test(`writes all of 5 MiB: ${line.slice(ask.length)}`, async () => {
    const { stdout, stderr } = await runLine(line)
    const expectedSum = createHash('sha256').update(`${largeAnswer}\n`).digest('hex')
    assert.is(stdout.slice(0, 64), expectedSum)
    assert.is(stderr, '')
  })

/** A command and its expected exit code. */
interface CommandCase {
  readonly command: string
  readonly exitCode: number
}

/** The first reader leaves at once. The second one leaves after 70,000 bytes, which is more than a pipe of 64 KiB holds. */
const readersThatLeave = ['true', 'head -c 70000 > /dev/null']
/** svc refuses an address with a query, and cannot connect to port 1, on which no program listens. */
const commandsWithOutput: ReadonlyArray<CommandCase> = [
  { command: ask, exitCode: 0 },
  { command: 'svc version', exitCode: 0 },
  { command: 'svc ask --help', exitCode: 0 },
  { command: `${ask} --base-url ${service.url}/?`, exitCode: 1 },
  { command: `${ask} --base-url http://127.0.0.1:1 --max-retries 0`, exitCode: 7 },
]
for (const { command, exitCode } of commandsWithOutput)
  for (const reader of readersThatLeave)
    test(`exits with ${exitCode} if the reader leaves: ${command.slice(0, 90)} | ${reader}`, async () => {
      const { stdout, stderr } = await runLine(`{ ${command}; echo $? >&2; } | ${reader}`)
      assert.is(stdout, '')
      const lines = stderr.trimEnd().split('\n')
      assert.is(lines.pop(), String(exitCode))
      // The command may report its own failure, which begins with the default provider. It must report nothing about the reader.
      for (const line of lines) assert.match(line, /^svc: typesafe: /)
    })

/** The records of a run have about 80 bytes each, so a pipe of 64 KiB cannot hold them. */
const rowCount = 5000
const records = Array.from({ length: rowCount }, (_, index) => {
  const answers = { q: { type: 'noul', noul: 0.5 } }
  return `${JSON.stringify({ index, model: 'm', answers, usage: {} })}\n`
})
const labels = records.map((_record, index) => `${index},yes\n`)
writeFileSync(join(workingFolder, 'long-run.jsonl'), records.join(''))
writeFileSync(join(workingFolder, 'labels.csv'), `index,q.label\n${labels.join('')}`)

test('svc select of a long run exits with 0 and without a message if the reader leaves', async () => {
  const line = '{ svc select -i long-run.jsonl; echo $? >&2; } | head -n 1'
  const { stdout, stderr } = await runLine(line)
  assert.is(stdout, records[0])
  assert.is(stderr, '0\n')
})

const commandsOnLongRun: ReadonlyArray<CommandCase> = [
  { command: "svc gate -i long-run.jsonl --require 'q.noul >= 0.9' --all", exitCode: 8 },
  { command: 'svc eval -i long-run.jsonl --labels labels.csv', exitCode: 0 },
  { command: 'svc eval -i long-run.jsonl --labels labels.csv --table', exitCode: 0 },
]
for (const { command, exitCode } of commandsOnLongRun)
  for (const reader of ['head -n 1 > first', 'true'])
    test(`exits with ${exitCode} if the reader leaves: ${command} | ${reader}`, async () => {
      const run = `{ ${command} 2> messages; echo $? >&2; } | ${reader}`
      // `svc gate` may only report the failed requirement.
      const { stdout, stderr } = await runLine(`${run}; grep -v requirement messages; true`)
      assert.is(stdout, '')
      assert.is(stderr, `${exitCode}\n`)
    })

test('writes to the remaining streams if some are closed from the start', async () => {
  const success = await runLine(`${ask} >&-; echo $? >&2`)
  assert.is(success.stdout, '')
  assert.is(success.stderr, '0\n')
  const failure = await runLine('svc nonsense 2>&-; echo $?')
  assert.match(failure.stdout, /^\{"error":\{"kind":"usage".*\}\n1\n$/)
  const silentFailure = await runLine('svc nonsense >&- 2>&-; echo $?')
  assert.is(silentFailure.stdout, '1\n')
})

/** Without stdin, `svc eval` and `svc gate` have no rows. `svc review` has no configuration, and `svc models` gets no list of models. */
const commandsWithoutStreams: ReadonlyArray<CommandCase> = [
  { command: ask, exitCode: 0 },
  { command: 'svc version', exitCode: 0 },
  { command: 'svc eval', exitCode: 1 },
  { command: 'svc batch --noul q=x', exitCode: 0 },
  { command: "svc gate --require 'q.noul > 0'", exitCode: 8 },
  { command: 'svc mcp', exitCode: 0 },
  { command: 'svc review', exitCode: 1 },
  { command: 'svc models', exitCode: 6 },
]
for (const { command, exitCode } of commandsWithoutStreams)
  test(`exits with ${exitCode} if all streams are closed from the start: ${command}`, async () => {
    const { stdout } = await runLine(`${command} <&- >&- 2>&-; echo $?`)
    assert.is(stdout, `${exitCode}\n`)
  })

test('prints the error on stdout if the reader of stderr leaves', async () => {
  // `wait` lets svc start only once the reader has left.
  const line = 'mkfifo gone; true < gone & { wait; svc nonsense; echo $?; } 2> gone'
  const { stdout } = await runLine(line)
  assert.match(stdout, /^\{"error":\{"kind":"usage".*\}\n1\n$/)
})

for (const destination of ['2>&1 >/dev/null | cat', '>/dev/null 2> log; cat log'])
  test(`writes every log line before it ends: ${destination}`, async () => {
    const failureCount = 12
    let requestCount = 0
    const busyService = await startHttpServer(async (_, response) => {
      requestCount += 1
      if (requestCount > failureCount) response.end('{"models":[]}')
      else response.writeHead(503, { 'retry-after': '0' }).end()
    })
    const address = `${busyService.url}/${'p'.repeat(500)}`
    const command = `svc models --max-retries 20 --log-level debug --base-url ${address}`
    const { stdout } = await runLine(`${command} ${destination}`)
    await busyService.close()
    const lines = stdout.trimEnd().split('\n')
    // There is one line for each of the `failureCount + 1` attempts, one for each retry, and a last one.
    assert.is(lines.length, failureCount + 1 + failureCount + 1, stdout)
    assert.match(lines.at(-1) ?? '', / msg=done /)
  })

if (process.platform === 'linux')
  test('a signal ends the wait for space in a full pipe', async () => {
    const pipe = createFullPipe(join(workingFolder, 'full.pipe'))
    const child = spawn(process.execPath, [binFile, 'ask', '--state=s', '--noul=q=Is it?'], {
      env,
      stdio: ['ignore', pipe.writeEnd, 'ignore'],
      timeout: 120_000,
      killSignal: 'SIGKILL',
    })
    const ended = once(child, 'exit')
    await until(pipe.isWriterWaiting)
    child.kill('SIGTERM')
    const [code, signal] = await ended
    // svc exits with 130. If a thread of Node is still writing, Node ends by SIGINT instead. A shell reports both as 130.
    assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`)
    pipe.close()
  })

if (process.platform === 'linux') {
  for (const command of [ask, 'svc version', 'svc --help'])
    test(`reports a full disk behind stdout: ${command}`, async () => {
      const { code, stdout, stderr } = await runLine(`${command} > /dev/full`)
      assert.is(code, 1)
      assert.is(stdout, '')
      assert.is(stderr, 'svc: write stdout: no space left on device\n')
    })

  const greeting =
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'
  for (const { title, input } of [
    { title: 'after stdin has ended', input: `echo '${greeting}'` },
    { title: 'while stdin is open', input: `(echo '${greeting}'; sleep 5)` },
  ])
    test(`svc mcp reports a full disk behind stdout ${title}`, async () => {
      const mcp = 'svc mcp --provider embedded > /dev/full; echo "exit $?"'
      const { stdout, stderr } = await runLine(`${input} | (${mcp})`)
      assert.is(stdout, 'exit 1\n')
      assert.is(stderr, 'svc: write stdout: no space left on device\n')
    })

  test('reports a usage error if the disk behind stdout is full', async () => {
    const { code, stderr } = await runLine('svc nonsense > /dev/full')
    assert.is(code, 1)
    assert.match(stderr, 'unknown command "nonsense" for "svc"')
  })

  test('prints a usage error if the disk behind stderr is full', async () => {
    const { code, stdout } = await runLine('svc nonsense 2> /dev/full')
    assert.is(code, 1)
    assert.match(stdout, /^\{"error":\{"kind":"usage".*\}\n$/)
  })
}

const record =
  '{"index":0,"labels":{"q":true},"model":"m","answers":{"q":{"type":"noul","noul":1}}}'
writeFileSync(join(workingFolder, 'rows.jsonl'), '{"a":1}\n')
writeFileSync(join(workingFolder, 'run.jsonl'), `${record}\n`)
const commandsWithFile: ReadonlyArray<{ readonly command: string; readonly message: string }> = [
  { command: 'svc review init', message: 'write svc-review.json' },
  { command: 'svc batch -i ../rows.jsonl --noul q=x -o out', message: 'write out' },
  {
    command: "svc gate -i ../run.jsonl --require 'q.noul > 0' --junit out",
    message: 'write JUnit report out',
  },
  { command: 'svc eval -i ../run.jsonl --html out', message: 'write page out' },
]
for (const [index, { command, message }] of commandsWithFile.entries())
  test(`reports a full disk in one line, and leaves no file: ${command}`, async () => {
    const caseFolder = join(workingFolder, `full-${index}`)
    mkdirSync(caseFolder)
    // With `ulimit -f 0`, a file can be created, but not one byte can be written to it, as on a full disk.
    const { code, stdout, stderr } = await runLine(`cd full-${index}; ulimit -f 0; ${command}`)
    assert.is(code, 1)
    assert.match(stdout, `{"error":{"kind":"usage","message":"${message}: file too large`)
    assert.match(stderr, new RegExp(`^(batch: .*\\n)?svc: ${message}: file too large.*\\n$`))
    assert.equal(readdirSync(caseFolder), [])
  })

for (const exception of ["throw new Error('boom')", "Promise.reject(new Error('boom'))"])
  test(`reports an uncaught exception in one line: ${exception}`, async () => {
    // Throws once svc listens for signals: then it reads stdin.
    const script = `setInterval(() => {
      if (process.listenerCount('SIGTERM') > 0) { ${exception} }
    }, 10)`
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
    const { code, stdout, stderr } = await startProgram(['ask'], { nodeArgs }).ended
    assert.is(code, 1)
    assert.is(stdout, '{"error":{"kind":"internal","message":"boom"}}\n')
    assert.is(stderr, 'svc: boom\n')
  })

test.run()
