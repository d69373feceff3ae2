import { Readable } from 'node:stream'
import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { maxDocumentBytes } from '../../codec/json/parse'
import {
  connection,
  type Failure,
  interrupted,
  invalidResponse,
  usage,
} from '../../failure/failure'
import { type Duration, formatDuration, toMillis } from '../../failure/text/duration'
import { codeOf, transportCode } from '../../runtime/node/error-reason'
import type { FetchInit, FetchResponse, Runtime } from '../../runtime/runtime'
import { connectionFailure } from './connection-failure'
import { startDeadline } from './deadline'

/** The most bytes of a response's body. */
interface BodyLimits {
  /** With a status of 2xx. */
  readonly answer: number
  /** With any other status. */
  readonly failure: number
}

/** How long the body of an error is read, in milliseconds, whatever the time limit of the attempt. */
const mostErrorMs = 10_000

/** A request, with the API key in its headers. */
export interface HttpRequest extends Omit<FetchInit, 'ending'> {
  readonly url: string
  /** 16 MiB where it is absent, whatever the status. */
  readonly maxBytes?: BodyLimits
}

/** Whether a response has a status of 2xx. */
export const isSuccess = ({ status }: ResponseHead): boolean => status >= 200 && status <= 299

/** The status and headers of a response. */
export type ResponseHead = Pick<FetchResponse, 'status' | 'header'>

/** A complete response, whatever its status. */
export interface HttpResponse extends ResponseHead {
  /** The body without content encodings, within the limits of its request. */
  readonly body: Uint8Array
  /**
   * Whether only the closing of the connection marked the end of the body. Such a body may have been cut off unnoticed.
   */
  readonly endsWithConnection: boolean
}

/** Why no complete response came. */
export interface TransportFailure {
  readonly failure: Failure
  /** Status and headers, where they arrived before the body broke off. */
  readonly head?: ResponseHead
  /** The exception of the HTTP client. */
  readonly error?: unknown
}

/** What an exchange uses, and what ends it early. */
export interface SendOptions {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock'>
  /** The time limit for connecting, headers and body together; 0 for none. */
  readonly timeout: Duration
  /** When this fires, the exchange fails as interrupted. */
  readonly signal?: AbortSignal | undefined
}

/** Sends a request once and reads the complete response, whatever its status. Redirects are not followed. */
export const send =
  (
    { url, method, headers, body: sent, keepAlive, maxBytes }: HttpRequest,
    { runtime, timeout, signal }: SendOptions,
  ): TE.TaskEither<TransportFailure, HttpResponse> =>
  async () => {
    if (signal?.aborted) return E.left({ failure: interrupted })
    const deadline = startDeadline(runtime.clock, signal, toMillis(timeout))
    let head: FetchResponse | undefined
    let body: Uint8Array | undefined
    let stopReading = (): void => undefined
    try {
      head = await runtime.fetch(url, { method, headers, body: sent, keepAlive, ending: deadline })
      if (!isSuccess(head)) stopReading = runtime.clock.timer(mostErrorMs, () => deadline.end(true))
      const most = maxBytes?.[isSuccess(head) ? 'answer' : 'failure'] ?? maxDocumentBytes
      body = await readWhole(head.body, most)
      if (body === undefined) return E.left({ failure: tooLarge(most), head })
      const { status, header, endsWithConnection = false } = head
      return E.right({ status, header, body, endsWithConnection })
    } catch (error) {
      const { host } = new URL(url)
      if (signal?.aborted) return E.left({ failure: interrupted, head })
      if (!deadline.isExpired())
        return E.left({ failure: describeBreak(error, host, head), head, error })
      const cause = head === undefined ? 'no response yet' : 'the response body is not complete'
      const failure = connection({ cause, host, timeout: formatDuration(timeout) })
      return E.left({ failure, head, error })
    } finally {
      stopReading()
      deadline.end(body === undefined)
    }
  }

/**
 * Reads a body to its end; `undefined` as soon as it exceeds `most` bytes. It listens to the body, since iterating over
 * one takes a tenth as long as a whole exchange.
 */
const readWhole = (
  body: AsyncIterable<Uint8Array>,
  most: number,
): Promise<Uint8Array | undefined> =>
  new Promise((resolve, reject) => {
    const stream = body instanceof Readable ? body : Readable.from(body)
    const chunks: Uint8Array[] = []
    let length = 0
    stream.on('data', (chunk) => {
      length += chunk.length
      chunks.push(chunk)
      if (length <= most) return
      stream.destroy()
      resolve(undefined)
    })
    stream.once('end', () => resolve(Buffer.concat(chunks, length)))
    stream.once('error', reject)
    const fail = (): void => {
      if (!stream.readableEnded) reject(stream.errored ?? closedEarly())
    }
    stream.once('close', fail)
    // A connection that broke before this has told so already.
    if (stream.destroyed) fail()
  })

const closedEarly = (): Error => Object.assign(new Error(), { code: 'ERR_STREAM_PREMATURE_CLOSE' })

/** The failure for a body of more than `most` bytes, a whole number of KiB. */
const tooLarge = (most: number): Failure =>
  invalidResponse(
    '',
    `response exceeds ${most < 1 << 20 ? `${most >> 10} KiB` : `${most >> 20} MiB`}`,
  )

/** Turns an exception of the HTTP client into a failure. */
const describeBreak = (error: unknown, host: string, head: ResponseHead | undefined): Failure => {
  const code = codeOf(error) ?? ''
  if (error instanceof Error && code === transportCode.proxySetting) return usage(error.message)
  const encoding = head?.header('content-encoding')
  if (encoding && decoderCode.test(code))
    return invalidResponse('', `the body is not valid ${encoding}`)
  return connectionFailure(error, host)
}

/** Matches the codes of errors of Node's decoders for gzip, deflate and Brotli. */
const decoderCode = /^(?:Z_|ERR__ERROR_|ERR_BROTLI_)/
