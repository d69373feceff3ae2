import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createFetch } from '../../lib/runtime/http/fetch'
import type { Fetch } from '../../lib/runtime/runtime'
import { run } from '../main/run'
import * as fc from '../support/fast-check'
import { bodyOf, httpServer } from '../support/servers'
import { checkRun, fuzz } from './rules'

const test = suite('fuzz: environment')

const service = await httpServer(async (incoming, response) => {
  await bodyOf(incoming)
  response.end('{"model":"m","answers":{},"models":[]}')
})
test.after(() => service.close())

/** Of all addresses only the service's exists. */
const fetch: Fetch = async (url, init) => {
  if (new URL(url).origin === service.url) return createFetch({})(url, init)
  throw Object.assign(new Error(url), { code: 'ENOTFOUND' })
}

const odd = fc.oneof(
  fc.constantFrom('', ' ', '\n', '0', 'debug', 'loud', 'é', 'sk-\u0000', '{', '\u2028'),
  fc.string({ unit: fc.anyCharacter, maxLength: 12 }),
)
const address = fc.oneof(
  fc.constantFrom(service.url, `${service.url}/`, `${service.url}/a//b?`, ` ${service.url}\t`),
  fc.constantFrom('http://u:p@h', 'http://[::1', 'https://', 'HTTP:///x', 'ftp://h', 'http://h:0'),
  odd.map((text) => `${service.url}/${text}`),
  odd.map((text) => `http://${text}`),
  odd,
)
const env = fc.record(
  {
    SERVICE_API_KEY: fc.oneof(fc.constant('sk-secret'), odd),
    SERVICE_BASE_URL: fc.oneof(fc.constant(service.url), address),
    SERVICE_DEFAULT_MODEL: odd,
    SERVICE_LOG_LEVEL: fc.oneof(fc.constantFrom('debug', 'info'), odd),
    TRACEPARENT: odd,
    GITHUB_STEP_SUMMARY: odd,
    COLUMNS: odd,
    NODE_ENV: odd,
  },
  { requiredKeys: [] },
)
const argv = fc.constantFrom(
  ['ask'],
  ['models'],
  ['ask', '--dry-run'],
  ['version'],
  ['--help'],
  ['review', '--dry-run'],
)
const request = '{"state":"s","questions":{"q":{"type":"noul"}}}'

test('no environment crashes svc', async () => {
  await fuzz(fc.tuple(argv, env), 600, async ([line, variables]) => {
    checkRun(await run({ argv: line, env: variables, fetch, stdin: request }))
  })
})

/** With tracing on, spans go to an exporter on the service or fail to be set up. */
const tracing = fc.record(
  {
    TRACING_API_KEY: odd,
    OTEL_EXPORTER_OTLP_ENDPOINT: fc.constantFrom(service.url, `${service.url}/v1/traces`),
    OTEL_SERVICE_NAME: odd,
    TRACEPARENT: fc.constantFrom(`00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, '00-x', ''),
    TRACESTATE: odd,
    OTEL_CONFIG_FILE: fc.constantFrom('/otel.yaml', '/missing', '/folder'),
  },
  { requiredKeys: ['OTEL_EXPORTER_OTLP_ENDPOINT'] },
)
const yaml = fc.oneof(
  odd,
  odd.map((text) => `file_format: "1.0"\ntracer_provider:\n  processors: [${text}]\n`),
  odd.map((text) => `file_format: ${text}\nresource: {attributes: \${X:-${text}}}\n`),
)

test('no environment with tracing crashes svc', async () => {
  await fuzz(fc.tuple(tracing, yaml), 120, async ([variables, text]) => {
    const own = { SERVICE_API_KEY: 'sk-secret', SERVICE_BASE_URL: service.url }
    const world = { argv: ['models'], env: { ...variables, ...own }, fetch }
    const ended = await run({ ...world, files: { '/otel.yaml': text } })
    checkRun(ended)
    assert.is(ended.code, 0)
  })
})

test.run()
