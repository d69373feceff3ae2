import { validateHeaderName, validateHeaderValue } from 'node:http'
import * as E from 'fp-ts/Either'
import type { ExporterConfig, FileRef } from './config'
import { type Pairs, pairs } from './pairs'
import {
  type Fault,
  fault,
  integer,
  kind,
  list,
  nothing,
  or,
  type Read,
  type Reader,
  refine,
  required,
  section,
  text,
  word,
} from './reader'

/** Where the schema sends spans when a document names no endpoint. D33 */
export const defaultEndpoint = 'http://localhost:4318/v1/traces'

const file: Reader<FileRef> = refine(text, (name, path) => E.right({ file: name, path }))

const endpoint: Reader<URL> = refine(text, (address, path) => {
  // `URL` takes what follows for a host.
  if (/^https?:(?!\/\/[^\\/?#])/i.test(address)) return fault(path, 'must have a host')
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return fault(path, 'must be an http or https URL')
  }
  // `URL` drops some of them and encodes others. D55
  if (/[\s\p{Cc}]/u.test(address)) return fault(path, 'must not have blanks or control characters')
  return url.username === '' && url.password === ''
    ? E.right(url)
    : fault(path, 'must not carry credentials: use headers')
})

/** Set by the exporter itself, from `encoding` and `compression`. */
const ownHeaders = ['content-type', 'content-encoding', 'content-length', 'transfer-encoding']

const headerName: Reader<string> = refine(text, (name, path) => {
  if (ownHeaders.includes(name.toLowerCase())) return fault(path, `${name} is set by svc`)
  return valid(() => validateHeaderName(name))
    ? E.right(name)
    : fault(path, 'is not a valid header name')
})

const headerValue: Reader<string> = refine(text, (value, path) =>
  valid(() => validateHeaderValue('x', value))
    ? E.right(value)
    : fault(path, 'is not a valid header value'),
)

const valid = (check: () => void): boolean => E.isRight(E.tryCatch(check, () => undefined))

const headersList: Reader<Pairs> = (value, path) => {
  const read = refine(text, pairs)(value, path)
  if (E.isLeft(read)) return read
  for (const [name, content] of read.right) {
    const checked = E.flatMap(() => headerValue(content, path))(headerName(name, path))
    if (E.isLeft(checked)) return checked
  }
  return read
}

const otlpHttp = section({
  endpoint: or(endpoint, new URL(defaultEndpoint)),
  tls: section({
    ca_file: or(file, undefined),
    key_file: or(file, undefined),
    cert_file: or(file, undefined),
  }),
  headers: or(list(section({ name: required(headerName), value: or(headerValue, undefined) })), []),
  headers_list: or(headersList, []),
  compression: or(word('gzip', 'none'), 'none' as const),
  timeout: or(integer(0), 10_000),
  max_request_size: or(integer(1), 64 << 20),
  max_response_size: or(integer(1), 4 << 20),
  encoding: or(word('protobuf', 'json'), 'protobuf' as const),
})

const toOtlp = (read: Read<typeof otlpHttp>): E.Either<Fault, ExporterConfig> => {
  const { ca_file: ca, key_file: key, cert_file: cert } = read.tls
  if (key !== undefined && cert === undefined) return fault(key.path, 'needs cert_file as well')
  if (cert !== undefined && key === undefined) return fault(cert.path, 'needs key_file as well')
  const listed = read.headers_list.map(([name, value]) => ({ name, value }))
  const headers = [...listed, ...read.headers].flatMap(({ name, value }) =>
    value === undefined ? [] : [[name.toLowerCase(), value] as const],
  )
  return E.right({
    kind: 'otlp_http',
    endpoint: read.endpoint,
    headers: Object.fromEntries(headers),
    gzip: read.compression === 'gzip',
    timeout: read.timeout,
    encoding: read.encoding,
    maxRequestSize: read.max_request_size,
    maxResponseSize: read.max_response_size,
    tls: { ...(ca && { ca }), ...(key && { key }), ...(cert && { cert }) },
  })
}

/** A span exporter of the declarative configuration. D34 */
export const exporter: Reader<ExporterConfig> = required(
  kind({
    otlp_http: refine(otlpHttp, toOtlp),
    console: nothing<ExporterConfig>({ kind: 'console' }),
  }),
)
