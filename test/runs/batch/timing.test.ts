/** Runs of `svc batch` in which events must happen in a certain order, which a scenario cannot control. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { main } from '../../../lib/cli/main'
import { exitCodes } from '../../../lib/failure/report'
import { createStdoutWriter } from '../../../lib/runs/batch/output'
import { nodeFiles } from '../../../lib/runtime/node/files'
import type { Fetch, Files, Runtime } from '../../../lib/runtime/runtime'
import { testBuild } from '../../support/build'
import { commands } from '../../support/commands'
import { createTemporaryFolder } from '../../support/folders'
import { createFakeRuntime, createSink } from '../../support/runtime'
import { until } from '../../support/until'

const test = suite('runs/batch/timing')

const folder = createTemporaryFolder()
const pathOf = (name: string): string => join(folder, name)
const readFile = (name: string): string => readFileSync(pathOf(name), 'utf8')

/** Writes an input whose rows are the numbers from 0. Returns its path. */
const writeRows = (name: string, count: number): string => {
  const path = pathOf(name)
  writeFileSync(path, Array.from({ length: count }, (_, row) => `${row}\n`).join(''))
  return path
}

const answerBody =
  '{"model":"m","answers":{"q":{"type":"noul","noul":0.5}},"usage":{"input_tokens":100,"output_tokens":9}}'

/** Creates a service. It answers each row, whose state is its number, with the status that `chooseStatus` resolves to. */
const createService =
  (chooseStatus: (row: number) => Promise<number>): Fetch =>
  async (_, { body }) => {
    const { state } = JSON.parse(Buffer.from(body as Uint8Array).toString())
    const status = await chooseStatus(state)
    return {
      status,
      header: () => null,
      body: (async function* () {
        yield Buffer.from(status === 200 ? answerBody : '{"detail":"no"}')
      })(),
    }
  }

const answeringFetch = createService(async () => 200)
const refusingFetch = createService(async () => 404)

/** Runs `svc batch` with a yes/no question and without retries. `overrides` replaces parts of the runtime. */
const runBatch = async (flags: ReadonlyArray<string>, overrides: Partial<Runtime>) => {
  const { runtime, stdout, stderr } = createFakeRuntime()
  const code = await main(
    ['batch', '--noul', 'q=Is it?', '--max-retries', '0', ...flags],
    { ...runtime, env: { SERVICE_API_KEY: 'k' }, files: nodeFiles, ...overrides },
    testBuild,
    commands,
  )
  return { code, stdout: stdout(), stderr: stderr() }
}

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()))

/** Yields one row, then calls `afterRow`, and ends only when the signal fires. */
async function* yieldRowAndHang(signal: AbortSignal, afterRow = () => {}) {
  yield Buffer.from('0\n')
  const aborted = waitForAbort(signal)
  afterRow()
  await aborted
}

/** Creates a standard input that is a pipe with these chunks. */
const createPipe = (chunks: Runtime['stdin']['chunks']): Runtime['stdin'] => ({
  isTTY: false,
  read: async () => Buffer.alloc(0),
  chunks,
})

for (const source of ['a pipe', 'a file'])
  test(`an interrupt while --resume reads ${source} leaves the output unchanged, and the summary counts all of its records`, async () => {
    const input = writeRows('rows.jsonl', 3)
    const outputName = `output of ${source}.jsonl`
    const output = pathOf(outputName)
    await runBatch(['-i', input, '-o', output], { fetch: answeringFetch })
    const recordsBefore = readFile(outputName)
    const controller = new AbortController()
    const interruptAfterRow = (signal: AbortSignal) =>
      yieldRowAndHang(signal, () => controller.abort())
    const files: Files = {
      ...nodeFiles,
      chunks: (path, signal) =>
        path === input ? interruptAfterRow(signal) : nodeFiles.chunks(path, signal),
    }
    const { code, stdout, stderr } = await runBatch(
      ['-i', source === 'a pipe' ? '-' : input, '-o', output, '--resume'],
      { files, signal: controller.signal, stdin: createPipe(interruptAfterRow) },
    )
    assert.is(code, exitCodes.interrupted)
    assert.match(stdout, '{"rows":3,"answered":3,"failed":0,"errors":{},"complete":false,')
    assert.is(stderr, 'batch: 3 rows, 3 answered, 0 failed\nsvc: interrupted\n')
    assert.is(readFile(outputName), recordsBefore)
  })

