import { listDifferences, type ReceivedRequest } from './exchange'
import type { RecordedExchange, RecordedResponse } from './scenario'
import { type NamedScenario, readExchanges } from './scenarios'

/** A service that plays one scenario's exchanges and checks the requests. */
export interface ScriptedService {
  readonly baseUrl: string
  /** Ends the service. Resolves with the differences of requests, and the expected requests that never came. */
  readonly close: () => Promise<ReadonlyArray<string>>
}

/** Reads the script of a scenario, for requests of svc of this version. */
export const readScript = async (named: NamedScenario, version: string) =>
  createScript(await readExchanges(named), named.scenario.order === 'any', version)

const describeBriefly = ({
  method,
  path,
  body,
}: Pick<ReceivedRequest, 'method' | 'path' | 'body'>): string =>
  `${method} ${path} ${Buffer.from(body).toString().slice(0, 200)}`.trimEnd()

const notInScript: RecordedResponse = {
  status: 418,
  headers: [],
  body: Buffer.from('not in the script'),
  decodedBody: new Uint8Array(),
}

/**
 * Creates the script of these exchanges. `next` takes a request and returns the response to play; each exchange answers
 * one request. Requests must come in the order written. With `anyOrder` a request takes the first unused exchange that it
 * fits, so equal requests (the attempts of a call) get their responses in the order written.
 */
export const createScript = (
  exchanges: ReadonlyArray<RecordedExchange>,
  anyOrder: boolean,
  version: string,
) => {
  const awaited = [...exchanges]
  const problems: string[] = []
  let count = 0
  return {
    next: (received: ReceivedRequest): RecordedResponse => {
      count += 1
      const [closest] = (anyOrder ? awaited : awaited.slice(0, 1))
        .map((exchange) => ({
          exchange,
          differences: listDifferences(exchange.request, received, version),
        }))
        .sort((a, b) => a.differences.length - b.differences.length)
      if (closest === undefined) {
        problems.push(`request ${count} not expected: ${describeBriefly(received)}`)
        return notInScript
      }
      problems.push(...closest.differences.map((text) => `request ${count}: ${text}`))
      // Keeps the exchange for the request that fits it. This one may be a repeated request.
      if (anyOrder && closest.differences.length > 0) return notInScript
      awaited.splice(awaited.indexOf(closest.exchange), 1)
      return closest.exchange.response
    },
    problems: (): ReadonlyArray<string> => [
      ...problems,
      ...awaited.map(({ request }) => `never came: ${describeBriefly(request)}`),
    ],
  }
}
