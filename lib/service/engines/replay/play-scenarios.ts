import * as E from 'fp-ts/Either'
import { compactJson, type RecordedResponse } from '../../../replay/decode-scenario'
import { suggest } from '../../../text/suggestion'
import type { ScenarioRequest } from '../../contract/engine'
import { modelsPath, parseOperationPath } from '../../contract/operation-path'
import { abbreviate, notRecorded, type Problem } from '../../contract/problem'
import type { Recording } from './recordings'

/** Returns the recorded response to the next request at a scenario's address. Fails with 404 if nothing is recorded. */
type PlayNext = (request: ScenarioRequest) => E.Either<Problem, RecordedResponse>

/**
 * Creates the function that plays each scenario, a folder of recorded requests and responses, at its address, `/<group>/<name>`.
 * Requests with the same method, path and query get the responses in the recorded order. After the last response, the first follows
 * again. If the path is not recorded, svc plays the responses to the same operation, so clients of another dialect can use the
 * scenario. If the scenario allows any order, a request gets the first remaining response that was recorded for its body.
 */
export const createPlayer = (recordings: ReadonlyArray<Recording>): PlayNext => {
  const queues = createQueues(recordings)
  const scenarios = new Set(recordings.map(({ scenario }) => scenario))
  return (request) => {
    const scenario = findScenario(scenarios, request.path)
    const keys = scenario === undefined ? [] : listRequestKeys(request, scenario)
    const queue = keys.map((key) => queues.get(key)).find((found) => found !== undefined)
    return queue === undefined
      ? E.left(notRecorded(describeMissing(request, scenarios)))
      : E.right(takeNext(queue, request.body).response)
  }
}

/** The recordings of one scenario for requests with the same key. After the last one, the first follows again. */
interface RecordingQueue {
  readonly anyOrder: boolean
  /** In the recorded order. There is at least one. */
  readonly recordings: Array<Recording>
  /** The recordings that have not been played since the queue began again. */
  readonly remaining: Array<Recording>
}

/** Creates the queues of all recordings, by the keys of their requests. */
const createQueues = (
  recordings: ReadonlyArray<Recording>,
): ReadonlyMap<string, RecordingQueue> => {
  const queues = new Map<string, RecordingQueue>()
  for (const recording of recordings)
    for (const key of listRecordingKeys(recording)) {
      const { anyOrder } = recording
      const queue = queues.get(key) ?? { anyOrder, recordings: [], remaining: [] }
      queue.recordings.push(recording)
      queues.set(key, queue)
    }
  return queues
}

/** Takes the next recording out of the remaining ones. If there are none, the queue begins again. */
const takeNext = (
  { anyOrder, recordings, remaining }: RecordingQueue,
  body: Uint8Array,
): Recording => {
  if (remaining.length === 0) remaining.push(...recordings)
  const index = anyOrder ? findByBody(remaining, compactJson(body)) : 0
  // `remaining` is not empty, so there is a recording at `index`.
  const [recording] = remaining.splice(index, 1) as [Recording]
  return recording
}

const listRecordingKeys = ({
  scenario,
  method,
  path,
  operation,
}: Recording): ReadonlyArray<string> => {
  const pathKey = `${scenario} ${method} ${path}`
  // A recorded query must be requested.
  const isOnlyPath = operation === undefined || path.includes('?')
  return isOnlyPath ? [pathKey] : [pathKey, `${scenario} ${operation}`]
}

/** Lists the keys of a request: the key for its path, then the key for all paths with its operation. */
const listRequestKeys = (
  { method, path, search }: ScenarioRequest,
  scenario: string,
): ReadonlyArray<string> => {
  const pathInScenario = path.slice(1 + scenario.length)
  const route = parseOperationPath(pathInScenario)?.route
  const pathKey = `${scenario} ${method} ${pathInScenario}${search}`
  if (route === undefined) return [pathKey]
  const operation = route === modelsPath ? 'models' : 'ask'
  return [pathKey, `${scenario} ${operation}`]
}

/** The maximum number of folders in a scenario's name. */
const maxDepth = 8

/** Finds the scenario whose address a path begins with. */
const findScenario = (scenarios: ReadonlySet<string>, path: string): string | undefined => {
  const names = path.slice(1).split('/', maxDepth)
  return names
    .map((_, i) => names.slice(0, i + 1).join('/'))
    .find((scenario) => scenarios.has(scenario))
}

/** Returns the index of the first recording of a request with this body. If there is none, returns 0: any body gets a response. */
const findByBody = (recordings: ReadonlyArray<Recording>, body: string): number => {
  const index = recordings.findIndex(({ requestBody }) => requestBody === body)
  return Math.max(0, index)
}

/** The maximum length of an address that gets a suggestion, and of a suggestion, in characters. */
const maxSuggestedLength = 200

/** Describes that nothing is recorded for a path. Suggests a similar address, if there is one. */
const describeMissing = ({ path }: ScenarioRequest, scenarios: ReadonlySet<string>): string => {
  // A path that does not end with a route is cut after `/<group>/<name>`.
  const address = parseOperationPath(path)?.prefix ?? path.split('/', 3).join('/')
  const addresses = [...scenarios].map((scenario) => `/${scenario}`)
  if (addresses.includes(address)) return `Nothing is recorded at ${abbreviate(path)}`
  const suggestion = address.length > maxSuggestedLength ? '' : suggest(address, addresses)
  const shownSuggestion = suggestion.length > maxSuggestedLength ? '' : suggestion
  return `Nothing is recorded at ${abbreviate(address)}${shownSuggestion}`
}