test('a refused key overrides the failure of a later row that has already stopped the run', async () => {
  let reportFailure = (): void => undefined
  const laterRowFailed = new Promise<void>((resolve) => {
    reportFailure = resolve
  })
  const fetch = createService(async (row) => {
    if (row === 1) {
      setImmediate(reportFailure)
      return 400
    }
    await laterRowFailed
    // Gives svc time to process the failure of row 1.
    for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next))
    return 401
  })
  const input = writeRows('rows.jsonl', 2)
  const { code, stderr } = await runBatch(['-i', input, '--fail-fast'], { fetch })
  assert.is(code, exitCodes.auth)
  assert.match(stderr, /^batch: 0 rows, 0 answered, 0 failed\nsvc: .* returned 401/)
})

test('after --fail-fast has stopped a run, svc does not wait for more rows of a pipe', async () => {
  const { code, stdout } = await runBatch(['-o', pathOf('stopped.jsonl'), '--fail-fast'], {
    fetch: createService(async () => 400),
    stdin: createPipe(yieldRowAndHang),
  })
  assert.is(code, exitCodes.request)
  assert.match(stdout, '"complete":false')
})

// The price of a million input tokens is 10000. Each answer says that its request had 100 tokens, so an answered row costs 1. Before
// the first answer, svc estimates the cost of a row from the 92 bytes of its request, with 4 bytes per token: 0.23.
const budgets = [
  // The estimate of 8 requests is 8 * 0.23 < 2, so svc sends a ninth one. That of 9 is 9 * 0.23 > 2, so svc sends no tenth one.
  {
    title: 'with the estimate before the first answer',
    concurrency: 20,
    maxCost: '2',
    expectedRequests: 9,
  },
  // Three requests, answered or in flight, cost 3 < 3.5, so svc sends a fourth one. Four cost 4 > 3.5, so svc sends no fifth one.
  {
    title: 'with the mean cost of the answers if that is larger',
    concurrency: 2,
    maxCost: '3.5',
    expectedRequests: 4,
  },
]
for (const { title, concurrency, maxCost, expectedRequests } of budgets)
  test(`--max-cost counts a request in flight ${title}`, async () => {
    const input = writeRows('rows.jsonl', 30)
    let requestCount = 0
    const fetch = createService(async () => {
      requestCount += 1
      // All requests of the first wave are in flight before one is answered.
      await until(() => requestCount >= Math.min(expectedRequests, concurrency))
      return 200
    })
    const flags = [
      ['-i', input],
      ['-o', pathOf(`cost-${concurrency}.jsonl`)],
      ['--concurrency', String(concurrency)],
      ['--price', '10000'],
      ['--max-cost', maxCost],
    ]
    const { code, stdout } = await runBatch(flags.flat(), { fetch })
    assert.is(code, exitCodes.flagged)
    assert.is(requestCount, expectedRequests)
    assert.match(stdout, `{"rows":${expectedRequests},"answered":${expectedRequests},"failed":0,`)
    assert.match(stdout, `"complete":false,"stopped":"max_cost",`)
    assert.match(stdout, `"cost":${expectedRequests}}`)
  })

test('sends the request of a row if its record in the run of --reuse has changed after it was indexed', async () => {
  const input = writeRows('rows.jsonl', 2)
  const earlierRun = pathOf('earlier.jsonl')
  await runBatch(['-i', input, '-o', earlierRun], { fetch: answeringFetch })
  let requestCount = 0
  const fetch = createService(async () => {
    requestCount += 1
    return 200
  })
  const files: Files = {
    ...nodeFiles,
    // The first record is unchanged. The second one has become `{}`.
    readPart: (path, offset, length) =>
      offset === 0 ? nodeFiles.readPart(path, offset, length) : Promise.resolve(Buffer.from('{}')),
  }
  const { code, stdout } = await runBatch(
    ['-i', input, '-o', pathOf('new.jsonl'), '--reuse', earlierRun],
    { fetch, files },
  )
  assert.is(code, 0)
  assert.is(requestCount, 1)
  assert.match(stdout, '{"rows":2,"answered":2,"reused":1,')
})

