import { compactJson, type RecordedRequest } from './decode-scenario'

/** The API key with which a scenario runs and its golden (its expected output) is written, unless its `env` has another. */
export const goldenKey = 'demo-key'

/** A received request. `path` has the query, and the names of headers are in lower case. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * Lists the differences between an expected request and a request from svc of this version. Ignores whitespace between the
 * tokens of a JSON body. Compares only the headers that the scenario names and those that svc always sends. An expected
 * header of `null` must be absent.
 */
export const listDifferences = (
  expected: RecordedRequest,
  received: ReceivedRequest,
  version: string,
): ReadonlyArray<string> => {
  const expectedBody = compactJson(expected.body)
  const expectedHeaders: Record<string, string | null> = {
    accept: 'application/json',
    authorization: `Bearer ${goldenKey}`,
    'content-type': expectedBody === '' ? null : 'application/json',
    'user-agent': `svc/${version}`,
    ...Object.fromEntries(expected.headers),
  }
  const differences: string[] = []
  const compare = (
    part: string,
    expectedValue: string | null,
    receivedValue: string | null,
  ): void => {
    if (expectedValue === receivedValue) return
    differences.push(`${part}\n  expected ${expectedValue}\n  received ${receivedValue}`)
  }
  compare('method', expected.method, received.method)
  compare('path', expected.path, received.path)
  compare('body', expectedBody, compactJson(received.body))
  for (const [name, value] of Object.entries(expectedHeaders))
    compare(`header ${name}`, value, received.headers[name] ?? null)
  return differences
}
