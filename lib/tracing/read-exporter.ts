import { validateHeaderName, validateHeaderValue } from 'node:http'
import type * as t from 'io-ts'
import { maxTimerMs } from '../failure/text/duration'
import {
  checked,
  defaultTo,
  integerFrom,
  kind,
  list,
  mapped,
  optional,
  pairList,
  section,
  text,
  word,
} from './yaml-codecs'

/** A delay in milliseconds. Longer ones than a Node timer allows are shortened to its longest. */
export const delay = mapped(integerFrom(0), (ms) => Math.min(ms, maxTimerMs))

/** A time limit in milliseconds. 0, which means no limit, becomes the longest delay of a Node timer. */
export const timeLimit = mapped(integerFrom(0), (ms) => Math.min(ms || maxTimerMs, maxTimerMs))

const findAddressFault = (address: string): string | undefined => {
  // `new URL('http:collector')` ignores that the slashes are missing and takes `collector` for the host.
  if (/^https?:(?!\/\/[^\\/?#])/i.test(address)) return 'must have a host'
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return 'must be an http or https URL'
  // `new URL` drops line breaks and tabs, and encodes other blanks and control characters.
  if (/[\s\p{Cc}]/u.test(address)) return 'must not have blanks or control characters'
  const hasCredentials = url.username !== '' || url.password !== ''
  return hasCredentials ? 'must not carry credentials: use headers' : undefined
}

/** Headers that svc sets itself, according to `encoding`, `compression` and the size of the request. */
const ownHeaders = ['content-type', 'content-encoding', 'content-length', 'transfer-encoding']

const findNameFault = (name: string): string | undefined => {
  if (ownHeaders.includes(name.toLowerCase())) return `${name} is set by svc`
  return doesThrow(() => validateHeaderName(name)) ? 'is not a valid header name' : undefined
}

const findValueFault = (value: string): string | undefined =>
  doesThrow(() => validateHeaderValue('x', value)) ? 'is not a valid header value' : undefined

const doesThrow = (run: () => void): boolean => {
  try {
    run()
    return false
  } catch {
    return true
  }
}

const header = section({
  name: checked(text, findNameFault),
  value: optional(checked(text, findValueFault)),
})

const headersList = checked(pairList, (pairs) =>
  pairs
    .map(([name, value]) => findNameFault(name) ?? findValueFault(value))
    .find((fault) => fault !== undefined),
)

const tls = checked(
  section({ ca_file: optional(text), key_file: optional(text), cert_file: optional(text) }),
  ({ key_file, cert_file }) =>
    (key_file === undefined) === (cert_file === undefined)
      ? undefined
      : 'needs both key_file and cert_file, or neither',
)

const otlpHttp = section({
  endpoint: mapped(
    defaultTo(checked(text, findAddressFault), 'http://localhost:4318/v1/traces'),
    (address) => new URL(address),
  ),
  tls,
  headers: defaultTo(list(header), []),
  headers_list: defaultTo(headersList, []),
  compression: defaultTo(word('gzip', 'none'), 'none'),
  timeout: defaultTo(timeLimit, 10_000),
  encoding: defaultTo(word('protobuf', 'json'), 'protobuf'),
})

/**
 * The settings for OTLP over HTTP, with the schema's defaults. Times are in milliseconds. Header names are in lower
 * case. A header without a value is not sent.
 */
export type OtlpSettings = Omit<t.TypeOf<typeof otlpHttp>, 'headers' | 'headers_list'> & {
  readonly headers: Readonly<Record<string, string>>
}

/** Merges `headers` and `headers_list`. If both have a name, `headers` wins. */
const mergeHeaders = (read: t.TypeOf<typeof otlpHttp>): OtlpSettings => {
  const { headers, headers_list, ...rest } = read
  const merged: Record<string, string> = {}
  for (const [name, value] of headers_list) merged[name.toLowerCase()] = value
  for (const { name, value } of headers) if (value !== undefined) merged[name.toLowerCase()] = value
  return { ...rest, headers: merged }
}

/** An `exporter` of the declarative configuration. */
export const exporter = kind({ otlp_http: mapped(otlpHttp, mergeHeaders) })
