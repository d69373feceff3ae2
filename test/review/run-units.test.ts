import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ObservedClient } from '../../lib/client/call/client'
import type { ReviewUnit } from '../../lib/codec/review-config'
import { runUnits } from '../../lib/review/run-units'
import { prepareSources } from '../../lib/review/unit-state'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { Fetch, Files } from '../../lib/runtime/runtime'
import { noSpan, type Span, type Tracer } from '../../lib/runtime/tracer'
import { createRedact } from '../../lib/text/secret'
import { runMain } from '../main/run-main'
import { createDestination } from '../support/destination'
import { createMemoryFiles } from '../support/files'
import { noLogger } from '../support/runtime'

const test = suite('review: run units')

/** Answers to the questions about a unit with one behavior. `noul` is the probability of yes. */
const answers = {
  covers_00: { type: 'noul', noul: 0.9 },
  contradicts_spec: { type: 'noul', noul: 0.1 },
  thoroughness: { type: 'score', score: 2.5, confidence: 0.5 },
  weakest_area: { type: 'choice', choice: 'none', confidence: 0.5 },
}

const thresholds = { minCover: 0.6, maxContradict: 0.4, minThorough: 2 }
const silentProgress = {
  noteStart: () => undefined,
  noteEnd: () => undefined,
  stop: async () => undefined,
}

/** Creates a unit with one behavior. `tests` are the paths of its test files. */
const createUnit = (name: string, tests: ReadonlyArray<string> = []): ReviewUnit => ({
  name,
  spec: 'spec.md',
  spec_heading: '# A',
  implementation: ['a.ts'],
  tests,
  behaviors: ['does it'],
  accepted: [],
  notes: [],
})

/** Creates a tracer. `endedSpans` lists the path of each ended span, such as `>parent>child`, with the kind of its error if any. */
const createRecordingTracer = () => {
  const endedSpans: string[] = []
  const paths = new Map<Span, string>()
  const tracer: Tracer = {
    start: (name, { parent, attributes }) => {
      const label = String(attributes?.['svc.review.unit.name'] ?? name)
      const parentPath = parent === undefined ? '' : (paths.get(parent) ?? '')
      const path = `${parentPath}>${label}`
      const span: Span = {
        ...noSpan,
        end: (error) => {
          endedSpans.push(error === undefined ? path : `${path} ${error.kind}`)
        },
      }
      paths.set(span, path)
      return span
    },
  }
  return { tracer, endedSpans }
}

/** Responds to every request with `answers`. */
const answeringFetch: Fetch = async () => {
  async function* body() {
    yield Buffer.from(JSON.stringify({ model: 'm', answers }))
  }
  return { status: 200, header: () => null, endsWithConnection: false, body: body() }
}

const { files: smallFiles } = createMemoryFiles({ 'spec.md': '# A\n', 'a.ts': '' })

const nanosecondsPerMillisecond = 1_000_000n

/** The duration that sets no time limit. */
const noTimeout = 0n

const concurrency = 20

/** Starts a review of units. `outcomes` resolves when all of them have ended. */
const startReview = (
  units: ReadonlyArray<ReviewUnit>,
  fetch: Fetch,
  signal: AbortSignal,
  { files = smallFiles, timeout = noTimeout } = {},
) => {
  const { tracer, endedSpans } = createRecordingTracer()
  const fileAccess = { files, folder: '.', followLinks: false }
  const client: ObservedClient = {
    runtime: { fetch, clock: nodeClock, random: () => 0 },
    destination: createDestination('http://127.0.0.1:1'),
    redact: createRedact([]),
    timeout: noTimeout,
    maxRetries: 0,
    tracer,
    signal,
    log: noLogger,
    headers: { withBody: {}, withoutBody: {} },
  }
  const env = { client, thresholds, timeout, sources: prepareSources(fileAccess, 1000, signal) }
  const settings = {
    concurrency,
    parent: tracer.start('svc.review', {}),
    progress: silentProgress,
  }
  return { endedSpans, outcomes: runUnits(env, units, settings) }
}

