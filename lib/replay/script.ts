import { listDifferences, type ReceivedRequest } from './compare-requests'
import type { RecordedExchange, RecordedResponse } from './decode-scenario'
import { type NamedScenario, readExchanges } from './scenarios'

/** A service that plays one scenario's exchanges and checks the requests. */
export interface ScriptedService {
  readonly baseUrl: string
  /** Stops the service. Resolves with the differences of requests, and the expected requests that never came. */
  readonly close: () => Promise<ReadonlyArray<string>>
}

/** The exchanges of a scenario while it is played. */
interface Script {
  /** Checks a request and returns the response to play: 418 if no pending exchange can answer it. */
  readonly takeResponse: (received: ReceivedRequest) => RecordedResponse
  /** Lists the differences of requests so far, and the expected requests that have not come. */
  readonly listProblems: () => ReadonlyArray<string>
}

/** Reads the script of a scenario. `version` is that of the svc that sends the requests, which their `User-Agent` must have. */
export const readScript = async (namedScenario: NamedScenario, version: string): Promise<Script> =>
  createScript({
    exchanges: await readExchanges(namedScenario),
    isAnyOrder: namedScenario.scenario.order === 'any',
    version,
  })

/** The response to a request that the scenario does not expect. */
const notInScript: RecordedResponse = {
  status: 418,
  headers: [],
  body: Buffer.from('not in the script'),
  decodedBody: new Uint8Array(),
}

interface ScriptOptions {
  readonly exchanges: ReadonlyArray<RecordedExchange>
  readonly isAnyOrder: boolean
  /** The version of svc that sends the requests. */
  readonly version: string
}

/**
 * Creates the script of these exchanges, each of which answers one request. Requests must come in the order written. With
 * `isAnyOrder` a request takes the first pending exchange that it fits. Equal requests, such as the attempts of a call, then get their
 * responses in the order written.
 */
export const createScript = ({ exchanges, isAnyOrder, version }: ScriptOptions): Script => {
  const pending = [...exchanges]
  const problems: string[] = []
  let requestCount = 0
  const takeResponse = (received: ReceivedRequest): RecordedResponse => {
    requestCount += 1
    const candidates = isAnyOrder ? pending : pending.slice(0, 1)
    const nearest = findNearest(candidates, received, version)
    if (nearest === undefined) {
      problems.push(`request ${requestCount} not expected: ${describeRequest(received)}`)
      return notInScript
    }
    const { exchange, differences } = nearest
    problems.push(...differences.map((difference) => `request ${requestCount}: ${difference}`))
    // In any order, the exchange stays pending for the request that fits it, which may still come. In the written order, the request
    // must be meant for this exchange, so it gets the response.
    // Then the run can go on.
    if (isAnyOrder && differences.length > 0) return notInScript
    pending.splice(pending.indexOf(exchange), 1)
    return exchange.response
  }
  return {
    takeResponse,
    listProblems: () => [
      ...problems,
      ...pending.map(({ request }) => `never came: ${describeRequest(request)}`),
    ],
  }
}

interface ComparedExchange {
  readonly exchange: RecordedExchange
  readonly differences: ReadonlyArray<string>
}

/** Finds the first exchange whose request has the fewest differences from the received one. */
const findNearest = (
  candidates: ReadonlyArray<RecordedExchange>,
  received: ReceivedRequest,
  version: string,
): ComparedExchange | undefined => {
  let nearest: ComparedExchange | undefined
  for (const exchange of candidates) {
    const differences = listDifferences(exchange.request, received, version)
    if (nearest === undefined || differences.length < nearest.differences.length)
      nearest = { exchange, differences }
  }
  return nearest
}

/** A problem shows at most this number of characters of a body. */
const maxShownCharacters = 200

const describeRequest = ({
  method,
  path,
  body,
}: Pick<ReceivedRequest, 'method' | 'path' | 'body'>): string =>
  `${method} ${path} ${Buffer.from(body).toString().slice(0, maxShownCharacters)}`.trimEnd()
