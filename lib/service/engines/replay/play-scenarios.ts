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
 * Creates the function that plays each scenario at its address, `/<group>/<name>` before any path. The responses to
 * requests with the same method, path and query come in the order recorded and then start again. If nothing is recorded
 * for the path, a client of another form gets the responses to the same operation. If the scenario allows any order, a
 * request takes the first remaining response that was recorded for it.
 */
export const createPlayer = (recordings: ReadonlyArray<Recording>): PlayNext => {
  const scripts = new Map<string, Array<Recording>>()
  for (const recording of recordings)
    for (const key of keysOfRecording(recording))
      scripts.set(key, [...(scripts.get(key) ?? []), recording])
  const scenarios = new Set(recordings.map(({ scenario }) => scenario))
  const remaining = new Map<string, Array<Recording>>()
  return (request) => {
    const keys = keysOfRequest(request, findScenario(scenarios, request.path) ?? '')
    const key = keys.find((one) => scripts.has(one)) ?? ''
    const script = scripts.get(key) ?? []
    const queue = remaining.get(key) ?? []
    if (queue.length === 0) queue.push(...script)
    remaining.set(key, queue)
    const index = script[0]?.anyOrder ? findFitting(queue, squeezeJson(request.body)) : 0
    const [next] = queue.splice(index, 1)
    return next === undefined
      ? E.left(notRecorded(describeNothingAt(request, scenarios)))
      : E.right(next.response)
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
  const ownPath = path.slice(1 + scenario.length)
  const operation = parseOperationPath(ownPath)?.route
  const exact = `${scenario} ${method} ${ownPath}${search}`
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

/** The maximum depth of a scenario's folder. */
const maxDepth = 8

/** Returns the index of the first recording of this request; 0 if there is none. */
const findFitting = (queue: ReadonlyArray<Recording>, request: string): number =>
  Math.max(
    0,
    queue.findIndex((one) => one.request === request),
  )

/** In characters, of an address that gets a suggestion and of the suggestion. */
const maxSuggestedLength = 200

/** Describes a path without recordings. Suggests the nearest address if the path looks mistyped. */
const describeNothingAt = ({ path }: ScenarioRequest, scenarios: ReadonlySet<string>): string => {
  const address = parseOperationPath(path)?.prefix ?? path.split('/', 3).join('/')
  const known = [...scenarios].map((scenario) => `/${scenario}`)
  const near =
    address.length > maxSuggestedLength || known.includes(address) ? '' : suggest(address, known)
  const shown = known.includes(address) ? path : address
  return `Nothing is recorded at ${abbreviate(shown)}${near.length > maxSuggestedLength ? '' : near}`
}
