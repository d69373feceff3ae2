// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts contain references to variables
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { buildDocument } from '../../lib/tracing/load-config'
import { createCertificate } from '../support/certificate'
import { acceptAll, startCollector } from './collector'
import { formatDocument } from './documents'
import { sendOneSpan, sendSpanAndReadStderr } from './send-span'
import { createRun, createRunWithConfig, openTestTracing, type TracingRun } from './tracing-run'

const test = suite('tracing/start-tracing')

/** Starts tracing. Asserts that it is off, because a span sends no headers, and that stdout is empty. Returns stderr. */
const readStartFailure = async (run: TracingRun): Promise<string> => {
  const tracing = await openTestTracing(run)
  assert.equal(tracing.tracer.start('a', {}).headers(), {})
  await tracing.shutdown()
  assert.is(run.stdout(), '')
  return run.stderr()
}

const endpoints: ReadonlyArray<{ readonly variable: string; readonly endpoint: string }> = [
  { variable: '', endpoint: 'http://localhost:4318/v1/traces' },
  { variable: 'http://c:1', endpoint: 'http://c:1/v1/traces' },
  { variable: 'http://c:1/', endpoint: 'http://c:1/v1/traces' },
  { variable: 'http://c:1//', endpoint: 'http://c:1//v1/traces' },
  { variable: 'http://c:1/v1/traces', endpoint: 'http://c:1/v1/traces' },
  { variable: 'http://c:1/v1/traces/', endpoint: 'http://c:1/v1/traces' },
  { variable: 'http://c:1/base', endpoint: 'http://c:1/base/v1/traces' },
  { variable: 'http://c:1/base/v1/traces', endpoint: 'http://c:1/base/v1/traces' },
  { variable: 'http://c:1/v1/metrics', endpoint: 'http://c:1/v1/metrics/v1/traces' },
  { variable: 'http://c:1?team=a/b', endpoint: 'http://c:1/v1/traces?team=a/b' },
  { variable: 'http://c:1/v1/traces?team=a', endpoint: 'http://c:1/v1/traces?team=a' },
  { variable: ' http://c:1 ', endpoint: 'http://c:1/v1/traces' },
  { variable: 'http://c:1/\n', endpoint: 'http://c:1/v1/traces' },
]

for (const { variable, endpoint } of endpoints) {
  test(`OTEL_EXPORTER_OTLP_ENDPOINT=${variable} sends to ${endpoint}`, () => {
    const document = buildDocument({ OTEL_EXPORTER_OTLP_ENDPOINT: variable })
    const [processor] = document.tracer_provider.processors
    assert.is(processor?.batch.exporter.otlp_http.endpoint, endpoint)
  })
}

test('drops the final newline of TRACING_API_KEY', () => {
  const [processor] = buildDocument({ TRACING_API_KEY: 'team-key\n' }).tracer_provider.processors
  const headers = [{ name: 'x-tracing-team', value: 'team-key' }]
  assert.equal(processor?.batch.exporter.otlp_http, {
    endpoint: 'http://localhost:4318/v1/traces',
    headers,
  })
})

/** Invalid variables, and the messages about them. `document-faults.test.ts` has the other faults of an endpoint. */
const invalidVariables: ReadonlyArray<{
  readonly env: Readonly<Record<string, string>>
  readonly message: string
}> = [
  {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http:///' },
    message: 'OTEL_EXPORTER_OTLP_ENDPOINT: must have a host',
  },
  {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:pass@c' },
    message: 'OTEL_EXPORTER_OTLP_ENDPOINT: must not carry credentials: use headers',
  },
  {
    env: { TRACING_API_KEY: 'team\nkey' },
    message: 'TRACING_API_KEY: is not a valid header value',
  },
  {
    env: { OTEL_RESOURCE_ATTRIBUTES: 'a', TRACING_API_KEY: 'k' },
    message: 'OTEL_RESOURCE_ATTRIBUTES: entry 1 must be key=value, percent-encoded',
  },
  { env: { OTEL_CONFIG_FILE: 'none.yaml' }, message: 'read none.yaml: no such file or directory' },
]

