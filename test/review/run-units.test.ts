import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ObservedClient } from '../../lib/client/call/call-context'
import type { ReviewUnit } from '../../lib/codec/review-config'
import { createRedact } from '../../lib/failure/text/redact'
import { runUnits } from '../../lib/review/run-units'
import { prepareSources } from '../../lib/review/unit-state'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { Fetch, Files } from '../../lib/runtime/runtime'
import { noSpan, type Span, type Tracer } from '../../lib/runtime/tracer'
import { run as runProgram } from '../main/run'
import { createDestination } from '../support/destination'
import { memoryFiles } from '../support/files'
import { noLogger } from '../support/runtime'

const test = suite('review: run')

const answers = {
  covers_00: { type: 'noul', noul: 0.9 },
  contradicts_spec: { type: 'noul', noul: 0.1 },
  thoroughness: { type: 'score', score: 2.5, confidence: 0.5 },
  weakest_area: { type: 'choice', choice: 'none', confidence: 0.5 },
}

const thresholds = { minCover: 0.6, maxContradict: 0.4, minThorough: 2 }
const progress = {
  noteStart: () => undefined,
  noteEnd: () => undefined,
  stop: async () => undefined,
}

const unit = (name: string, tests: ReadonlyArray<string> = []): ReviewUnit => ({
  name,
  spec: 'spec.md',
  spec_heading: '# A',
  implementation: ['a.ts'],
  tests,
  behaviors: ['does it'],
  accepted: [],
  notes: [],
})

/** Creates a tracer that records `parent>child` and the error of each span. */
const createRecorder = () => {
  const lines: string[] = []
  const names = new Map<Span, string>()
  const tracer: Tracer = {
    start: (name, { parent, attributes }) => {
      const label = String(attributes?.['svc.review.unit.name'] ?? name)
      const path = `${(parent && names.get(parent)) ?? ''}>${label}`
      const span: Span = {
        ...noSpan,
        end: (error) => {
          lines.push(error === undefined ? path : `${path} ${error.kind}`)
        },
      }
      names.set(span, path)
      return span
    },
  }
  return { tracer, lines }
}

const respond: Fetch = async () => {
  async function* body() {
    yield Buffer.from(JSON.stringify({ model: 'm', answers }))
  }
  return { status: 200, header: () => null, endsWithConnection: false, body: body() }
}

const { files: memory } = memoryFiles({ 'spec.md': '# A\n', 'a.ts': '' })

const run = (
  units: ReadonlyArray<ReviewUnit>,
  fetch: Fetch,
  signal: AbortSignal,
  { files = memory, timeout = 0n } = {},
) => {
  const { tracer, lines } = createRecorder()
  const rules = { files, folder: '.', followLinks: false }
  const client: ObservedClient = {
    runtime: { fetch, clock: nodeClock, random: () => 0 },
    destination: createDestination('http://127.0.0.1:1'),
    redact: createRedact([]),
    timeout: 0n,
    maxRetries: 0,
    tracer,
    signal,
    log: noLogger,
    headers: () => ({}),
  }
  const env = { client, thresholds, timeout, sources: prepareSources(rules, 1000, signal) }
  const running = { concurrency: 20, parent: tracer.start('svc.review', {}), progress }
  return { lines, outcomes: runUnits(env, units, running)() }
}

const never = new AbortController().signal

test('records a span for each unit, with its call as a child', async () => {
  const { lines, outcomes } = run([unit('good'), unit('bad', ['gone.ts'])], respond, never)
  const reports = await outcomes
  assert.equal(
    reports.map(({ report }) => [report.name, report.failing]),
    [
      ['good', false],
      ['bad', true],
    ],
  )
  assert.equal(lines.sort(), [
    '>svc.review>bad flagged',
    '>svc.review>good',
    '>svc.review>good>svc.ask',
    '>svc.review>good>svc.ask>POST',
  ])
})

test('a unit with a failed call has the failure of that call', async () => {
  const refuse: Fetch = async () => Promise.reject(new Error('refused'))
  const { lines, outcomes } = run([unit('one')], refuse, never)
  const [outcome] = await outcomes
  assert.is(outcome?.failure?._tag, 'Connection')
  assert.is(outcome?.report.error, 'typesafe: connection error: request failed (127.0.0.1:1)')
  assert.ok(lines.includes('>svc.review>one connection'))
})

test('many units in flight raise no warning about listeners', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  const units = Array.from({ length: 40 }, (_, index) => unit(`unit ${index}`))
  const { outcomes } = run(units, respond, new AbortController().signal)
  assert.is((await outcomes).length, 40)
  await new Promise((done) => setImmediate(done))
  process.off('warning', note)
  assert.equal(warnings, [])
})

test('after an interrupt the units in flight are interrupted and no other starts', async () => {
  const stop = new AbortController()
  let calls = 0
  const hang: Fetch = (_, { cancellation: { signal } }) => {
    calls += 1
    if (calls === 20) setImmediate(() => stop.abort())
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }
  const units = Array.from({ length: 40 }, (_, index) => unit(`unit ${index}`))
  const reports = await run(units, hang, stop.signal).outcomes
  assert.is(reports.length, 20)
  assert.ok(reports.every(({ report }) => report.error === 'interrupted' && report.failing))
})

/** Files of which `a.ts` never ends. Reading it rejects when the signal fires. */
const endless: Files = {
  ...memory,
  readRegular: (path, options) =>
    path === 'a.ts'
      ? new Promise((_, reject) => {
          if (options.signal.aborted) reject(options.signal.reason)
          options.signal.addEventListener('abort', () => reject(options.signal.reason))
        })
      : memory.readRegular(path, options),
}

test('an interrupt ends the reading of files', async () => {
  const stop = new AbortController()
  const { outcomes } = run([unit('one')], respond, stop.signal, { files: endless })
  stop.abort()
  const [outcome] = await outcomes
  assert.is(outcome?.failure?._tag, 'Interrupted')
  assert.is(outcome?.report.error, 'interrupted')
})

test('the time limit of a unit ends the reading of files, without a failed call', async () => {
  const timeout = 1_000_000n
  const [outcome] = await run([unit('one')], respond, never, { files: endless, timeout }).outcomes
  assert.is(outcome?.failure, undefined)
  assert.is(outcome?.report.error, 'the review call did not finish within 1ms')
})

test('an interrupt ends a dry run, which then prints no sizes', async () => {
  const config = JSON.stringify({ units: [unit('one')] })
  const files = { 'svc-review.json': config, 'spec.md': '# A\n', 'a.ts': '' }
  const argv = ['review', '--dry-run']
  const { code, stdout } = await runProgram({ argv, files, signal: AbortSignal.abort() })
  assert.is(code, 130)
  assert.match(stdout, '"kind":"interrupted"')
})

test.run()
