import { bufferOf } from '../../codec/json/parse'
import { readRequestId } from '../../codec/response'
import { cutMessage } from '../../codec/service-errors'
import {
  apiError,
  type ConnectionFailure,
  connection,
  type Failure,
  validation,
} from '../../failure/failure'
import { transportCode } from '../../runtime/node/error-reason'
import { type Redact, redactCredentials, redacted } from '../../text/secret'
import type { ErrorResponse, FailureDetails } from '../dialects/dialect'

/** The request that failed. */
interface FailedRequest {
  readonly method: string
  /** The API path for messages. */
  readonly path: string
  readonly url: string
  /** `''` if the service has none. */
  readonly requestIdHeader: string
}

/**
 * Creates the failure for a response with an error status. Its message names the target of a redirect, else is the message of the
 * service.
 */
export const createApiFailure = (
  { method, path, url, requestIdHeader }: FailedRequest,
  response: ErrorResponse,
  { message, cause }: Pick<FailureDetails, 'message' | 'cause'>,
  redact: Redact,
): Failure => {
  const { status, header, body } = response
  // An engine in this process has no address with a host, and its 422 means that nothing was sent.
  if (status === 422 && !/^https?:/i.test(url)) return createEngineRefusal(message)
  const location = status >= 300 && status <= 399 ? header('location') : null
  return apiError({
    operation: `${method} ${path}`,
    status,
    message:
      location === null
        ? message
        : cutMessage(`redirect to ${redact(describeTarget(location, url))} is not followed`),
    requestId: readRequestId(readHeader(header, requestIdHeader), body),
    cause,
    page: describeErrorPage(response, redact),
  })
}

/** Creates the failure for a request that an engine in this process refuses: `body.questions.bug: the model was not trained for it`. */
const createEngineRefusal = (message: string): Failure => {
  const [, path = 'request', cause = message] = /^body\.(.+?): ([\s\S]*)$/.exec(message) ?? []
  return validation(path, cause.replaceAll('; body.', '; '))
}

/** Returns a header; `''` if it is absent or `name` is `''`. */
export const readHeader = (header: ErrorResponse['header'], name: string): string =>
  name === '' ? '' : (header(name) ?? '')

/** Returns the target of a redirect, with its credentials redacted. A valid target becomes an absolute URL. */
const describeTarget = (location: string, requestUrl: string): string => {
  if (!URL.canParse(location, requestUrl)) return redactCredentials(location)
  const url = new URL(location, requestUrl)
  const hasCredentials = url.username !== '' || url.password !== ''
  url.username = ''
  url.password = ''
  return hasCredentials ? url.href.replace('//', `//${redacted}@`) : url.href
}

/** The title of a page is searched for in its first 64 KiB. */
const maxSearchedBytes = 64 << 10

/**
 * Describes an HTML page, which gateways send instead of a JSON error: its title and the name of the server, in one line of at most 200
 * bytes. `undefined` if the body is not HTML.
 */
const describeErrorPage = ({ header, body }: ErrorResponse, redact: Redact): string | undefined => {
  const html = bufferOf(body.subarray(0, maxSearchedBytes)).toString()
  if (!/^[\s\ufeff]*<(?:!doctype html|html|head)/i.test(html)) return undefined
  const title = findTitle(html)
  const server = header('server')
  const page = title === '' ? 'an HTML page' : title
  return cutMessage(redact(server ? `${page} (server: ${server})` : page))
}

/** Returns the title in one line; `''` if there is none. */
const findTitle = (html: string): string => {
  const tagStart = html.search(/<title\b/i)
  const tagEnd = tagStart < 0 ? -1 : html.indexOf('>', tagStart)
  if (tagEnd < 0) return ''
  const titleEnd = html.indexOf('<', tagEnd)
  return html
    .slice(tagEnd + 1, titleEnd < 0 ? undefined : titleEnd)
    .replace(/\s+/g, ' ')
    .trim()
}

