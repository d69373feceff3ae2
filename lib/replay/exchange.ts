import { type RecordedRequest, squeezeJson } from './scenario'

/** The key every golden run sends unless its scenario says otherwise. */
export const goldenKey = 'demo-key'

/** A request as it arrived. Header names in lower case. */
export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Says how a request that a program of this version sent differs from the expected one; empty where it does not. */
export const describeDifferences = (
  expected: RecordedRequest,
  arrived: Arrived,
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
    ['method', expected.method, arrived.method],
    ['path', expected.path, arrived.path],
    // Blanks between tokens say nothing.
    ['body', body, squeezeJson(arrived.body)],
    ...Object.entries(headers).map(
      ([name, value]) => [`header ${name}`, value, arrived.headers[name] ?? null] as const,
    ),
  ]
  return pairs
    .filter(([, want, got]) => want !== got)
    .map(([part, want, got]) => `${part}\n  expected ${want}\n  received ${got}`)
}
