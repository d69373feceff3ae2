import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { type Answer, bytesOf, type ExpectedRequest, type Named } from './scenario'

/** The version every golden run reports, in process and in the bundle. */
export const goldenVersion = '1.2.3'
/** The commit every golden run reports. */
export const goldenCommit = 'abc1234'
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

/** What is wrong with the request that arrived as number `index`; empty when it is the expected one. */
export const differences = (
  named: Named,
  index: number,
  arrived: Arrived,
): ReadonlyArray<string> => {
  const expected = named.scenario.exchanges?.[index]?.request
  const where = `request ${index + 1}`
  if (expected === undefined) return [`${where} not expected: ${arrived.method} ${arrived.path}`]
  const body = expectedBody(named, expected)
  const headers: Record<string, string | null> = {
    accept: 'application/json',
    authorization: `Bearer ${goldenKey}`,
    'content-type': body === '' ? null : 'application/json',
    'user-agent': `svc/${goldenVersion}`,
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
    .map(([part, want, got]) => `${where}: ${part}\n  expected ${want}\n  received ${got}`)
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

/** A service on stage: it answers one scenario's exchanges and takes note of what is wrong. */
export interface Stage {
  readonly baseUrl: string
  /** Ends the service and tells everything that was wrong, requests that never came included. */
  readonly close: () => Promise<ReadonlyArray<string>>
}

/** The exchanges of a scenario in order: `next` takes a request and gives the answer to play. */
export const script = (named: Named) => {
  const problems: string[] = []
  const expected = named.scenario.exchanges ?? []
  let count = 0
  return {
    next: (arrived: Arrived): Answer => {
      const index = count++
      problems.push(...differences(named, index, arrived))
      return expected[index]?.response ?? { status: 418, bodyText: 'not in the script' }
    },
    problems: (): ReadonlyArray<string> =>
      count < expected.length
        ? [...problems, `${expected.length - count} of ${expected.length} requests never came`]
        : problems,
  }
}