/** The advice for certificates of unknown issuers. */
const caAdvice = 'NODE_EXTRA_CA_CERTS can add a CA'

/** The texts for the error codes of Node and OpenSSL that users are likely to see. */
const causeTexts: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection reset',
    ECONNABORTED: 'connection aborted',
    EPIPE: 'connection closed while the request was sent',
    ERR_STREAM_PREMATURE_CLOSE: 'connection closed too early',
    ENOTFOUND: 'host not found',
    EAI_AGAIN: 'host not found for now: the name service does not answer',
    EAI_FAIL: 'host not found: the name service failed',
    ETIMEDOUT: 'connection attempt timed out',
    EHOSTUNREACH: 'host unreachable',
    EHOSTDOWN: 'host down',
    ENETUNREACH: 'network unreachable',
    ENETDOWN: 'network down',
    EADDRNOTAVAIL: 'address not available',
    EACCES: 'connection not permitted',
    EPERM: 'connection not permitted',
    EMFILE: 'too many open files',
    DEPTH_ZERO_SELF_SIGNED_CERT: `the certificate is self-signed; ${caAdvice}`,
    SELF_SIGNED_CERT_IN_CHAIN: `the certificate chain has a self-signed certificate; ${caAdvice}`,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the issuer of the certificate is unknown; ${caAdvice}`,
    UNABLE_TO_GET_ISSUER_CERT: `the issuer of the certificate is unknown; ${caAdvice}`,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the issuer of the certificate is unknown; ${caAdvice}`,
    CERT_UNTRUSTED: `the certificate is not trusted; ${caAdvice}`,
    CERT_HAS_EXPIRED: 'the certificate has expired',
    CERT_NOT_YET_VALID: 'the certificate is not valid yet',
    CERT_REVOKED: 'the certificate is revoked',
    ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
    EPROTO: 'TLS handshake failed',
    ERR_SSL_WRONG_VERSION_NUMBER: 'TLS handshake failed: the server does not speak TLS here',
    HPE_HEADER_OVERFLOW: 'the response headers are too large',
    [transportCode.protocolSwitch]: 'the server switched to another protocol',
  }),
)

/**
 * Turns an error of the HTTP client into a failure such as `connection refused`. The text is chosen by the code of the error.
 * The message of the error is not shown, because it may contain a URL, credentials or a key. The message of
 * an error of a proxy, or of a runtime without HTTP, is shown, because svc writes it itself. `host` is the `host:port` of the service.
 */
export const createConnectionFailure = (error: unknown, host: string): ConnectionFailure => {
  const { code, message, via } = readFields(error)
  const isOwnMessage = code === transportCode.proxy || code === transportCode.noHttp
  const cause = isOwnMessage ? message : describeCode(code, message)
  return connection(via === '' ? { cause, host } : { cause, host, proxy: via })
}

/**
 * Reads the fields of an error, which may be any value. `via` is the `host:port` of the proxy, which svc's `fetch` adds.
 * A field that is missing or not a text is `''`.
 */
const readFields = (error: unknown) => {
  const { code, message, via } = Object(error) as Record<string, unknown>
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
  return { code: textOf(code), message: textOf(message), via: textOf(via) }
}

const describeCode = (code: string, message: string): string => {
  // Node reports a connection that was lost before the response as `socket hang up`, and one that was lost in the body as `aborted`.
  // The code of both errors is ECONNRESET, so the messages are compared.
  if (message.endsWith('socket hang up')) return 'connection closed before a response came'
  if (code === 'ECONNRESET' && message === 'aborted')
    return 'connection closed before the body ended'
  const text = causeTexts.get(code)
  if (text !== undefined) return text
  if (code.startsWith('HPE_')) return 'the response is not valid HTTP'
  if (/^ERR_(SSL|TLS|OSSL)_/.test(code)) return 'TLS handshake failed'
  return code === '' ? 'request failed' : `request failed with ${code}`
}
