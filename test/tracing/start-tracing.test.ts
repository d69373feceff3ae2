// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested here
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { buildDocument } from '../../lib/tracing/load-config'
import { makeCertificate } from '../support/certificate'
import { startCollector } from './collector'
import { configure, type Stage, stage, traceWith } from './stage'

const test = suite('tracing/start-tracing')

/** Starts tracing, which must fail and trace nothing. Returns stderr. */
const failureOf = async (on: Stage): Promise<string> => {
  const tracing = await traceWith(on)
  assert.equal(tracing.tracer.start('a', {}).headers(), {})
  await tracing.shutdown()
  assert.is(on.stdout(), '')
  return on.stderr()
}

const endpoints: ReadonlyArray<readonly [given: string, sent: string]> = [
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

for (const [given, sent] of endpoints) {
  test(`OTEL_EXPORTER_OTLP_ENDPOINT=${given} sends to ${sent}`, () => {
    const [processor] =
      buildDocument({ OTEL_EXPORTER_OTLP_ENDPOINT: given }).tracer_provider?.processors ?? []
    assert.is(processor?.batch?.exporter.otlp_http?.endpoint, sent)
  })
}

const variables: ReadonlyArray<readonly [env: Readonly<Record<string, string>>, line: string]> = [
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' },
    'OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL',
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http:///' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: must have a host'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c/a b' },
    'OTEL_EXPORTER_OTLP_ENDPOINT: must not have blanks or control characters',
  ],
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

for (const [env, line] of variables) {
  test(line, async () => {
    assert.is(await failureOf(stage({ env })), `svc: tracing disabled: ${line}\n`)
  })
}

/** Invalid files. The variable SECRET has the value in the second column. */
const files: ReadonlyArray<readonly [text: string, secret: string, line: string]> = [
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

for (const [text, SECRET, line] of files) {
  test(`${text.replaceAll('\n', ' ')} with ${SECRET} — ${line}`, async () => {
    const on = configure(text, { env: { SECRET } })
    assert.is(await failureOf(on), `svc: tracing disabled: ${line}\n`)
  })
}

test('refuses a binary file, and one larger than 1 MiB', async () => {
  const binary = stage({
    env: { OTEL_CONFIG_FILE: 'f' },
    files: { f: new Uint8Array([0xff, 0xfe]) },
  })
  assert.is(await failureOf(binary), 'svc: tracing disabled: read f: not valid UTF-8\n')
  const endless = stage({ env: { OTEL_CONFIG_FILE: 'f' }, files: { f: new Uint8Array(2 << 20) } })
  assert.is(await failureOf(endless), 'svc: tracing disabled: read f: larger than 1 MiB\n')
})

test('ignores the other variables if OTEL_CONFIG_FILE is set', async () => {
  const collector = await startCollector()
  const text = `file_format: "1.0"\ntracer_provider: {processors: [{batch: {exporter: {otlp_http: {endpoint: "${collector.url}/own"}}}}]}`
  const on = configure(text, {
    env: {
      TRACING_API_KEY: 'k',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_SERVICE_NAME: 'n',
    },
  })
  try {
    const tracing = await traceWith(on)
    tracing.tracer.start('a', {}).end()
    await tracing.shutdown()
    assert.is(on.stderr(), '')
    assert.is(collector.received[0]?.path, '/own')
    assert.is(collector.received[0]?.headers['x-tracing-team'], undefined)
    assert.is.not(collector.spans()[0]?.resource['service.name'], 'n')
  } finally {
    await collector.close()
  }
})

test('accepts another minor version of 1', async () => {
  for (const version of ['1.0', '1.1', '1.1-rc.1', '1.9']) {
    const on = configure(`file_format: "${version}"`)
    await (await traceWith(on)).shutdown()
    assert.is(on.stderr(), '')
  }
})

const { cert: certificate, key } = makeCertificate()
const { key: otherKey } = makeCertificate()

const tls = (files: string, url = 'https://127.0.0.1:1') =>
  `file_format: "1.0"\ntracer_provider: {processors: [{batch: {exporter: {otlp_http: {endpoint: "${url}", tls: ${files}}}}}]}`

test('uses TLS files to verify the collector and to identify itself', async () => {
  const collector = await startCollector(undefined, {
    key,
    cert: certificate,
    ca: certificate,
    requestCert: true,
    rejectUnauthorized: true,
  })
  const pem = { 'ca.pem': certificate, 'cert.pem': certificate, 'key.pem': key }
  const send = async (names: string): Promise<string> => {
    const on = configure(tls(names, collector.url), { files: pem })
    const tracing = await traceWith(on)
    tracing.tracer.start('a', {}).end()
    await tracing.shutdown()
    return on.stderr()
  }
  try {
    assert.is(await send('{ca_file: ca.pem, cert_file: cert.pem, key_file: key.pem}'), '')
    assert.is(collector.spans().length, 1)
    assert.match(
      await send('{cert_file: cert.pem, key_file: key.pem}'),
      /: self-signed certificate/,
    )
    assert.match(await send('{ca_file: ca.pem}'), /^svc: tracing shutdown: export to /)
    assert.is(collector.spans().length, 1)
  } finally {
    await collector.close()
  }
})

const badTls: ReadonlyArray<readonly [files: string, path: string, cause: string]> = [
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

for (const [names, path, cause] of badTls) {
  test(`tls ${names}`, async () => {
    const pem = { 'cert.pem': certificate, 'key.pem': key, 'other.pem': otherKey, text: 'hello' }
    const line = `svc: tracing disabled: tls.${path}: ${cause}\n`
    assert.is(await failureOf(configure(tls(names), { files: pem })), line)
  })
}

test('warns if a header of a configuration file sends a key without encryption', async () => {
  const warned = async (endpoint: string, value: string): Promise<string> => {
    const exporter = `{otlp_http: {endpoint: "${endpoint}", headers: [{name: x, value: "${value}"}]}}`
    const on = configure(
      `{file_format: "1.0", tracer_provider: {processors: [{simple: {exporter: ${exporter}}}]}}`,
      { env: { TEAM: 'team-key' } },
    )
    const { shutdown } = await traceWith(on, { secrets: ['team-key'] })
    await shutdown()
    return on.stderr()
  }
  const line = / level=warning msg="the tracing key is sent without encryption" host=c\n$/
  assert.match(await warned('http://c:1', 'Bearer ${TEAM}'), line)
  assert.is(await warned('http://c:1', 'blue'), '')
  assert.is(await warned('https://c:1', '${TEAM}'), '')
  assert.is(await warned('http://[::1]:1', '${TEAM}'), '')
})

test.run()
