import { type Arrived, describeDifferences } from './exchange'
import type { RecordedExchange, RecordedResponse } from './scenario'
import { type NamedScenario, readExchanges } from './scenarios'

/** A service that plays one scenario's exchanges and notes what is wrong with the requests. */
export interface ScriptedService {
  readonly baseUrl: string
  /** Ends the service and tells everything that was wrong, requests that never came included. */
  readonly close: () => Promise<ReadonlyArray<string>>
}

/** The script of a scenario for a program of this version. */
export const scriptOf = async (named: NamedScenario, version: string) =>
  createScript(await readExchanges(named), named.scenario.order === 'any', version)

const describeBriefly = ({
  method,
  path,
  body,
}: Pick<Arrived, 'method' | 'path' | 'body'>): string =>
  `${method} ${path} ${Buffer.from(body).toString().slice(0, 200)}`.trimEnd()

const notInScript: RecordedResponse = {
  ...{ status: 418, headers: [], body: Buffer.from('not in the script') },
  decodedBody: new Uint8Array(),
}

/**
 * Creates the script of these exchanges: `next` takes a request and returns the answer to play. Each exchange
 * answers one request. Requests come in the order written; with `"order": "any"` a request takes the
 * first exchange still awaited that it fits, so that equal requests (attempts of one call) get their
 * answers in the order written.
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
    next: (arrived: Arrived): RecordedResponse => {
      count += 1
      const [closest] = (anyOrder ? awaited : awaited.slice(0, 1))
        .map((exchange) => ({
          exchange,
          wrong: describeDifferences(exchange.request, arrived, version),
        }))
        .sort((a, b) => a.wrong.length - b.wrong.length)
      if (closest === undefined) {
        problems.push(`request ${count} not expected: ${describeBriefly(arrived)}`)
        return notInScript
      }
      problems.push(...closest.wrong.map((text) => `request ${count}: ${text}`))
      // The exchange still waits for the request that fits it: this one may have come too often.
      if (anyOrder && closest.wrong.length > 0) return notInScript
      awaited.splice(awaited.indexOf(closest.exchange), 1)
      return closest.exchange.response
    },
    problems: (): ReadonlyArray<string> => [
      ...problems,
      ...awaited.map(({ request }) => `never came: ${describeBriefly(request)}`),
    ],
  }
}
