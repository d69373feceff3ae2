// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested here
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { buildDocument } from '../../lib/tracing/load-config'
import { createCertificate } from '../support/certificate'
import { startCollector } from './collector'
import { formatDocument } from './documents'
import { createRun, createRunWithConfig, openTestTracing, type TracingRun } from './tracing-run'

const test = suite('tracing/start-tracing')

/** Starts tracing and checks that it is off. Returns stderr. */
const readStartFailure = async (run: TracingRun): Promise<string> => {
  const tracing = await openTestTracing(run)
  assert.equal(tracing.tracer.start('a', {}).headers(), {})
  await tracing.shutdown()
  assert.is(run.stdout(), '')
  return run.stderr()
}

const endpoints: ReadonlyArray<readonly [variable: string, endpoint: string]> = [
  ['', 'http://localhost:4318/v1/traces'],
  ['http://c:1', 'http://c:1/v1/traces'],
  ['http://c:1/', 'http://c:1/v1/traces'],
  ['http://c:1//', 'http://c:1//v1/traces'],
  ['http://c:1/v1/traces', 'http://c:1/v1/traces'],
  ['http://c:1/v1/traces/', 'http://c:1/v1/traces'],
  ['http://c:1/base', 'http://c:1/base/v1/traces'],
  ['http://c:1/base/v1/traces', 'http://c:1/base/v1/traces'],
  ['http://c:1/v1/metrics', 'http://c:1/v1/metrics/v1/traces'],
]

for (const [variable, endpoint] of endpoints) {
  test(`OTEL_EXPORTER_OTLP_ENDPOINT=${variable} sends to ${endpoint}`, () => {
    const document = buildDocument({ OTEL_EXPORTER_OTLP_ENDPOINT: variable })
    const [processor] = document.tracer_provider.processors
    assert.is(processor?.batch.exporter.otlp_http.endpoint, endpoint)
  })
}

/** Invalid variables, and the messages about them. `document-faults.test.ts` has the other faults of an endpoint. */
const invalidVariables: ReadonlyArray<
  readonly [env: Readonly<Record<string, string>>, message: string]
> = [
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http:///' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: must have a host'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:pass@c' },
    'OTEL_EXPORTER_OTLP_ENDPOINT: must not carry credentials: use headers',
  ],
  [{ TRACING_API_KEY: 'team\nkey' }, 'TRACING_API_KEY: is not a valid header value'],
  [
    { OTEL_RESOURCE_ATTRIBUTES: 'a', TRACING_API_KEY: 'k' },
    'OTEL_RESOURCE_ATTRIBUTES: entry 1 must be key=value, percent-encoded',
  ],
  [{ OTEL_CONFIG_FILE: 'none.yaml' }, 'read none.yaml: no such file or directory'],
]

for (const [env, message] of invalidVariables) {
  test(`disables tracing with the message '${message}'`, async () => {
    assert.is(await readStartFailure(createRun({ env })), `svc: tracing disabled: ${message}\n`)
  })
}

/** Invalid configuration files, and the messages about them. `secret` is the value of the variable SECRET. */
const invalidFiles: ReadonlyArray<readonly [text: string, secret: string, message: string]> = [
  ['', '', 'otel.yaml: invalid YAML: expected a document, but the input is empty'],
  [
    'a: "x',
    '',
    'otel.yaml: invalid YAML at line 1, column 6: unexpected end of the stream within a double quoted scalar',
  ],
  [
    'file_format: "1.0"\na: *${SECRET}',
    's3cr3t-k3y',
    'otel.yaml: invalid YAML at line 2, column 5: unidentified alias',
  ],
  [
    'file_format: "1.0"\na: ${SECRET}',
    '{a: *first-part, b: c}',
    'otel.yaml: invalid YAML at line 2, column 9: unidentified alias',
  ],
  [
    'file_format: "1.0"\na: ${SECRET}',
    '!tag-of-key x',
    'otel.yaml: invalid YAML at line 2, column 4: unknown scalar tag !',
  ],
  ['file_format: "1.0"\n${SECRET}: 1', 's3cr3t-k3y', '[redacted]: is not supported'],
  ['file_format: "1.0"\na: ${1X}', '', 'otel.yaml: line 2: invalid reference ${1X}'],
  [
    'file_format: "1.0"\ntracer_provider: {processors: [{simple: {exporter: {otlp_http: {tls: {ca_file: ${SECRET}}}}}}]}',
    '/secret/path',
    'tls.ca_file: read [redacted]: no such file or directory',
  ],
]

for (const [text, secret, message] of invalidFiles) {
  const title = `${text.replaceAll('\n', ' ')} with SECRET=${secret}`
  test(`disables tracing for the file ${title}`, async () => {
    const run = createRunWithConfig(text, { env: { SECRET: secret } })
    assert.is(await readStartFailure(run), `svc: tracing disabled: ${message}\n`)
  })
}

