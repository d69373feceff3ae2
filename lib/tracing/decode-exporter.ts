import { validateHeaderName, validateHeaderValue } from 'node:http'
import type * as t from 'io-ts'
import { maxTimerMs } from '../text/duration'
import * as yaml from './yaml-codecs'

/** A delay in milliseconds. A delay over 24.8 days becomes 24.8 days, the maximum of a Node timer. */
export const delayMs = yaml.convert(yaml.integerFrom(0), (ms) => Math.min(ms, maxTimerMs))

/** A time limit in milliseconds. 0, which means no limit, becomes 24.8 days, the maximum of a Node timer. So does a longer limit. */
export const timeLimitMs = yaml.convert(yaml.integerFrom(0), (ms) =>
  Math.min(ms || maxTimerMs, maxTimerMs),
)

/** Describes why an address cannot be the endpoint of a collector. Returns `undefined` if it can. */
const describeAddressFault = (address: string): string | undefined => {
  // `new URL('http:collector')` ignores that the slashes are missing and takes `collector` for the host.
  if (/^https?:(?!\/\/[^\\/?#])/i.test(address)) return 'must have a host'
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return 'must be an http or https URL'
  // `new URL` drops line breaks and tabs, and encodes other white space and control characters.
  if (/[\s\p{Cc}]/u.test(address)) return 'must not have blanks or control characters'
  const hasCredentials = url.username !== '' || url.password !== ''
  return hasCredentials ? 'must not carry credentials: use headers' : undefined
}

/** Headers that svc sets itself, according to `encoding`, `compression` and the size of the request. */
const reservedHeaders = ['content-type', 'content-encoding', 'content-length', 'transfer-encoding']

const describeHeaderNameFault = (name: string): string | undefined => {
  if (reservedHeaders.includes(name.toLowerCase())) return `${name} is set by svc`
  return doesThrow(() => validateHeaderName(name)) ? 'is not a valid header name' : undefined
}

const describeHeaderValueFault = (value: string): string | undefined =>
  doesThrow(() => validateHeaderValue('x', value)) ? 'is not a valid header value' : undefined

const doesThrow = (run: () => void): boolean => {
  try {
    run()
    return false
  } catch {
    return true
  }
}

const header = yaml.section({
  name: yaml.check(yaml.text, describeHeaderNameFault),
  value: yaml.optional(yaml.check(yaml.text, describeHeaderValueFault)),
})

const headersList = yaml.check(yaml.pairList, (pairs) => {
  const faults = pairs.map(
    ([name, value]) => describeHeaderNameFault(name) ?? describeHeaderValueFault(value),
  )
  return faults.find((fault) => fault !== undefined)
})

/** The paths of the PEM files for TLS: the certificate authority, and the key and certificate of the client. */
const tls = yaml.check(
  yaml.section({
    ca_file: yaml.optional(yaml.text),
    key_file: yaml.optional(yaml.text),
    cert_file: yaml.optional(yaml.text),
  }),
  ({ key_file, cert_file }) =>
    (key_file === undefined) === (cert_file === undefined)
      ? undefined
      : 'needs both key_file and cert_file, or neither',
)

const otlpHttp = yaml.section({
  endpoint: yaml.convert(
    yaml.defaultTo(yaml.check(yaml.text, describeAddressFault), 'http://localhost:4318/v1/traces'),
    (address) => new URL(address),
  ),
  tls,
  headers: yaml.defaultTo(yaml.list(header), []),
  headers_list: yaml.defaultTo(headersList, []),
  compression: yaml.defaultTo(yaml.keyword('gzip', 'none'), 'none'),
  timeout: yaml.defaultTo(timeLimitMs, 10_000),
  encoding: yaml.defaultTo(yaml.keyword('protobuf', 'json'), 'protobuf'),
})

/**
 * The settings for OTLP over HTTP, with the schema's defaults. `timeout` is in milliseconds. Header names are in lower case.
 * `headers` has no headers without a value, which svc does not send.
 */
export type OtlpSettings = Omit<t.TypeOf<typeof otlpHttp>, 'headers' | 'headers_list'> & {
  readonly headers: Readonly<Record<string, string>>
}

/** Merges `headers` and `headers_list`. A header in `headers` overrides one of the same name in `headers_list`. */
const mergeHeaders = (decoded: t.TypeOf<typeof otlpHttp>): OtlpSettings => {
  const { headers, headers_list, ...settings } = decoded
  const merged: Record<string, string> = {}
  for (const [name, value] of headers_list) merged[name.toLowerCase()] = value
  for (const { name, value } of headers) if (value !== undefined) merged[name.toLowerCase()] = value
  return { ...settings, headers: merged }
}

/** An `exporter` of the declarative configuration. */
export const exporter = yaml.oneKind({ otlp_http: yaml.convert(otlpHttp, mergeHeaders) })
