/** The ends of runs: interrupts, refused keys and failed rows at moments that only a test can choose. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { main } from '../../../lib/cli/main'
import { createStdoutWriter } from '../../../lib/runs/batch/output'
import { nodeFiles } from '../../../lib/runtime/node/files'
import type { Fetch, Files, Runtime } from '../../../lib/runtime/runtime'
import { testBuild } from '../../support/build'
import { commands } from '../../support/commands'
import { temporaryFolder } from '../../support/folders'
import { fakeRuntime, sink } from '../../support/runtime'
import { until } from '../../support/until'

const test = suite('runs/batch/ends')

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)
const text = (name: string): string => readFileSync(at(name), 'utf8')

const answer =
  '{"model":"m","answers":{"q":{"type":"noul","noul":0.5}},"usage":{"input_tokens":100,"output_tokens":9}}'

/** Creates a service that answers a state with the status that `reply` returns. */
const createService =
  (reply: (state: number) => Promise<number>): Fetch =>
  async (_, { body }) => {
    const { state } = JSON.parse(Buffer.from(body as Uint8Array).toString())
    const status = await reply(state)
    return {
      status,
      header: () => null,
      body: (async function* () {
        yield Buffer.from(status === 200 ? answer : '{"detail":"no"}')
      })(),
    }
  }

const runBatch = async (argv: ReadonlyArray<string>, parts: Partial<Runtime>) => {
  const { runtime, stdout, stderr } = fakeRuntime()
  const code = await main(
    ['batch', '--noul', 'q=Is it?', '--max-retries', '0', ...argv],
    { ...runtime, env: { SERVICE_API_KEY: 'k' }, files: nodeFiles, ...parts },
    testBuild,
    commands,
  )
  return { code, stdout: stdout(), stderr: stderr() }
}

const answerAll = createService(async () => 200)

/** Yields rows, interrupts the program, and stays silent. */
async function* interruptAfter(rows: string, signal: AbortSignal, interrupt: () => void) {
  yield Buffer.from(rows)
  const silence = new Promise((end) => signal.addEventListener('abort', end))
  interrupt()
  await silence
}

for (const from of ['a pipe', 'a file'])
  test(`an interrupt while --resume compares ${from} changes nothing and sums up the whole file`, async () => {
    writeFileSync(at('rows.jsonl'), '0\n1\n2\n')
    const args = ['-i', at('rows.jsonl'), '-o', at(`${from}.jsonl`)]
    await runBatch(args, { fetch: answerAll })
    const before = text(`${from}.jsonl`)
    const controller = new AbortController()
    const cut = (signal: AbortSignal) => interruptAfter('0\n', signal, () => controller.abort())
    const files: Files = {
      ...nodeFiles,
      chunks: (path, signal) =>
        path === at('rows.jsonl') ? cut(signal) : nodeFiles.chunks(path, signal),
    }
    const { code, stdout, stderr } = await runBatch(
      [...(from === 'a file' ? args : ['-i', '-', ...args.slice(2)]), '--resume'],
      {
        files,
        signal: controller.signal,
        stdin: { isTTY: false, read: async () => Buffer.alloc(0), chunks: cut },
      },
    )
    assert.is(code, 130)
    assert.match(stdout, '{"rows":3,"answered":3,"failed":0,"errors":{},"complete":false,')
    assert.is(stderr, 'batch: 3 rows, 3 answered, 0 failed\nsvc: interrupted\n')
    assert.is(text(`${from}.jsonl`), before)
  })

test('a refused key overrides a later row that failed earlier and stopped the run', async () => {
  writeFileSync(at('rows.jsonl'), '0\n1\n')
  let fail = (): void => undefined
  const failed = new Promise<void>((resolve) => {
    fail = resolve
  })
  const fetch = createService(async (state) => {
    if (state === 1) {
      setImmediate(fail)
      return 400
    }
    await failed
    // The other row's failure is noted by now.
    for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next))
    return 401
  })
  const { code, stderr } = await runBatch(['-i', at('rows.jsonl'), '--fail-fast'], { fetch })
  assert.is(code, 3)
  assert.match(stderr, /^batch: 0 rows, 0 answered, 0 failed\nsvc: .* returned 401/)
})

test('a run that --fail-fast has stopped does not wait for a silent pipe', async () => {
  const chunks = async function* (signal: AbortSignal) {
    yield Buffer.from('0\n')
    await new Promise((end) => signal.addEventListener('abort', end))
  }
  const { code, stdout } = await runBatch(['-o', at('stopped.jsonl'), '--fail-fast'], {
    fetch: createService(async () => 400),
    stdin: { isTTY: false, read: async () => Buffer.alloc(0), chunks },
  })
  assert.is(code, 4)
  assert.match(stdout, '"complete":false')
})

