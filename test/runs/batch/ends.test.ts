/** How a run ends: interrupts, refused keys and rows that fail, at moments that only a test can choose. */
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

const test = suite('batch/ends')

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)
const text = (name: string): string => readFileSync(at(name), 'utf8')

const answer =
  '{"model":"m","answers":{"q":{"type":"noul","noul":0.5}},"usage":{"input_tokens":100,"output_tokens":9}}'

/** A service that says what `reply` returns for a state: a status, or 200 with the answer. */
const serviceOf =
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

const batch = async (argv: ReadonlyArray<string>, parts: Partial<Runtime>) => {
  const { runtime, stdout, stderr } = fakeRuntime()
  const code = await main(
    ['batch', '--noul', 'q=Is it?', '--max-retries', '0', ...argv],
    { ...runtime, env: { SERVICE_API_KEY: 'k' }, files: nodeFiles, ...parts },
    testBuild,
    commands,
  )
  return { code, stdout: stdout(), stderr: stderr() }
}

const answerAll = serviceOf(async () => 200)

/** An input of rows that stays silent after them; then the program is interrupted. */
async function* interruptedAfter(rows: string, signal: AbortSignal, interrupt: () => void) {
  yield Buffer.from(rows)
  const silence = new Promise((end) => signal.addEventListener('abort', end))
  interrupt()
  await silence
}

for (const from of ['a pipe', 'a file'])
  test(`an interrupt while --resume compares ${from} changes nothing and sums up the whole file`, async () => {
    writeFileSync(at('rows.jsonl'), '0\n1\n2\n')
    const args = ['-i', at('rows.jsonl'), '-o', at(`${from}.jsonl`)]
    await batch(args, { fetch: answerAll })
    const before = text(`${from}.jsonl`)
    const controller = new AbortController()
    const cut = (signal: AbortSignal) => interruptedAfter('0\n', signal, () => controller.abort())
    const files: Files = {
      ...nodeFiles,
      chunks: (path, signal) =>
        path === at('rows.jsonl') ? cut(signal) : nodeFiles.chunks(path, signal),
    }
    const { code, stdout, stderr } = await batch(
      [...(from === 'a file' ? args : ['-i', '-', ...args.slice(2)]), '--resume'],
      {
        ...{ files, signal: controller.signal },
        stdin: { isTTY: false, read: async () => Buffer.alloc(0), chunks: cut },
      },
    )
    assert.is(code, 130)
    assert.match(stdout, '{"rows":3,"answered":3,"failed":0,"errors":{},"complete":false,')
    assert.is(stderr, 'batch: 3 rows, 3 answered, 0 failed\nsvc: interrupted\n')
    assert.is(text(`${from}.jsonl`), before)
  })

test('a refused key outweighs a later row that has failed before and stopped the run', async () => {
  writeFileSync(at('rows.jsonl'), '0\n1\n')
  let fail = (): void => undefined
  const failed = new Promise<void>((resolve) => {
    fail = resolve
  })
  const fetch = serviceOf(async (state) => {
    if (state === 1) {
      setImmediate(fail)
      return 400
    }
    await failed
    // The other row's failure is noted by now.
    for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next))
    return 401
  })
  const { code, stderr } = await batch(['-i', at('rows.jsonl'), '--fail-fast'], { fetch })
  assert.is(code, 3)
  assert.match(stderr, /^batch: 0 rows, 0 answered, 0 failed\nsvc: .* returned 401/)
})

test('a silent pipe does not hold a run that --fail-fast has stopped', async () => {
  const chunks = async function* (signal: AbortSignal) {
    yield Buffer.from('0\n')
    await new Promise((end) => signal.addEventListener('abort', end))
  }
  const { code, stdout } = await batch(['-o', at('stopped.jsonl'), '--fail-fast'], {
    fetch: serviceOf(async () => 400),
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
    const { code, stdout } = await batch(
      ['-i', at('rows.jsonl'), '-o', at(`cost-${concurrency}.jsonl`)].concat(
        ...['--concurrency', concurrency, '--price', '10000', '--max-cost', most],
      ),
      {
        fetch: serviceOf(async () => {
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

test('an answer is asked for again where the run to be reused has changed since it was read', async () => {
  writeFileSync(at('rows.jsonl'), '0\n1\n')
  await batch(['-i', at('rows.jsonl'), '-o', at('old.jsonl')], { fetch: answerAll })
  let requests = 0
  const files: Files = {
    ...nodeFiles,
    readPart: (path, start, length) =>
      start === 0 ? nodeFiles.readPart(path, start, length) : Promise.resolve(Buffer.from('{}')),
  }
  const fetch = serviceOf(async () => {
    requests += 1
    return 200
  })
  const args = ['-i', at('rows.jsonl'), '-o', at('new.jsonl'), '--reuse', at('old.jsonl')]
  const { code, stdout } = await batch(args, { fetch, files })
  assert.is(code, 0)
  assert.is(requests, 1)
  assert.match(stdout, '{"rows":2,"answered":2,"reused":1,')
})

test('the progress line tells how many rows there are, and the time left from those written', async () => {
  writeFileSync(at('shown.jsonl'), '')
  writeFileSync(at('rows.jsonl'), Array.from({ length: 9 }, (_, row) => `${row}\n`).join(''))
  const { runtime, stderr } = fakeRuntime({ tty: ['stderr'] })
  const held: Array<() => void> = []
  const fetch = serviceOf(async (state) => {
    if (state > 2) await new Promise<void>((go) => held.push(go))
    return 200
  })
  let [time, tick] = [0, (): void => undefined]
  const clock = {
    ...runtime.clock,
    monotonic: () => time,
    timer: (ms: number, act: () => void) => {
      if (ms === 1000) tick = act
      return () => undefined
    },
  }
  const running = batch(['-i', at('rows.jsonl'), '-o', at('shown.jsonl'), '--limit', '7'], {
    ...{ fetch, clock, stderr: runtime.stderr },
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

test('on one terminal the progress line is gone before a record is written', async () => {
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
  const { code, stdout, stderr } = await batch(argv, { fetch: serviceOf(async () => 404) })
  assert.is(code, 4)
  assert.match(stdout, '{"rows":20,"answered":0,"failed":20,')
  assert.match(stdout, '"complete":false,"stopped":"alike"')
  assert.match(stderr, /^batch: stopped: the first 20 rows failed alike: .* 404: no\n/)
  assert.is(text('alike-run.jsonl').split('\n').length, 21)
})

test('asks on after 20 failed rows with --keep-going, if one row was answered, or if the failures differ', async () => {
  writeFileSync(at('alike.txt'), manyRows)
  const argv = ['-i', at('alike.txt'), '--format', 'jsonl', '--concurrency', '1']
  const kept = await batch([...argv, '--keep-going'], { fetch: serviceOf(async () => 404) })
  const answered = await batch(argv, { fetch: serviceOf(async (row) => (row === 3 ? 200 : 404)) })
  const different = await batch(argv, { fetch: serviceOf(async (row) => 400 + (row % 2) * 4) })
  for (const { stdout } of [kept, answered, different]) assert.is(stdout.split('\n').length, 61)
})

test.run()
