import { type Arrived, differences } from './exchange'
import type { Answer, ExpectedRequest, Named } from './scenario'

/** A service that plays one scenario's exchanges and notes what is wrong with the requests. */
export interface ScriptedService {
  readonly baseUrl: string
  /** Ends the service and tells everything that was wrong, requests that never came included. */
  readonly close: () => Promise<ReadonlyArray<string>>
}

const brief = ({ method, path }: ExpectedRequest | Arrived, body: unknown): string => {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  return `${method} ${path} ${text.slice(0, 200)}`.trimEnd()
}

/**
 * The exchanges of a scenario: `next` takes a request and gives the answer to play. Each exchange
 * answers one request. Requests come in the order written; with `"order": "any"` a request takes the
 * first exchange still awaited that it fits, so that equal requests (attempts of one call) get their
 * answers in the order written.
 */
export const script = (named: Named) => {
  const awaited = [...(named.scenario.exchanges ?? [])]
  const anyOrder = named.scenario.order === 'any'
  const problems: string[] = []
  const notInScript: Answer = { status: 418, bodyText: 'not in the script' }
  let count = 0
  return {
    next: (arrived: Arrived): Answer => {
      count += 1
      const [closest] = (anyOrder ? awaited : awaited.slice(0, 1))
        .map((exchange) => ({ exchange, wrong: differences(named, exchange.request, arrived) }))
        .sort((a, b) => a.wrong.length - b.wrong.length)
      if (closest === undefined) {
        problems.push(`request ${count} not expected: ${brief(arrived, arrived.body)}`)
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
      ...awaited.map(
        ({ request }) => `never came: ${brief(request, request.bodyFile ?? request.body)}`,
      ),
    ],
  }
}
