import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ExportResultCode } from '@opentelemetry/core'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Runtime } from '../runtime/runtime'
import type { ExporterConfig } from './config'
import { type Outcome, post } from './otlp-post'
import type { Routes } from './route'

/** An exporter whose end can be bounded. */
export interface BoundedExporter extends SpanExporter {
  /**
   * Starts the end, `bound` milliseconds away: waiting retries go at once, a connection that
   * fails is not tried again, and nothing waits past the bound.
   */
  readonly drain: (bound: number) => void
  /** Resolves when nothing is under way. */
  readonly settled: () => Promise<void>
  /** Ends whatever is under way, sockets and timers included. */
  readonly close: (cause: string) => void
}

export type OtlpConfig = Extract<ExporterConfig, { kind: 'otlp_http' }>

const attempts = 5
const firstWait = 1_000
const longestWait = 5_000
/** A longer wait that a collector asks for is not begun. */
const longestAsked = 300_000
/** The longest time that a timer takes; a longer limit is none. */
const longestTimer = 2 ** 31 - 1

/** Sends spans over OTLP/HTTP, with the retries that the protocol asks for. D34, D35 */
export const otlpExporter = (
  config: OtlpConfig,
  routes: Routes,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  userAgent: string,
): BoundedExporter => {
  const serializer = config.encoding === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer
  const draining = new AbortController()
  const closing = new AbortController()
  const pending = new Set<Promise<void>>()
  let drained = Infinity
  const where = `${config.endpoint.origin}${config.endpoint.pathname}`
  const target = {
    endpoint: config.endpoint,
    headers: {
      'user-agent': userAgent,
      ...config.headers,
      'content-type': config.encoding === 'json' ? 'application/json' : 'application/x-protobuf',
      ...(config.gzip ? { 'content-encoding': 'gzip' } : {}),
    },
    routes,
    maxResponseSize: config.maxResponseSize,
    now: clock.now,
  }

  /** Tries until accepted, and throws the reason otherwise. */
  const deliver = async (spans: ReadableSpan[]): Promise<void> => {
    const plain = serializer.serializeRequest(spans) ?? new Uint8Array()
    const body = config.gzip ? await promisify(gzip)(plain) : plain
    if (body.length > config.maxRequestSize) throw new Error('the request is too large')
    const late = new AbortController()
    const limited = config.timeout > 0 && config.timeout <= longestTimer
    const end = limited ? clock.monotonic() + config.timeout : Infinity
    const stop = limited ? clock.timer(config.timeout, () => late.abort()) : () => undefined
    const signal = AbortSignal.any([late.signal, closing.signal])
    try {
      for (let attempt = 1; ; attempt++) {
        const outcome = await post(target, body, signal)
        if (closing.signal.aborted) throw new Error(String(closing.signal.reason))
        if (late.signal.aborted) throw new Error(`no answer within ${config.timeout} ms`)
        if (outcome.kind === 'accepted') return checkAccepted(outcome.body)
        const wait = waitAfter(outcome, attempt)
        if (wait === undefined || clock.monotonic() + wait > Math.min(end, drained)) {
          throw new Error(outcome.cause)
        }
        const { aborted } = draining.signal
        await clock.sleep(wait, aborted ? signal : AbortSignal.any([signal, draining.signal]))
      }
    } finally {
      stop()
    }
  }

  /** Milliseconds to wait before the next attempt; none when there is to be no next one. */
  const waitAfter = (outcome: Outcome, attempt: number): number | undefined => {
    const again = outcome.kind === 'refused' ? outcome.retryable : !draining.signal.aborted
    if (!again || attempt >= attempts) return undefined
    const backoff = Math.min(firstWait * 1.5 ** (attempt - 1), longestWait)
    const asked = outcome.kind === 'refused' ? outcome.wait : undefined
    if (asked !== undefined) return asked <= longestAsked ? asked : undefined
    return backoff * (0.8 + 0.4 * random())
  }

  /** A collector may accept a request and say that it dropped some of its spans. */
  const checkAccepted = (body: Uint8Array): void => {
    if (body.length === 0) return
    const partial = partialSuccess(() => serializer.deserializeResponse(body))
    if (partial !== undefined) throw new Error(partial)
  }

  const settled = async (): Promise<void> => {
    await Promise.all(pending)
  }

  return {
    export: (spans, done) => {
      const work = deliver(spans).then(
        () => done({ code: ExportResultCode.SUCCESS }),
        (error: Error) =>
          done({
            code: ExportResultCode.FAILED,
            error: new Error(`export to ${where}: ${error.message}`),
          }),
      )
      pending.add(work)
      void work.finally(() => pending.delete(work))
    },
    forceFlush: settled,
    shutdown: settled,
    drain: (bound) => {
      drained = clock.monotonic() + bound
      draining.abort()
    },
    settled,
    close: (cause) => {
      closing.abort(cause)
    },
  }
}

interface Response {
  readonly partialSuccess?: { readonly rejectedSpans?: number; readonly errorMessage?: string }
}

const partialSuccess = (read: () => Response): string | undefined => {
  try {
    const { rejectedSpans = 0, errorMessage = '' } = read().partialSuccess ?? {}
    return Number(rejectedSpans) > 0
      ? `the collector rejected ${rejectedSpans} spans: ${errorMessage}`
      : undefined
  } catch {
    // Accepted all the same: not every collector answers in the protocol's own words.
    return undefined
  }
}