for (const { env, message } of invalidVariables) {
  test(`disables tracing with the message '${message}'`, async () => {
    assert.is(await readStartFailure(createRun({ env })), `svc: tracing disabled: ${message}\n`)
  })
}

/** A configuration file with a fault, and the message about it. */
interface InvalidFile {
  readonly text: string
  /** The value of the variable SECRET, which no message may repeat. */
  readonly secret?: string
  readonly message: string
}

const invalidFiles: ReadonlyArray<InvalidFile> = [
  { text: '', message: 'otel.yaml: invalid YAML: expected a document, but the input is empty' },
  {
    text: 'a: "x',
    message:
      'otel.yaml: invalid YAML at line 1, column 6: unexpected end of the stream within a double quoted scalar',
  },
  {
    text: 'file_format: "1.0"\na: *${SECRET}',
    secret: 's3cr3t-k3y',
    message: 'otel.yaml: invalid YAML at line 2, column 5: unidentified alias',
  },
  {
    text: 'file_format: "1.0"\na: ${SECRET}',
    secret: '{a: *first-part, b: c}',
    message: 'otel.yaml: invalid YAML at line 2, column 9: unidentified alias',
  },
  {
    text: 'file_format: "1.0"\na: ${SECRET}',
    secret: '!tag-of-key x',
    message: 'otel.yaml: invalid YAML at line 2, column 4: unknown scalar tag !',
  },
  {
    text: 'file_format: "1.0"\n${SECRET}: 1',
    secret: 's3cr3t-k3y',
    message: '[redacted]: is not supported',
  },
  { text: 'file_format: "1.0"\na: ${1X}', message: 'otel.yaml: line 2: invalid reference ${1X}' },
  {
    text: formatDocument('{otlp_http: {tls: {ca_file: ${SECRET}}}}'),
    secret: '/secret/path',
    message: 'tls.ca_file: read [redacted]: no such file or directory',
  },
]

for (const { text, secret = '', message } of invalidFiles) {
  const title = `${text.replaceAll('\n', ' ')} with SECRET=${secret}`
  test(`disables tracing for the file ${title}`, async () => {
    const run = createRunWithConfig(text, { env: { SECRET: secret } })
    assert.is(await readStartFailure(run), `svc: tracing disabled: ${message}\n`)
  })
}

/** Starts tracing with a configuration file `f` of these bytes. Returns stderr. */
const readFileFailure = (bytes: Uint8Array): Promise<string> =>
  readStartFailure(createRun({ env: { OTEL_CONFIG_FILE: 'f' }, files: { f: bytes } }))

test('refuses a file that is not UTF-8', async () => {
  const stderr = await readFileFailure(new Uint8Array([0xff, 0xfe]))
  assert.is(stderr, 'svc: tracing disabled: read f: not valid UTF-8\n')
})

test('refuses a file larger than 1 MiB', async () => {
  const stderr = await readFileFailure(new Uint8Array((1 << 20) + 1))
  assert.is(stderr, 'svc: tracing disabled: read f: larger than 1 MiB\n')
})

test('ignores the other variables if OTEL_CONFIG_FILE is set', async () => {
  const collector = await startCollector()
  const document = formatDocument(`{otlp_http: {endpoint: "${collector.url}/from-file"}}`)
  const run = createRunWithConfig(document, {
    env: {
      TRACING_API_KEY: 'k',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_SERVICE_NAME: 'n',
    },
  })
  try {
    await sendOneSpan(run)
    assert.is(collector.receivedExports[0]?.path, '/from-file')
    assert.is(collector.receivedExports[0]?.headers['x-tracing-team'], undefined)
    assert.is.not(collector.spans()[0]?.resource['service.name'], 'n')
  } finally {
    await collector.close()
  }
})

const { cert: certificate, key } = createCertificate()
const { key: otherKey } = createCertificate()

/** Formats a document whose exporter uses TLS files. `tlsFiles` is YAML. */
const formatTlsDocument = (tlsFiles: string, url = 'https://127.0.0.1:1') =>
  formatDocument(`{otlp_http: {endpoint: "${url}", tls: ${tlsFiles}}}`)

