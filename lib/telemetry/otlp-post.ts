import * as http from 'node:http'
import * as https from 'node:https'

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
  readonly agent: http.Agent
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
export const post = (target: Post, body: Uint8Array, signal: AbortSignal): Promise<Outcome> =>
  new Promise((resolve) => {
    const failed = (error: unknown) => resolve({ kind: 'failed', cause: causeOf(error) })
    const { request } = target.endpoint.protocol === 'https:' ? https : http
    const sent = request(
      target.endpoint,
      {
        method: 'POST',
        headers: { ...target.headers, 'content-length': body.length },
        agent: target.agent,
        signal,
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > target.maxResponseSize) response.destroy(new Error('the answer is too large'))
          else chunks.push(chunk)
        })
        response.on('error', failed)
        response.on('end', () => resolve(outcomeOf(response, Buffer.concat(chunks), target.now())))
      },
    )
    sent.on('error', failed)
    sent.end(body)
  })

const outcomeOf = (response: http.IncomingMessage, body: Uint8Array, now: number): Outcome => {
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return { kind: 'accepted', body }
  return {
    kind: 'refused',
    cause: `${status} ${response.statusMessage ?? ''}`.trim(),
    retryable: retryable.includes(status),
    wait: retryAfter(response.headers['retry-after'], now),
  }
}

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
