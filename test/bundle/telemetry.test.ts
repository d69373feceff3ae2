import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exitCodes } from '../../lib/failure/report'
import { readExample } from '../support/documents'
import { createTemporaryFolder, root } from '../support/folders'
import { readBuiltFiles } from '../support/program'
import { closeAfterEach } from '../support/servers'
import { startCollector } from '../tracing/collector'
import { errorStatusCode, type ReceivedSpan, spanKind } from '../tracing/decode-spans'
import { formatSpanTree } from '../tracing/format-span-tree'
import { parseLoadedFiles, reportLoadedFiles } from './files-loaded'
import { askArgs, type RunOptions, runWithService } from './run-with-service'

const test = suite('bundle/telemetry')
closeAfterEach(test)

/** The names of the built files that contain code of OpenTelemetry or of the YAML parser. */
const telemetryFiles = new Set<string>()
for (const [path, { inputs }] of Object.entries(readBuiltFiles()))
  if (Object.keys(inputs).some((input) => /node_modules\/(@opentelemetry|js-yaml)\//.test(input)))
    telemetryFiles.add(basename(path))

/** Runs svc, and fails unless it succeeds. Returns how many of `telemetryFiles` it has loaded. */
const countTelemetryFiles = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const nodeArgs = ['--import', reportLoadedFiles]
  const { stderr, code } = await runWithService(args, { env, nodeArgs })
  assert.is(code, 0, stderr)
  const names = parseLoadedFiles(stderr)
  assert.ok(names.includes('bin.js'), 'Node has not reported the files that it loaded')
  return names.filter((name) => telemetryFiles.has(name)).length
}

/** Runs `svc <args>` with a collector. Returns the result of the run, and the spans that the collector received. */
const traceRun = async (args: ReadonlyArray<string>, options: RunOptions = {}) => {
  const collector = await startCollector()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...options.env }
  const result = await runWithService(args, { ...options, env })
  await collector.waitUntilDisconnected()
  return { ...result, spans: collector.spans() }
}

const listChildren = (spans: ReadonlyArray<ReceivedSpan>, parent: ReceivedSpan | undefined) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId)

/** Encodes spans to search their text. Times are replaced by 0, because JSON has no bigint. */
const encodeSpans = (spans: ReadonlyArray<ReceivedSpan>): string =>
  JSON.stringify(spans, (_key, value) => (typeof value === 'bigint' ? 0 : value))

const untracedRuns: ReadonlyArray<ReadonlyArray<string>> = [
  ['version'],
  ['version', '--trace'],
  ['--version', '--trace'],
  ['help', 'ask'],
  ['ask', '--help', '--trace'],
  askArgs,
  ['models'],
  [...askArgs, '--no-trace', '--trace'],
]

for (const args of untracedRuns) {
  test(`svc ${args.join(' ')} loads neither OpenTelemetry nor the YAML parser`, async () => {
    assert.is(await countTelemetryFiles(args), 0)
  })
}

test('a traced call loads OpenTelemetry', async () => {
  const collector = await startCollector()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  assert.ok((await countTelemetryFiles(askArgs, env)) > 0)
})

test('svc ask sends a span for the call and one for each attempt, in the trace of the caller', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const parentId = 'b7ad6b7169203331'

  const { stderr, code, spans, traceparents } = await traceRun(askArgs, {
    env: { TRACEPARENT: `00-${traceId}-${parentId}-01` },
    isBusyAtFirst: true,
  })

  assert.equal([code, stderr], [0, ''])
  assert.is(spans.length, 3)
  const call = spans.find(({ name }) => name === 'svc.ask')
  assert.is(call?.parentSpanId, parentId)
  assert.is(call?.scope.name, 'svc')
  assert.equal(call?.attributes, {
    'gen_ai.operation.name': 'ask',
    'gen_ai.request.model': 'svc-latest',
    'gen_ai.response.model': 'svc-1.13.0',
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 3,
    'http.response.status_code': 200,
    'svc.questions.choice': 0,
    'svc.questions.count': 1,
    'svc.questions.noul': 1,
    'svc.questions.other': 0,
    'svc.questions.score': 0,
    'svc.request_id': 'req_1',
    'svc.retry.attempts': 1,
  })
  const attempts = listChildren(spans, call)
  const failed = attempts.find(({ attributes }) => 'error.type' in attributes)
  const retry = attempts.find((attempt) => attempt !== failed)
  assert.equal([failed?.name, retry?.name], ['POST', 'POST'])
  assert.equal([failed?.kind, retry?.kind], [spanKind.client, spanKind.client])
  assert.is(failed?.attributes['error.type'], 'server')
  assert.is(failed?.status.code, errorStatusCode)
  assert.is(retry?.attributes['http.request.resend_count'], 1)
  assert.equal(retry?.links, [{ traceId: failed?.traceId, spanId: failed?.spanId }])
  assert.equal(traceparents, [
    `00-${traceId}-${failed?.spanId}-01`,
    `00-${traceId}-${retry?.spanId}-01`,
  ])
  // The last two are from the state and the question of `askArgs`.
  assert.not.match(encodeSpans(spans), /the-api-key|crashes|bug report/)
})

test('the trace in the help is the trace that a collector receives', async () => {
  const folder = join(root, 'fixtures/ask/ticket')
  const { spans } = await traceRun(['ask', '-f', join(folder, 'request.json')], {
    isBusyAtFirst: true,
    response: readFileSync(join(folder, 'response.json')),
  })
  const maskTimes = (text: string): string => text.replace(/\d+ ms/g, 'N ms')
  assert.fixture(maskTimes(readExample('trace', 'busy')), maskTimes(formatSpanTree(spans)))
})

test('svc models sends a span svc.models with one GET', async () => {
  const { stderr, spans } = await traceRun(['models'])
  assert.is(stderr, '')
  assert.equal(
    spans.map(({ name }) => name),
    ['GET', 'svc.models'],
  )
})

test('svc review sends a span for each unit, with a call below it', async () => {
  const folder = createTemporaryFolder()
  const describeUnit = (name: string) => ({
    name,
    spec_heading: '## One',
    implementation: ['spec.md'],
    behaviors: ['a secret behaviour'],
  })
  const config = { spec: 'spec.md', units: [describeUnit('first'), describeUnit('second')] }
  writeFileSync(join(folder, 'spec.md'), '## One\n\nA secret requirement.\n')
  writeFileSync(join(folder, 'units.json'), JSON.stringify(config))
  const unitsFile = join(folder, 'units.json')
  const reportFile = join(folder, 'report.json')

  const { code, spans } = await traceRun(['review', '--units', unitsFile, '--report', reportFile])

  // The response has none of the answers that a review asks for.
  assert.is(code, exitCodes.flagged)
  const review = spans.find(({ name }) => name === 'svc.review')
  assert.is(review?.attributes['error.type'], 'flagged')
  const units = listChildren(spans, review)
  const unitNames = units.map(({ attributes }) => attributes['svc.review.unit.name'])
  assert.equal(unitNames.sort(), ['first', 'second'])
  for (const unit of units) {
    assert.is(unit.name, 'svc.review.unit')
    const calls = listChildren(spans, unit)
    assert.equal(
      calls.map(({ name }) => name),
      ['svc.ask'],
    )
    const callAttempts = listChildren(spans, calls[0])
    assert.equal(
      callAttempts.map(({ name }) => name),
      ['POST'],
    )
  }
  // The specification and the behaviors of the units have the word `secret`.
  assert.not.match(encodeSpans(spans), /secret|the-api-key/)
})

test.run()
