import { Readable } from 'node:stream'
import * as E from 'fp-ts/Either'
import { maxDocumentBytes } from '../../codec/json/parse'
import {
  connection,
  type Failure,
  interrupted,
  invalidResponse,
  usage,
} from '../../failure/failure'
import { codeOf, transportCode } from '../../runtime/node/error-reason'
import type { Clock, FetchInit, FetchResponse, Runtime } from '../../runtime/runtime'
import { type Duration, formatDuration, toMillis } from '../../text/duration'
import { Deadline } from './deadline'
import { createConnectionFailure } from './failures'

/** The maximum sizes of a response body, in bytes. */
interface MaxBodyBytes {
  /** For a 2xx response. */
  readonly success: number
  /** For any other response. */
  readonly error: number
}

/**
 * The maximum time for reading the body of a response that is not 2xx, so that a stalled body does not delay the report of the status.
 * `SendOptions.timeout` may end it earlier.
 */
const maxErrorBodyMs = 10_000

/** An HTTP request, with the API key in its headers. */
export interface HttpRequest extends Omit<FetchInit, 'cancellation'> {
  readonly url: string
  /** 16 MiB for every response by default. */
  readonly maxBodyBytes?: MaxBodyBytes
}

/** The status and headers of a response. */
export type ResponseHead = Pick<FetchResponse, 'status' | 'header'>

/** Returns `true` for a status of 2xx. */
export const isSuccess = ({ status }: ResponseHead): boolean => status >= 200 && status <= 299

/** A complete response with any status. */
export interface HttpResponse extends ResponseHead {
  /** The body, after decompression. */
  readonly body: Uint8Array
  /**
   * `true` if the response had neither a length nor chunks, so that the end of the connection ended the body. Such a body may be
   * truncated.
   */
  readonly endsWithConnection: boolean
}

/** A request without a complete response. */
export interface TransportFailure {
  readonly failure: Failure
  /** Status and headers, if they were received. */
  readonly head?: ResponseHead
  /** The exception of the HTTP client. */
  readonly error?: unknown
}

/** The network, and the time limit and the signal that end a request early. */
export interface SendOptions {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock'>
  /** The time for connection, headers and body together, in nanoseconds; 0 for no limit. */
  readonly timeout: Duration
  /** Aborts the request, which then fails as interrupted. */
  readonly signal?: AbortSignal | undefined
}

/** Sends a request once and reads the complete response. Does not follow redirects. Never rejects. */
export const send = async (
  request: HttpRequest,
  options: SendOptions,
): Promise<E.Either<TransportFailure, HttpResponse>> => {
  const { url, method, headers, body: requestBody, keepAlive } = request
  const { runtime, timeout, signal } = options
  if (signal?.aborted) return E.left({ failure: interrupted })
  const deadline = new Deadline(runtime.clock, signal, toMillis(timeout))
  let head: FetchResponse | undefined
  let body: Uint8Array | undefined
  try {
    const init = { method, headers, body: requestBody, keepAlive, cancellation: deadline }
    head = await runtime.fetch(url, init)
    const maxBytes = selectMaxBytes(request, head)
    body = await (isSuccess(head)
      ? readBody(head.body, maxBytes)
      : readErrorBody(head.body, maxBytes, deadline, runtime.clock))
    if (body === undefined) return E.left({ failure: createTooLargeFailure(maxBytes), head })
    const { status, header, endsWithConnection = false } = head
    return E.right({ status, header, body, endsWithConnection })
  } catch (error) {
    const { host } = new URL(url)
    if (signal?.aborted) return E.left({ failure: interrupted, head })
    const failure = deadline.isExpired()
      ? createTimeoutFailure(timeout, host, head)
      : createExceptionFailure(error, host, head)
    return E.left({ failure, head, error })
  } finally {
    // Without a complete body, the connection must be closed.
    if (body === undefined) deadline.abort()
    else deadline.stop()
  }
}

const selectMaxBytes = ({ maxBodyBytes }: HttpRequest, head: ResponseHead): number =>
  maxBodyBytes?.[isSuccess(head) ? 'success' : 'error'] ?? maxDocumentBytes

/**
 * Reads the body of a response that is not 2xx. Aborts the request if that takes more than ten seconds. The read then rejects, and
 * `send` fails with the head of the response, from which its caller reports the status.
 */
const readErrorBody = async (
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  deadline: Deadline,
  clock: Pick<Clock, 'timer'>,
): Promise<Uint8Array | undefined> => {
  const cancelTimer = clock.timer(maxErrorBodyMs, () => deadline.abort())
  try {
    return await readBody(body, maxBytes)
  } finally {
    cancelTimer()
  }
}

/**
 * Reads a body to its end; `undefined` as soon as it exceeds `maxBytes`. It uses events, because asynchronous iteration
 * would add a tenth to the time of an exchange.
 */
const readBody = (
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | undefined> =>
  new Promise((resolve, reject) => {
    const stream = body instanceof Readable ? body : Readable.from(body)
    const chunks: Uint8Array[] = []
    let receivedBytes = 0
    stream.on('data', (chunk) => {
      receivedBytes += chunk.length
      chunks.push(chunk)
      if (receivedBytes <= maxBytes) return
      stream.destroy()
      resolve(undefined)
    })
    stream.once('end', () => resolve(Buffer.concat(chunks, receivedBytes)))
    stream.once('error', reject)
    // A stream that is closed before its end may have no error.
    const rejectIfIncomplete = (): void => {
      if (!stream.readableEnded) reject(stream.errored ?? createPrematureCloseError())
    }
    stream.once('close', rejectIfIncomplete)
    // A stream that was destroyed before this line emits no event.
    if (stream.destroyed) rejectIfIncomplete()
  })

const createPrematureCloseError = (): Error =>
  Object.assign(new Error(), { code: 'ERR_STREAM_PREMATURE_CLOSE' })

/** Creates the failure for a body that exceeds `maxBytes`, a whole number of KiB. */
const createTooLargeFailure = (maxBytes: number): Failure => {
  const size = maxBytes < 1 << 20 ? `${maxBytes >> 10} KiB` : `${maxBytes >> 20} MiB`
  return invalidResponse('', `response exceeds ${size}`)
}

const createTimeoutFailure = (
  timeout: Duration,
  host: string,
  head: ResponseHead | undefined,
): Failure => {
  const cause = head === undefined ? 'no response yet' : 'the response body is not complete'
  return connection({ cause, host, timeout: formatDuration(timeout) })
}

/** The error codes of Node's decoders: `Z_BUF_ERROR` for gzip and deflate, `ERR__ERROR_FORMAT_PADDING_1` for Brotli. */
const decoderErrorPattern = /^(?:Z_|ERR__ERROR_|ERR_BROTLI_)/

/**
 * Turns an exception of the HTTP client into a failure: a usage error for an invalid proxy in the environment, an invalid response
 * for a body that cannot be decompressed, else a connection failure.
 */
const createExceptionFailure = (
  error: unknown,
  host: string,
  head: ResponseHead | undefined,
): Failure => {
  const code = codeOf(error) ?? ''
  if (error instanceof Error && code === transportCode.proxySetting) return usage(error.message)
  const encoding = head?.header('content-encoding')
  if (encoding && decoderErrorPattern.test(code))
    return invalidResponse('', `the body is not valid ${encoding}`)
  return createConnectionFailure(error, host)
}