test('the progress line shows the number of all rows and the remaining time', async () => {
  const input = writeRows('rows.jsonl', 9)
  writeFileSync(pathOf('progress.jsonl'), '')
  const { runtime, stderr } = createFakeRuntime({ tty: ['stderr'] })
  // The service answers three rows. The others wait.
  const pendingAnswers: Array<() => void> = []
  const fetch = createService(async (row) => {
    if (row > 2) await new Promise<void>((resolve) => pendingAnswers.push(resolve))
    return 200
  })
  let nowMs = 0
  let redraw = (): void => undefined
  const clock = {
    ...runtime.clock,
    monotonic: () => nowMs,
    timer: (ms: number, callback: () => void) => {
      // The progress line appears after 300 ms, and is redrawn four times a second.
      if (ms === 300) {
        assert.not.match(stderr(), 'rows')
        callback()
      }
      if (ms === 250) redraw = callback
      return () => undefined
    },
  }
  const running = runBatch(['-i', input, '-o', pathOf('progress.jsonl'), '--limit', '7'], {
    fetch,
    clock,
    stderr: runtime.stderr,
  })
  const countRecords = () => readFile('progress.jsonl').split('\n').length - 1
  await until(() => countRecords() === 3)
  // Three rows in 6 seconds are 0.5 a second, so the remaining four rows take 8 seconds.
  nowMs = 6000
  await until(() => {
    redraw()
    return stderr().includes(
      'batch: ████████░░░░░░░░░░░░ 42 %  3 of 7 rows, 0.5/s, 8s left, 0 failed',
    )
  })
  for (const answer of pendingAnswers) answer()
  const { code } = await running
  assert.is(code, 0)
})

test('erases the progress line before it writes a record to the same terminal', async () => {
  const terminal = createSink({ isTTY: true })
  await createStdoutWriter({ stdout: terminal, stderr: terminal }).write(Buffer.from('{}\n'))
  assert.is(terminal.text(), '\r\u001b[K{}\n')
})

test('does not erase the progress line before it writes a record to a pipe', async () => {
  const pipe = createSink()
  const terminal = createSink({ isTTY: true })
  await createStdoutWriter({ stdout: pipe, stderr: terminal }).write(Buffer.from('{}\n'))
  assert.is(pipe.text(), '{}\n')
  assert.is(terminal.text(), '')
})

test('stops after the first 20 rows have failed with the same error, and records them', async () => {
  const input = writeRows('many.jsonl', 60)
  const output = pathOf('same-error.jsonl')
  const { code, stdout, stderr } = await runBatch(['-i', input, '-o', output], {
    fetch: refusingFetch,
  })
  assert.is(code, exitCodes.request)
  assert.match(stdout, '{"rows":20,"answered":0,"failed":20,')
  assert.match(stdout, '"complete":false,"stopped":"alike"')
  assert.match(stderr, /^batch: stopped: the first 20 rows failed alike: .* 404: no\n/)
  // 20 records, and the empty text after the last newline.
  assert.is(readFile('same-error.jsonl').split('\n').length, 20 + 1)
})

test('is complete if the 20th row that fails with the same error is the last row', async () => {
  const input = writeRows('twenty.jsonl', 20)
  const output = pathOf('same-error-whole.jsonl')
  const { stdout } = await runBatch(['-i', input, '-o', output], { fetch: refusingFetch })
  assert.match(stdout, '"complete":true,"stopped":"alike"')
})

const continuedRuns: ReadonlyArray<{
  readonly condition: string
  readonly flags: ReadonlyArray<string>
  readonly fetch: Fetch
}> = [
  { condition: '--keep-going is set', flags: ['--keep-going'], fetch: refusingFetch },
  {
    condition: 'one row was answered',
    flags: [],
    fetch: createService(async (row) => (row === 3 ? 200 : 404)),
  },
  {
    condition: 'the errors differ',
    flags: [],
    fetch: createService(async (row) => (row % 2 === 0 ? 400 : 404)),
  },
]
for (const { condition, flags, fetch } of continuedRuns)
  test(`goes on after 20 failed rows if ${condition}`, async () => {
    const input = writeRows('many.jsonl', 60)
    const { stdout } = await runBatch(['-i', input, '--concurrency', '1', ...flags], { fetch })
    // 60 records, and the empty text after the last newline.
    assert.is(stdout.split('\n').length, 60 + 1)
  })

test.run()
