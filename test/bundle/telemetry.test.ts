import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleOf } from '../support/documents'
import { root, temporaryFolder } from '../support/folders'
import { builtFiles } from '../support/program'
import { closeAfterEach } from '../support/servers'
import { startCollector } from '../tracing/collector'
import { formatSpanTree } from '../tracing/format-span-tree'
import { filesLoaded, reporter } from './files-loaded'
import { ask, closeService, run, state, yes } from './traced'

const test = suite('bundle: telemetry')
closeAfterEach(test)

/** Names of the files that hold some of OpenTelemetry or of the YAML parser. */
const heavy = new Set(
  Object.entries(builtFiles()).flatMap(([path, { inputs }]) =>
    Object.keys(inputs).some((input) => /node_modules\/(@opentelemetry|js-yaml)\//.test(input))
      ? [basename(path)]
      : [],
  ),
)

test.before.each(() => {
  state.seen.length = 0
  state.busy = false
  state.answer = yes
})
test.after(closeService)

const loadedOf = async (argv: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => {
  const { stderr, code } = await run(argv, env, ['--import', reporter])
  assert.is(code, 0, stderr)
  const names = filesLoaded(stderr)
  assert.ok(names.includes('bin.js'), 'the report works')
  return names.filter((name) => heavy.has(name)).length
}

const untraced: ReadonlyArray<ReadonlyArray<string>> = [
  ['version'],
  ['version', '--trace'],
  ['--version', '--trace'],
  ['help', 'ask'],
  ['ask', '--help', '--trace'],
  ask,
  ['models'],
  [...ask, '--no-trace', '--trace'],
]

for (const argv of untraced) {
  test(`svc ${argv.join(' ')} loads no OpenTelemetry`, async () => {
    assert.is(await loadedOf(argv), 0)
  })
}

test('a traced call loads it', async () => {
  const collector = await startCollector()
  assert.ok((await loadedOf(ask, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })) > 0)
})

test('a call with a retry, in the trace of its pipeline', async () => {
  state.busy = true
  const collector = await startCollector()
  const { stderr, code } = await run(ask, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  })
  assert.is(stderr, '')
  assert.is(code, 0)
  await collector.quiet()
  const spans = collector.spans()
  const call = spans.find(({ name }) => name === 'svc.ask')
  const [first, second] = spans.filter(({ name }) => name === 'POST')
  assert.is(spans.length, 3)
  assert.is(call?.parentSpanId, 'b7ad6b7169203331')
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
  for (const span of [first, second]) {
    assert.is(span?.parentSpanId, call?.spanId)
    assert.is(span?.kind, 3)
  }
  assert.is(first?.attributes['error.type'], 'server')
  assert.is(first?.status.code, 2)
  assert.is(second?.attributes['http.request.resend_count'], 1)
  assert.equal(second?.links, [{ traceId: first?.traceId, spanId: first?.spanId }])
  const trace = '00-0af7651916cd43dd8448eb211c80319c'
  assert.equal(state.seen, [`${trace}-${first?.spanId}-01`, `${trace}-${second?.spanId}-01`])
  const whole = JSON.stringify(spans, (_key, value) => (typeof value === 'bigint' ? 0 : value))
  assert.not.match(whole, /the-api-key|crashes|bug report/)
})

test('the trace shown is what a collector gets', async () => {
  state.busy = true
  const collector = await startCollector()
  state.answer = readFileSync(join(root, 'fixtures/ask/ticket/response.json'))
  await run(['ask', '-f', join(root, 'fixtures/ask/ticket/request.json')], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  const shown = exampleOf('trace', 'busy')
  const timeless = (text: string): string => text.replace(/\d+ ms/g, 'N ms')
  assert.fixture(timeless(shown), timeless(formatSpanTree(collector.spans())))
})

test('svc.models', async () => {
  const collector = await startCollector()
  const { stderr } = await run(['models'], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  assert.is(stderr, '')
  const names = collector.spans().map(({ name }) => name)
  assert.equal(names, ['GET', 'svc.models'])
})

test('svc.review, and a child for each unit', async () => {
  const collector = await startCollector()
  const folder = temporaryFolder()
  const unit = (name: string) => ({
    name,
    spec_heading: '## One',
    implementation: ['spec.md'],
    behaviors: ['a secret behaviour'],
  })
  const config = { spec: 'spec.md', units: [unit('first'), unit('second')] }
  writeFileSync(join(folder, 'spec.md'), '## One\n\nA secret requirement.\n')
  writeFileSync(join(folder, 'units.json'), JSON.stringify(config))
  const argv = ['--units', join(folder, 'units.json'), '--report', join(folder, 'report.json')]
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const { code } = await run(['review', ...argv], env)
  assert.is(code, 8, 'the answers that were asked for are missing')
  const spans = collector.spans()
  const root = spans.find(({ name }) => name === 'svc.review')
  assert.is(root?.attributes['error.type'], 'flagged')
  const childrenOf = (parent: string | undefined) =>
    spans.filter(({ parentSpanId }) => parentSpanId === parent)
  const units = childrenOf(root?.spanId)
  assert.equal(units.map(({ attributes }) => attributes['svc.review.unit.name']).sort(), [
    'first',
    'second',
  ])
  for (const { name, spanId } of units) {
    assert.is(name, 'svc.review.unit')
    const [call, ...more] = childrenOf(spanId)
    assert.is(call?.name, 'svc.ask')
    assert.is(more.length, 0)
    assert.equal(
      childrenOf(call?.spanId).map((span) => span.name),
      ['POST'],
    )
  }
  const whole = JSON.stringify(spans, (_key, value) => (typeof value === 'bigint' ? 0 : value))
  assert.not.match(whole, /secret|the-api-key/)
})

test.run()
