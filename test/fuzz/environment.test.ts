import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createFetch } from '../../lib/runtime/http/fetch'
import type { Fetch } from '../../lib/runtime/runtime'
import { runMain } from '../main/run-main'
import * as fc from '../support/fast-check'
import { readRequestBody, startHttpServer } from '../support/servers'
import { assertDocumentRun } from './check-run'
import { fuzz } from './fuzz'

const test = suite('fuzz: environment')

const service = await startHttpServer(async (incoming, response) => {
  await readRequestBody(incoming)
  response.end('{"model":"m","answers":{},"models":[]}')
})
test.after(() => service.close())

/** Reaches only the server of this test. Any other host name fails to resolve. */
const fetch: Fetch = async (url, init) => {
  if (new URL(url).origin === service.url) return createFetch({})(url, init)
  throw Object.assign(new Error(url), { code: 'ENOTFOUND' })
}

const oddText = fc.oneof(
  fc.constantFrom('', ' ', '\n', '0', 'debug', 'loud', 'é', 'sk-\u0000', '{', '\u2028'),
  fc.string({ unit: fc.anyCharacter, maxLength: 12 }),
)
const baseUrl = fc.oneof(
  fc.constantFrom(service.url, `${service.url}/`, `${service.url}/a//b?`, ` ${service.url}\t`),
  fc.constantFrom('http://u:p@h', 'http://[::1', 'https://', 'HTTP:///x', 'ftp://h', 'http://h:0'),
  oddText.map((text) => `${service.url}/${text}`),
  oddText.map((text) => `http://${text}`),
  oddText,
)
const environment = fc.record(
  {
    SERVICE_API_KEY: fc.oneof(fc.constant('sk-secret'), oddText),
    SERVICE_BASE_URL: fc.oneof(fc.constant(service.url), baseUrl),
    SERVICE_DEFAULT_MODEL: oddText,
    SERVICE_LOG_LEVEL: fc.oneof(fc.constantFrom('debug', 'info'), oddText),
    TRACEPARENT: oddText,
    GITHUB_STEP_SUMMARY: oddText,
    COLUMNS: oddText,
    NODE_ENV: oddText,
  },
  { requiredKeys: [] },
)

test('no environment crashes svc', async () => {
  const commandLine = fc.constantFrom(
    ['ask'],
    ['models'],
    ['ask', '--dry-run'],
    ['version'],
    ['--help'],
    ['review', '--dry-run'],
  )
  const stdin = '{"state":"s","questions":{"q":{"type":"noul"}}}'
  await fuzz(fc.tuple(commandLine, environment), { inputCount: 600 }, async ([argv, env]) => {
    assertDocumentRun(await runMain({ argv, env, fetch, stdin }))
  })
})

/** Variables that turn tracing on. Spans are sent to the server of this test. */
const tracingVariables = fc.record(
  {
    TRACING_API_KEY: oddText,
    OTEL_EXPORTER_OTLP_ENDPOINT: fc.constantFrom(service.url, `${service.url}/v1/traces`),
    OTEL_SERVICE_NAME: oddText,
    TRACEPARENT: fc.constantFrom(`00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, '00-x', ''),
    TRACESTATE: oddText,
    OTEL_CONFIG_FILE: fc.constantFrom('/otel.yaml', '/missing', '/folder'),
  },
  { requiredKeys: ['OTEL_EXPORTER_OTLP_ENDPOINT'] },
)
const tracingConfig = fc.oneof(
  oddText,
  oddText.map((text) => `file_format: "1.0"\ntracer_provider:\n  processors: [${text}]\n`),
  oddText.map((text) => `file_format: ${text}\nresource: {attributes: \${X:-${text}}}\n`),
)

test('no tracing configuration makes a call fail', async () => {
  await fuzz(
    fc.tuple(tracingVariables, tracingConfig),
    { inputCount: 120 },
    async ([variables, yaml]) => {
      const env = { ...variables, SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }
      const files = { '/otel.yaml': yaml }
      const result = await runMain({ argv: ['models'], env, fetch, files })
      assertDocumentRun(result)
      assert.is(result.code, 0)
    },
  )
})

test.run()