/** Returns a promise that rejects when the signal fires. */
const waitForAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

const neverAborts = new AbortController().signal

test('records a span for each unit, and a child span for its call', async () => {
  // The test file `gone.ts` does not exist.
  const units = [createUnit('good'), createUnit('bad', ['gone.ts'])]
  const { endedSpans, outcomes } = startReview(units, answeringFetch, neverAborts)
  const results = await outcomes
  assert.equal(
    results.map(({ report }) => [report.name, report.failing]),
    [
      ['good', false],
      ['bad', true],
    ],
  )
  assert.equal(endedSpans.sort(), [
    '>svc.review>bad flagged',
    '>svc.review>good',
    '>svc.review>good>svc.ask',
    '>svc.review>good>svc.ask>POST',
  ])
})

test('a unit whose call failed has the failure of the call', async () => {
  const refusingFetch: Fetch = async () => Promise.reject(new Error('refused'))
  const { endedSpans, outcomes } = startReview([createUnit('one')], refusingFetch, neverAborts)
  const [outcome] = await outcomes
  assert.is(outcome?.failure?._tag, 'Connection')
  assert.is(outcome?.report.error, 'typesafe: connection error: request failed (127.0.0.1:1)')
  assert.ok(endedSpans.includes('>svc.review>one connection'))
})

const createManyUnits = () => Array.from({ length: 40 }, (_, index) => createUnit(`unit ${index}`))

test('40 units do not make Node warn about too many listeners', async () => {
  const warnings: Error[] = []
  const addWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', addWarning)
  // This signal has the usual limit of listeners.
  const { signal } = new AbortController()
  const { outcomes } = startReview(createManyUnits(), answeringFetch, signal)
  assert.is((await outcomes).length, 40)
  // Node emits warnings in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', addWarning)
  assert.equal(warnings, [])
})

test('an interrupt ends the units in flight, and no further unit starts', async () => {
  const controller = new AbortController()
  let calls = 0
  const hangingFetch: Fetch = (_, { cancellation: { signal } }) => {
    calls += 1
    if (calls === concurrency) setImmediate(() => controller.abort())
    return waitForAbort(signal)
  }
  const { outcomes } = startReview(createManyUnits(), hangingFetch, controller.signal)
  const results = await outcomes
  assert.is(results.length, concurrency)
  assert.ok(results.every(({ report }) => report.error === 'interrupted' && report.failing))
})

/** Files of which `a.ts` cannot be read to its end. Reading it rejects when the signal fires. */
const filesWithEndlessFile: Files = {
  ...smallFiles,
  readRegular: (path, options) =>
    path === 'a.ts' ? waitForAbort(options.signal) : smallFiles.readRegular(path, options),
}

test('an interrupt ends the reading of files', async () => {
  const controller = new AbortController()
  const { outcomes } = startReview([createUnit('one')], answeringFetch, controller.signal, {
    files: filesWithEndlessFile,
  })
  controller.abort()
  const [outcome] = await outcomes
  assert.is(outcome?.failure?._tag, 'Interrupted')
  assert.is(outcome?.report.error, 'interrupted')
})

test('the timeout of a unit ends the reading of files, and does not count as a failed call', async () => {
  const { outcomes } = startReview([createUnit('one')], answeringFetch, neverAborts, {
    files: filesWithEndlessFile,
    timeout: nanosecondsPerMillisecond,
  })
  const [outcome] = await outcomes
  assert.is(outcome?.failure, undefined)
  assert.is(outcome?.report.error, 'the review call did not finish within 1ms')
})

test('an interrupt ends a dry run', async () => {
  const config = JSON.stringify({ units: [createUnit('one')] })
  const files = { 'svc-review.json': config, 'spec.md': '# A\n', 'a.ts': '' }
  const argv = ['review', '--dry-run']
  const { code, stdout } = await runMain({ argv, files, signal: AbortSignal.abort() })
  assert.is(code, 130)
  assert.match(stdout, '"kind":"interrupted"')
})

test.run()
