import * as http from 'node:http'
import * as https from 'node:https'
import type { Routes } from './route'

/** What became of one POST to a collector. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly body: Uint8Array }
  | {
      readonly kind: 'refused'
      readonly cause: string
      readonly retryable: boolean
      /** Milliseconds the collector asks to wait. */
      readonly wait: number | undefined
    }
  | { readonly kind: 'failed'; readonly cause: string }

export interface Post {
  readonly endpoint: URL
  readonly headers: Readonly<Record<string, string>>
  readonly routes: Routes
  /** Bytes of an answer that are read at most. */
  readonly maxResponseSize: number
  readonly now: () => number
}

const retryable = [429, 502, 503, 504]

/**
 * Posts once and reads the answer. The signal ends it and its socket in whatever state they
 * are. Never rejects. The exporter library's own transport has an idle timeout only and
 * retry timers that nothing stops, which cannot keep D35.
 */
export const post = async (
  target: Post,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Outcome> => {
  try {
    const { options, watch } = await target.routes(signal)
    return await watch(exchange(target, options, body, signal))
  } catch (error) {
    return { kind: 'failed', cause: causeOf(error) }
  }
}

const exchange = (
  target: Post,
  options: https.RequestOptions,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const { request } = target.endpoint.protocol === 'https:' ? https : http
    const sent = request(
      target.endpoint,
      {
        ...options,
        method: 'POST',
        headers: { ...target.headers, 'content-length': body.length },
        signal,
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        // The spans have arrived where the collector has said so, whatever becomes of its answer.
        const cut = (error: Error): void => {
          if (isAccepted(response) && !signal.aborted) {
            resolve({ kind: 'accepted', body: new Uint8Array() })
          } else reject(error)
        }
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          chunks.push(chunk)
          if (size > target.maxResponseSize) {
            cut(new Error('the answer is too large'))
            response.destroy()
          }
        })
        response.on('error', cut)
        response.on('end', () => resolve(outcomeOf(response, Buffer.concat(chunks), target.now())))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })

const outcomeOf = (response: http.IncomingMessage, body: Uint8Array, now: number): Outcome => {
  const status = response.statusCode ?? 0
  if (isAccepted(response)) return { kind: 'accepted', body }
  return {
    kind: 'refused',
    cause: `${status} ${response.statusMessage ?? ''}`.trim(),
    retryable: retryable.includes(status),
    wait: retryAfter(response.headers['retry-after'], now),
  }
}

const isAccepted = ({ statusCode = 0 }: http.IncomingMessage): boolean =>
  statusCode >= 200 && statusCode < 300

const retryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

/** A refused connection to a name with two addresses comes as an error without a message. */
const causeOf = (error: unknown): string => {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  return first instanceof Error && first.message !== '' ? first.message : 'connection failed'
}
