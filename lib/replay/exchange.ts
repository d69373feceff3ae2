import { type RecordedRequest, squeezeJson } from './scenario'

/** The key of a scenario that sets no other. */
export const goldenKey = 'demo-key'

/** A received request. Header names are in lower case. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * Lists the differences between an expected request and one that svc of this version sent. Ignores whitespace between the
 * tokens of a JSON body, and headers that neither the scenario nor every request of svc has.
 */
export const listDifferences = (
  expected: RecordedRequest,
  received: ReceivedRequest,
  version: string,
): ReadonlyArray<string> => {
  const body = squeezeJson(expected.body)
  const headers: Record<string, string | null> = {
    accept: 'application/json',
    authorization: `Bearer ${goldenKey}`,
    'content-type': body === '' ? null : 'application/json',
    'user-agent': `svc/${version}`,
    ...Object.fromEntries(expected.headers),
  }
  const pairs: ReadonlyArray<readonly [string, string | null, string | null]> = [
    ['method', expected.method, received.method],
    ['path', expected.path, received.path],
    ['body', body, squeezeJson(received.body)],
    ...Object.entries(headers).map(
      ([name, value]) => [`header ${name}`, value, received.headers[name] ?? null] as const,
    ),
  ]
  return pairs
    .filter(([, wanted, got]) => wanted !== got)
    .map(([part, wanted, got]) => `${part}\n  expected ${wanted}\n  received ${got}`)
}