test('refuses a file that is not UTF-8, and one larger than 1 MiB', async () => {
  const binary = createRun({
    env: { OTEL_CONFIG_FILE: 'f' },
    files: { f: new Uint8Array([0xff, 0xfe]) },
  })
  assert.is(await readStartFailure(binary), 'svc: tracing disabled: read f: not valid UTF-8\n')
  const tooLarge = createRun({
    env: { OTEL_CONFIG_FILE: 'f' },
    files: { f: new Uint8Array(2 << 20) },
  })
  assert.is(await readStartFailure(tooLarge), 'svc: tracing disabled: read f: larger than 1 MiB\n')
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
    const tracing = await openTestTracing(run)
    tracing.tracer.start('a', {}).end()
    await tracing.shutdown()
    assert.is(run.stderr(), '')
    assert.is(collector.received[0]?.path, '/from-file')
    assert.is(collector.received[0]?.headers['x-tracing-team'], undefined)
    assert.is.not(collector.spans()[0]?.resource['service.name'], 'n')
  } finally {
    await collector.close()
  }
})

const { cert: certificate, key } = createCertificate()
const { key: otherKey } = createCertificate()

/** A document whose exporter uses these TLS files, in YAML. */
const formatTlsDocument = (tlsFiles: string, url = 'https://127.0.0.1:1') =>
  formatDocument(`{otlp_http: {endpoint: "${url}", tls: ${tlsFiles}}}`)

test('uses TLS files to verify the collector and to identify itself', async () => {
  const collector = await startCollector(undefined, {
    key,
    cert: certificate,
    ca: certificate,
    requestCert: true,
    rejectUnauthorized: true,
  })
  const pemFiles = { 'ca.pem': certificate, 'cert.pem': certificate, 'key.pem': key }
  const sendWith = async (tlsFiles: string): Promise<string> => {
    const run = createRunWithConfig(formatTlsDocument(tlsFiles, collector.url), { files: pemFiles })
    const tracing = await openTestTracing(run)
    tracing.tracer.start('a', {}).end()
    await tracing.shutdown()
    return run.stderr()
  }
  try {
    assert.is(await sendWith('{ca_file: ca.pem, cert_file: cert.pem, key_file: key.pem}'), '')
    assert.is(collector.spans().length, 1)
    assert.match(
      await sendWith('{cert_file: cert.pem, key_file: key.pem}'),
      /: self-signed certificate/,
    )
    assert.match(await sendWith('{ca_file: ca.pem}'), /^svc: tracing shutdown: export to /)
    assert.is(collector.spans().length, 1)
  } finally {
    await collector.close()
  }
})

const invalidTls: ReadonlyArray<readonly [tlsFiles: string, path: string, cause: string]> = [
  ['{ca_file: none}', 'ca_file', 'read none: no such file or directory'],
  ['{ca_file: key.pem}', 'ca_file', 'key.pem is not a PEM file of the right kind'],
  ['{cert_file: text, key_file: key.pem}', 'cert_file', 'text is not a PEM file of the right kind'],
  ['{cert_file: cert.pem, key_file: text}', 'key_file', 'text is not a PEM file of the right kind'],
  [
    '{cert_file: cert.pem, key_file: other.pem}',
    'key_file',
    'does not belong to the certificate of cert_file',
  ],
]

for (const [tlsFiles, path, cause] of invalidTls) {
  test(`disables tracing with the TLS files ${tlsFiles}`, async () => {
    const pemFiles = {
      'cert.pem': certificate,
      'key.pem': key,
      'other.pem': otherKey,
      text: 'hello',
    }
    const run = createRunWithConfig(formatTlsDocument(tlsFiles), { files: pemFiles })
    assert.is(await readStartFailure(run), `svc: tracing disabled: tls.${path}: ${cause}\n`)
  })
}

test('warns if a header of a configuration file sends a key without encryption', async () => {
  const startWith = async (endpoint: string, header: string): Promise<string> => {
    const headers = `[{name: x, value: "${header}"}]`
    const document = formatDocument(`{otlp_http: {endpoint: "${endpoint}", headers: ${headers}}}`)
    const run = createRunWithConfig(document, { env: { TEAM: 'team-key' } })
    const tracing = await openTestTracing(run, { secrets: ['team-key'] })
    await tracing.shutdown()
    return run.stderr()
  }
  const warning = / level=warning msg="the tracing key is sent without encryption" host=c\n$/
  assert.match(await startWith('http://c:1', 'Bearer ${TEAM}'), warning)
  assert.is(await startWith('http://c:1', 'blue'), '')
  assert.is(await startWith('https://c:1', '${TEAM}'), '')
  assert.is(await startWith('http://[::1]:1', '${TEAM}'), '')
})

test.run()
