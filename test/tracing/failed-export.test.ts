import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/until'
import type { AnswerHandler } from './collector'
import { formatDocument } from './documents'
import { sendOneSpan, sendSpanAndReadStderr, withCollector } from './send-span'
import { createRunWithConfig, openTestTracing } from './tracing-run'

const test = suite('tracing/failed-export')

/** Answers the first request with `answer`, and accepts all later ones. */
const failOnce =
  (answer: AnswerHandler): AnswerHandler =>
  (response, index) => {
    if (index === 0) answer(response, index)
    else response.end()
  }

for (const status of [429, 502, 503])
  test(`retries after ${status}`, () =>
    withCollector(
      failOnce((response) => response.writeHead(status, { 'retry-after': '0' }).end()),
      async (collector) => {
        const document = formatDocument(`{otlp_http: {endpoint: "${collector.url}"}}`, 'simple')
        await sendOneSpan(createRunWithConfig(document))
        assert.is(collector.receivedExports.length, 2)
      },
    ))

test('waits before a retry as long as the collector asks', () =>
  withCollector(
    failOnce((response) => response.writeHead(503, { 'retry-after': '1' }).end()),
    async (collector) => {
      const document = formatDocument(`{otlp_http: {endpoint: "${collector.url}"}}`, 'simple')
      const delaysMs: unknown[] = []
      const { setTimeout } = globalThis
      // The exporter waits with the global `setTimeout`. The test skips the wait of 1 s that the collector asks for.
      globalThis.setTimeout = ((run: () => void, ms: number) => {
        delaysMs.push(ms)
        return setTimeout(run, ms === 1000 ? 0 : ms)
      }) as typeof setTimeout
      try {
        await sendOneSpan(createRunWithConfig(document))
      } finally {
        globalThis.setTimeout = setTimeout
      }
      assert.is(delaysMs.filter((ms) => ms === 1000).length, 1)
    },
  ))

test('retries a connection that breaks during a run', () =>
  withCollector(
    failOnce((response) => response.destroy()),
    async (collector) => {
      const run = createRunWithConfig(
        formatDocument(`{otlp_http: {endpoint: "${collector.url}"}}`, 'simple'),
      )
      const tracing = await openTestTracing(run)
      tracing.tracer.start('a', {}).end()
      await until(() => collector.receivedExports.length === 2)
      await tracing.shutdown()
      assert.is(run.stderr(), '')
    },
  ))

for (const status of [301, 400, 401, 404, 500])
  test(`does not retry after ${status}`, () =>
    withCollector(
      (response) => response.writeHead(status, { location: '/elsewhere' }).end('reason'),
      async (collector) => {
        const document = formatDocument(`{otlp_http: {endpoint: "${collector.url}"}}`)
        const stderr = await sendSpanAndReadStderr(createRunWithConfig(document))
        assert.match(stderr, new RegExp(`: ${status} [\\w ]+\\n$`))
        assert.is(collector.receivedExports.length, 1)
      },
    ))

/** Answers with a body that breaks off: announces 10 bytes, sends 1, and closes the connection. */
const answerIncompletely =
  (status: number): AnswerHandler =>
  (response) => {
    response.writeHead(status, { 'content-length': '10' })
    response.write('x', () => response.destroy())
  }

/** The answer of a collector that accepts a request, but rejects one of its spans. */
const rejectedSpans = { partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } }

/** An answer of a collector, and what svc reports about it. */
interface ExportCase {
  readonly title: string
  readonly answer: AnswerHandler
  /** More settings of the exporter, in YAML that begins with a comma. */
  readonly settings?: string
  /** Matches stderr after the name of the collector. Absent if svc must print nothing. */
  readonly message?: RegExp
}

const exportCases: ReadonlyArray<ExportCase> = [
  {
    title: 'reports that a collector rejected spans',
    answer: (response) => response.end(JSON.stringify(rejectedSpans)),
    settings: ', encoding: json',
    message: /^spans rejected: 1, too old$/,
  },
  {
    title: 'accepts a 200 response with any body',
    answer: (response) => response.end('<html>\u0000'),
  },
  { title: 'accepts a 200 response whose body breaks off', answer: answerIncompletely(200) },
  {
    title: 'reports a 400 response whose body breaks off',
    answer: answerIncompletely(400),
    // Any text will do.
    message: /./,
  },
  {
    title: 'does not retry if the requested wait is longer than the timeout',
    answer: (response) => response.writeHead(503, { 'retry-after': '60' }).end(),
    message: /^Export failed with retryable status$/,
  },
  {
    title: 'cuts a long text of the collector',
    answer: (response) => response.writeHead(500, 'x'.repeat(2_000)).end(),
    // svc cuts to 300 characters, including `export to <collector>: `.
    message: /^.{1,299}$/,
  },
]

for (const { title, answer, settings = '', message } of exportCases) {
  test(title, () =>
    withCollector(answer, async (collector) => {
      const exporter = `{otlp_http: {endpoint: "${collector.url}/p?key=1"${settings}}}`
      const stderr = await sendSpanAndReadStderr(createRunWithConfig(formatDocument(exporter)))
      if (message === undefined) {
        assert.is(stderr, '')
      } else {
        const prefix = `svc: tracing shutdown: export to ${collector.url}/p: `
        assert.ok(stderr.startsWith(prefix) && stderr.endsWith('\n'), stderr)
        assert.match(stderr.slice(prefix.length, -1), message)
      }
      assert.is(collector.receivedExports.length, 1)
    }),
  )
}

test('redacts secrets in the address of a collector', () =>
  withCollector(
    (response) => response.writeHead(403).end(),
    async (collector) => {
      const document = formatDocument(
        `{otlp_http: {endpoint: "${collector.url}/$\{TOKEN}/traces"}}`,
      )
      const run = createRunWithConfig(document, { env: { TOKEN: 't0ken-value' } })
      assert.match(await sendSpanAndReadStderr(run), /\/\[redacted\]\/traces: 403 Forbidden\n$/)
      assert.is(collector.receivedExports[0]?.path, '/t0ken-value/traces')
    },
  ))

test.run()
