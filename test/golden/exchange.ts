import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { testBuild } from '../support/build'
import { type Answer, bytesOf, type ExpectedRequest, type Named } from './scenario'

/** The key every golden run sends unless its scenario says otherwise. */
export const goldenKey = 'demo-key'

/** A request as it arrived. Header names in lower case. */
export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The text of a JSON document without the blanks between its tokens; every literal stays. */
export const squeeze = (json: string): string =>
  json.replace(/("(?:[^"\\]|\\.)*")|\s+/gs, (_, text: string | undefined) => text ?? '')

const expectedBody = ({ folder }: Named, request: ExpectedRequest): string => {
  if (request.bodyFile !== undefined)
    return squeeze(readFileSync(join(folder, request.bodyFile), 'utf8'))
  return request.body === undefined ? '' : JSON.stringify(request.body)
}

/** How a request that arrived differs from the expected one; empty when it fits. */
export const differences = (
  named: Named,
  expected: ExpectedRequest,
  arrived: Arrived,
): ReadonlyArray<string> => {
  const body = expectedBody(named, expected)
  const headers: Record<string, string | null> = {
    accept: 'application/json',
    authorization: `Bearer ${goldenKey}`,
    'content-type': body === '' ? null : 'application/json',
    'user-agent': `svc/${testBuild.version}`,
    ...expected.headers,
  }
  const pairs: ReadonlyArray<readonly [string, string | null, string | null]> = [
    ['method', expected.method, arrived.method],
    ['path', expected.path, arrived.path],
    // Values that pass through keep their blanks too, which say nothing.
    ['body', body, squeeze(arrived.body)],
    ...Object.entries(headers).map(
      ([name, value]) => [`header ${name}`, value, arrived.headers[name] ?? null] as const,
    ),
  ]
  return pairs
    .filter(([, want, got]) => want !== got)
    .map(([part, want, got]) => `${part}\n  expected ${want}\n  received ${got}`)
}

const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }

/** The body of an answer, without the final newline of a file, compressed when it says so. */
export const answerBody = ({ folder }: Named, answer: Answer): Buffer => {
  const plain =
    answer.bodyFile !== undefined
      ? Buffer.from(readFileSync(join(folder, answer.bodyFile), 'utf8').replace(/\n$/, ''))
      : answer.bodyText !== undefined
        ? bytesOf(folder, answer.bodyText)
        : Buffer.from(answer.body === undefined ? '' : JSON.stringify(answer.body))
  return answer.encoding === undefined ? plain : encoders[answer.encoding](plain)
}

/** The headers of an answer: JSON unless it says otherwise. */
export const answerHeaders = (answer: Answer): Readonly<Record<string, string>> => ({
  ...(answer.body === undefined && answer.bodyFile === undefined
    ? {}
    : { 'content-type': 'application/json' }),
  ...(answer.encoding === undefined ? {} : { 'content-encoding': answer.encoding }),
  ...answer.headers,
})
