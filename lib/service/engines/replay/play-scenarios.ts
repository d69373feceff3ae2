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
 * Plays each scenario at its address, `/<group>/<name>` before any path. Its responses to requests of one method and
 * path, query included, come in the order recorded and then start again. If nothing is recorded for the path, all its
 * responses to the same operation of the service are played, so that a client of another form can ask too. If
 * the scenario allows any order, a request takes the first remaining response that was recorded for it.
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
    const rest = remaining.get(key) ?? []
    if (rest.length === 0) rest.push(...script)
    remaining.set(key, rest)
    const at = script[0]?.anyOrder ? findFitting(rest, squeezeJson(request.body)) : 0
    const [next] = rest.splice(at, 1)
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
  const rest = path.slice(1 + scenario.length)
  const operation = parseOperationPath(rest)?.route
  const exact = `${scenario} ${method} ${rest}${search}`
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

/** Scenarios are searched at most this many folders deep. */
const maxDepth = 8

/** Returns the index of the first recording of this request; 0 if there is none. */
const findFitting = (rest: ReadonlyArray<Recording>, request: string): number =>
  Math.max(
    0,
    rest.findIndex((one) => one.request === request),
  )

/** Longer addresses get no suggestion, and longer suggestions are not made. */
const maxSuggestedLength = 200

/** Writes the message for a path without recordings. It suggests the nearest address if the path looks mistyped. */
const describeNothingAt = ({ path }: ScenarioRequest, scenarios: ReadonlySet<string>): string => {
  const address = parseOperationPath(path)?.prefix ?? path.split('/', 3).join('/')
  const known = [...scenarios].map((scenario) => `/${scenario}`)
  const near =
    address.length > maxSuggestedLength || known.includes(address) ? '' : suggest(address, known)
  const shown = known.includes(address) ? path : address
  return `Nothing is recorded at ${abbreviate(shown)}${near.length > maxSuggestedLength ? '' : near}`
}
