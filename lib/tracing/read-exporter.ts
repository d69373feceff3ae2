import { validateHeaderName, validateHeaderValue } from 'node:http'
import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { withDefault } from '../codec/combinators'
import { type Loc, locOf } from '../codec/fault'
import {
  bare,
  check,
  integer,
  keyValueList,
  kind,
  list,
  map,
  type Part,
  refine,
  rejectPart,
  section,
  text,
  timeLimit,
  word,
} from './yaml-parts'

/** A file name in a document, and its place in the document. */
export interface FileRef {
  readonly file: string
  readonly loc: Loc
}

const file: Part<FileRef> = refine(text, (name, context) =>
  t.success({ file: name, loc: locOf(context) }),
)

const faultOfAddress = (address: string): string | undefined => {
  // `new URL('http:collector')` ignores that the slashes are missing and takes `collector` for the host.
  if (/^https?:(?!\/\/[^\\/?#])/i.test(address)) return 'must have a host'
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return 'must be an http or https URL'
  // `new URL` drops line breaks and tabs, and encodes other blanks and control characters. D55
  if (/[\s\p{Cc}]/u.test(address)) return 'must not have blanks or control characters'
  return url.username === '' && url.password === ''
    ? undefined
    : 'must not carry credentials: use headers'
}

const endpoint: Part<URL> = map(check(text, faultOfAddress), (address) => new URL(address))

/** Headers that svc sets itself, according to `encoding`, `compression` and the size of the request. */
const ownHeaders = ['content-type', 'content-encoding', 'content-length', 'transfer-encoding']

/** What is wrong with the name of a header; `undefined` where nothing is. */
const faultOfName = (name: string): string | undefined => {
  if (ownHeaders.includes(name.toLowerCase())) return `${name} is set by svc`
  return doesThrow(() => validateHeaderName(name)) ? 'is not a valid header name' : undefined
}

const faultOfValue = (value: string): string | undefined =>
  doesThrow(() => validateHeaderValue('x', value)) ? 'is not a valid header value' : undefined

const doesThrow = (run: () => void): boolean => E.isLeft(E.tryCatch(run, () => undefined))

const headers = list(
  section({ name: check(text, faultOfName) }, { value: check(text, faultOfValue) }),
)

const headersList = check(keyValueList, (pairs) =>
  pairs
    .map(([name, value]) => faultOfName(name) ?? faultOfValue(value))
    .find((fault) => fault !== undefined),
)

const tls = refine(
  section({}, { ca_file: file, key_file: file, cert_file: file }),
  (files, context) => {
    const { key_file: key, cert_file: cert } = files
    const lacking = (name: string, other: string) =>
      rejectPart(name, t.appendContext(context, name, file), `needs ${other} as well`)
    if (key !== undefined && cert === undefined) return lacking('key_file', 'cert_file')
    if (cert !== undefined && key === undefined) return lacking('cert_file', 'key_file')
    return t.success(files)
  },
)

const otlpHttp = section(
  {
    endpoint: withDefault(endpoint, new URL('http://localhost:4318/v1/traces')),
    tls,
    headers: withDefault(headers, []),
    headers_list: withDefault(headersList, []),
    compression: withDefault(word('gzip', 'none'), 'none'),
    timeout: withDefault(timeLimit, 10_000),
    max_request_size: withDefault(integer(1), 64 << 20),
    max_response_size: withDefault(integer(1), 4 << 20),
    encoding: withDefault(word('protobuf', 'json'), 'protobuf'),
  },
  {},
)

/**
 * The settings for OTLP/HTTP, with the schema's defaults. Times are in milliseconds and sizes in bytes; the
 * size of a request is measured after compression. Header names are in lower case.
 */
export type OtlpSettings = Omit<t.TypeOf<typeof otlpHttp>, 'headers' | 'headers_list'> & {
  readonly kind: 'otlp_http'
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Merges `headers` and `headers_list`. Where both have a name, `headers` wins; a header without a value is not
 * sent.
 */
const mergeHeaders = ({
  headers,
  headers_list: listed,
  ...rest
}: t.TypeOf<typeof otlpHttp>): OtlpSettings => {
  const own = headers.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const all = [...listed, ...own].map(([name, value]) => [name.toLowerCase(), value] as const)
  return { kind: 'otlp_http', ...rest, headers: Object.fromEntries(all) }
}

/** Reads an `exporter` of the declarative configuration. D34 */
export const exporter = kind({
  otlp_http: map(otlpHttp, mergeHeaders),
  console: bare({ kind: 'console' as const }),
})

/** Where spans are sent: to a collector, or to standard error. */
export type Exporter = t.TypeOf<typeof exporter>
