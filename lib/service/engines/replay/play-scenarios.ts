import * as E from 'fp-ts/Either'
import { suggest } from '../../../failure/suggestion'
import { type RecordedResponse, squeezeJson } from '../../../replay/scenario'
import type { ScenarioRequest } from '../../contract/engine'
import { modelsPath, parseOperationPath } from '../../contract/operation-path'
import { abbreviate, notRecorded, type Problem } from '../../contract/problem'
import type { Recording } from './recordings'

/** Returns the recorded response to the next request at a scenario's address. Fails with 404 if nothing is recorded. */
type PlayNext = (request: ScenarioRequest) => E.Either<Problem, RecordedResponse>

/**
 * Creates the function that plays each scenario at its address, `/<group>/<name>`. The responses to requests with one method
 * and path, query included, come in the order recorded and then start again. If nothing is recorded for the path, the
 * responses to the same operation are played, so clients of another dialect can ask too. If the scenario allows any order, a
 * request gets the first remaining response that was recorded for its body.
 */
export const createPlayer = (recordings: ReadonlyArray<Recording>): PlayNext => {
  const scripts = new Map<string, Array<Recording>>()
  for (const recording of recordings)
    for (const key of keysOfRecording(recording))
      scripts.set(key, [...(scripts.get(key) ?? []), recording])
  const scenarios = new Set(recordings.map(({ scenario }) => scenario))
  const remainingByKey = new Map<string, Array<Recording>>()
  return (request) => {
    const keys = keysOfRequest(request, findScenario(scenarios, request.path) ?? '')
    const key = keys.find((candidate) => scripts.has(candidate)) ?? ''
    const script = scripts.get(key) ?? []
    const remaining = remainingByKey.get(key) ?? []
    if (remaining.length === 0) remaining.push(...script)
    remainingByKey.set(key, remaining)
    const index = script[0]?.anyOrder ? findByBody(remaining, squeezeJson(request.body)) : 0
    const [recording] = remaining.splice(index, 1)
    return recording === undefined
      ? E.left(notRecorded(describeMissing(request, scenarios)))
      : E.right(recording.response)
  }
}

const keysOfRecording = ({
  scenario,
  method,
  path,
  operation,
}: Recording): ReadonlyArray<string> => [
  `${scenario} ${method} ${path}`,
  ...(operation === undefined ? [] : [`${scenario} ${operation}`]),
]

const keysOfRequest = (
  { method, path, search }: ScenarioRequest,
  scenario: string,
): ReadonlyArray<string> => {
  const pathInScenario = path.slice(1 + scenario.length)
  const operation = parseOperationPath(pathInScenario)?.route
  const exact = `${scenario} ${method} ${pathInScenario}${search}`
  if (operation === undefined) return [exact]
  return [exact, `${scenario} ${operation === modelsPath ? 'models' : 'ask'}`]
}

/** Finds the scenario that a path belongs to; `undefined` if there is none. */
const findScenario = (scenarios: ReadonlySet<string>, path: string): string | undefined => {
  const names = path.slice(1).split('/', maxDepth)
  return names
    .map((_, i) => names.slice(0, i + 1).join('/'))
    .find((scenario) => scenarios.has(scenario))
}

/** The maximum number of folders in a scenario's name. */
const maxDepth = 8

/** Returns the index of the first recording of a request with this body; 0 if there is none. */
const findByBody = (recordings: ReadonlyArray<Recording>, body: string): number => {
  const index = recordings.findIndex(({ request }) => request === body)
  return Math.max(0, index)
}

/** Longer addresses get no suggestion, and longer suggestions are not made. In characters. */
const maxSuggestedLength = 200

/** Describes that nothing is recorded for a path. Suggests the nearest address if the path looks mistyped. */
const describeMissing = ({ path }: ScenarioRequest, scenarios: ReadonlySet<string>): string => {
  const address = parseOperationPath(path)?.prefix ?? path.split('/', 3).join('/')
  const known = [...scenarios].map((scenario) => `/${scenario}`)
  if (known.includes(address)) return `Nothing is recorded at ${abbreviate(path)}`
  const suggestion = address.length > maxSuggestedLength ? '' : suggest(address, known)
  const shown = suggestion.length > maxSuggestedLength ? '' : suggestion
  return `Nothing is recorded at ${abbreviate(address)}${shown}`
}