/** Sends a span with these TLS files to a collector that requires a certificate of its clients. */
const sendOverTls = async (
  tlsFiles: string,
): Promise<{ readonly stderr: string; readonly spanCount: number }> => {
  const collector = await startCollector(acceptAll, {
    key,
    cert: certificate,
    ca: certificate,
    requestCert: true,
    rejectUnauthorized: true,
  })
  const files = { 'ca.pem': certificate, 'cert.pem': certificate, 'key.pem': key }
  try {
    const document = formatTlsDocument(tlsFiles, collector.url)
    const stderr = await sendSpanAndReadStderr(createRunWithConfig(document, { files }))
    return { stderr, spanCount: collector.spans().length }
  } finally {
    await collector.close()
  }
}

test('verifies the collector and identifies itself with TLS files', async () => {
  const tlsFiles = '{ca_file: ca.pem, cert_file: cert.pem, key_file: key.pem}'
  assert.equal(await sendOverTls(tlsFiles), { stderr: '', spanCount: 1 })
})

test('sends nothing to a collector whose certificate it cannot verify', async () => {
  const { stderr, spanCount } = await sendOverTls('{cert_file: cert.pem, key_file: key.pem}')
  assert.match(stderr, /: self-signed certificate/)
  assert.is(spanCount, 0)
})

test('reports a collector that refuses svc because it has no certificate', async () => {
  const { stderr, spanCount } = await sendOverTls('{ca_file: ca.pem}')
  assert.match(stderr, /^svc: tracing shutdown: export to /)
  assert.is(spanCount, 0)
})

const invalidTlsFiles: ReadonlyArray<{ readonly tlsFiles: string; readonly message: string }> = [
  { tlsFiles: '{ca_file: none}', message: 'tls.ca_file: read none: no such file or directory' },
  {
    tlsFiles: '{ca_file: key.pem}',
    message: 'tls.ca_file: key.pem is not a PEM file of the right kind',
  },
  { tlsFiles: '{ca_file: large.pem}', message: 'tls.ca_file: read large.pem: larger than 4 MiB' },
  {
    tlsFiles: '{cert_file: text, key_file: key.pem}',
    message: 'tls.cert_file: text is not a PEM file of the right kind',
  },
  {
    tlsFiles: '{cert_file: cert.pem, key_file: text}',
    message: 'tls.key_file: text is not a PEM file of the right kind',
  },
  {
    tlsFiles: '{cert_file: cert.pem, key_file: other.pem}',
    message: 'tls.key_file: does not belong to the certificate of cert_file',
  },
]

for (const { tlsFiles, message } of invalidTlsFiles) {
  test(`disables tracing with the TLS files ${tlsFiles}`, async () => {
    const pemFiles = {
      'cert.pem': certificate,
      'key.pem': key,
      'other.pem': otherKey,
      // Text between the blocks of a PEM file is allowed.
      'large.pem': `${certificate}${'#'.repeat(4 << 20)}\n`,
      text: 'hello',
    }
    const run = createRunWithConfig(formatTlsDocument(tlsFiles), { files: pemFiles })
    assert.is(await readStartFailure(run), `svc: tracing disabled: ${message}\n`)
  })
}

/** Starts tracing with a header, and with the API key `team-key` in the variable TEAM. Returns stderr. */
const startWithHeader = async (endpoint: string, value: string): Promise<string> => {
  const headers = `[{name: x, value: "${value}"}]`
  const document = formatDocument(`{otlp_http: {endpoint: "${endpoint}", headers: ${headers}}}`)
  const run = createRunWithConfig(document, { env: { TEAM: 'team-key' } })
  const tracing = await openTestTracing(run, { secrets: ['team-key'] })
  await tracing.shutdown()
  return run.stderr()
}

test('warns if a header of a configuration file sends a key without encryption', async () => {
  assert.match(
    await startWithHeader('http://c:1', 'Bearer ${TEAM}'),
    / level=warning msg="the tracing key is sent without encryption" host=c\n$/,
  )
})

test('does not warn about a header without a key, about HTTPS, or about this machine', async () => {
  assert.is(await startWithHeader('http://c:1', 'blue'), '')
  assert.is(await startWithHeader('https://c:1', '${TEAM}'), '')
  assert.is(await startWithHeader('http://[::1]:1', '${TEAM}'), '')
})

test.run()