/** A row costs 1, and is estimated at 0.23: 92 bytes, a quarter of them tokens. */
for (const [concurrency, most, asked, why] of [
  ['20', '2', 9, 'at the estimate, as long as no answer is known'],
  ['2', '3.5', 4, 'at the mean, where that is larger'],
] as const)
  test(`--max-cost counts what is in flight ${why}`, async () => {
    writeFileSync(at('rows.jsonl'), Array.from({ length: 30 }, () => '0\n').join(''))
    let requests = 0
    const { code, stdout } = await runBatch(
      ['-i', at('rows.jsonl'), '-o', at(`cost-${concurrency}.jsonl`)].concat(
        ...['--concurrency', concurrency, '--price', '10000', '--max-cost', most],
      ),
      {
        fetch: createService(async () => {
          requests += 1
          await until(() => requests >= Math.min(asked, Number(concurrency)))
          return 200
        }),
      },
    )
    assert.is(code, 8)
    assert.is(requests, asked)
    assert.match(stdout, `{"rows":${asked},"answered":${asked},"failed":0,`)
    assert.match(stdout, `"complete":false,"stopped":"max_cost",`)
    assert.match(stdout, `"cost":${asked}}`)
  })

test('asks a row again if the run of --reuse has changed since it was indexed', async () => {
  writeFileSync(at('rows.jsonl'), '0\n1\n')
  await runBatch(['-i', at('rows.jsonl'), '-o', at('old.jsonl')], { fetch: answerAll })
  let requests = 0
  const files: Files = {
    ...nodeFiles,
    readPart: (path, start, length) =>
      start === 0 ? nodeFiles.readPart(path, start, length) : Promise.resolve(Buffer.from('{}')),
  }
  const fetch = createService(async () => {
    requests += 1
    return 200
  })
  const args = ['-i', at('rows.jsonl'), '-o', at('new.jsonl'), '--reuse', at('old.jsonl')]
  const { code, stdout } = await runBatch(args, { fetch, files })
  assert.is(code, 0)
  assert.is(requests, 1)
  assert.match(stdout, '{"rows":2,"answered":2,"reused":1,')
})

test('the progress line shows the total of rows, and the time left', async () => {
  writeFileSync(at('shown.jsonl'), '')
  writeFileSync(at('rows.jsonl'), Array.from({ length: 9 }, (_, row) => `${row}\n`).join(''))
  const { runtime, stderr } = fakeRuntime({ tty: ['stderr'] })
  const held: Array<() => void> = []
  const fetch = createService(async (state) => {
    if (state > 2) await new Promise<void>((go) => held.push(go))
    return 200
  })
  let time = 0
  let tick = (): void => undefined
  const clock = {
    ...runtime.clock,
    monotonic: () => time,
    timer: (ms: number, act: () => void) => {
      if (ms === 1000) tick = act
      return () => undefined
    },
  }
  const running = runBatch(['-i', at('rows.jsonl'), '-o', at('shown.jsonl'), '--limit', '7'], {
    fetch,
    clock,
    stderr: runtime.stderr,
  })
  await until(() => text('shown.jsonl').split('\n').length === 4)
  time = 6000
  await until(() => {
    tick()
    return stderr().includes('batch: 3 of 7 rows done, 0 failed, 0.5 a second, 8s left')
  })
  for (const go of held) go()
  const { code } = await running
  assert.is(code, 0)
})

test('erases the progress line before a record is written to the same terminal', async () => {
  const [terminal, pipe] = [sink(true), sink()]
  const record = Buffer.from('{}\n')
  await createStdoutWriter({ stdout: terminal, stderr: terminal }).write(record)
  await createStdoutWriter({ stdout: pipe, stderr: terminal }).write(record)
  assert.equal([terminal.text(), pipe.text()], ['\r\u001b[K{}\n', '{}\n'])
})

const manyRows = Array.from({ length: 60 }, (_, row) => `${row}\n`).join('')

test('stops once the first 20 rows have failed alike, and records them', async () => {
  writeFileSync(at('alike.txt'), manyRows)
  const argv = ['-i', at('alike.txt'), '--format', 'jsonl', '-o', at('alike-run.jsonl')]
  const { code, stdout, stderr } = await runBatch(argv, { fetch: createService(async () => 404) })
  assert.is(code, 4)
  assert.match(stdout, '{"rows":20,"answered":0,"failed":20,')
  assert.match(stdout, '"complete":false,"stopped":"alike"')
  assert.match(stderr, /^batch: stopped: the first 20 rows failed alike: .* 404: no\n/)
  assert.is(text('alike-run.jsonl').split('\n').length, 21)
})

test('asks on after 20 failed rows with --keep-going, if one row was answered, or if the failures differ', async () => {
  writeFileSync(at('alike.txt'), manyRows)
  const argv = ['-i', at('alike.txt'), '--format', 'jsonl', '--concurrency', '1']
  const kept = await runBatch([...argv, '--keep-going'], { fetch: createService(async () => 404) })
  const answered = await runBatch(argv, {
    fetch: createService(async (row) => (row === 3 ? 200 : 404)),
  })
  const different = await runBatch(argv, {
    fetch: createService(async (row) => 400 + (row % 2) * 4),
  })
  for (const { stdout } of [kept, answered, different]) assert.is(stdout.split('\n').length, 61)
})

test.run()
