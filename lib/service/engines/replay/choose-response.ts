import * as E from 'fp-ts/Either'
import { findRightPath } from '../../../client/dialects/served-dialects'
import { print } from '../../../codec/json/draft'
import { parseJson } from '../../../codec/json/parse'
import type { PassthroughRequest, PassthroughResponse } from '../../contract/engine'
import { modelsPath, parseOperationPath } from '../../contract/operation-path'
import { notRecorded, type Problem, wrongRoute } from '../../contract/problem'
import { describeNearest } from './describe-nearest'
import type { Recording } from './recordings'

type ChooseResponse = (request: PassthroughRequest) => E.Either<Problem, PassthroughResponse>

/** The responses of one scenario to one request. */
interface Script {
  readonly hasCommand: boolean
  /** In the order recorded. */
  readonly responses: ReadonlyArray<PassthroughResponse>
}

/**
 * Creates the function that finds the recorded response to a request with the same body: first at the same route, then at
 * the other routes with the same operation. Fails if the document belongs to another route, or is not recorded. With
 * `strict` the message shows the first difference from the nearest recorded request.
 */
export const createChooser = (
  recordings: ReadonlyArray<Recording>,
  strict: boolean,
): ChooseResponse => {
  const whole = recordings.filter(hasWholeResponse)
  const scripts = indexScripts(whole)
  const turns = new Map<string, number>()
  return (request) => {
    const body = squeezeBody(request)
    if (E.isLeft(body)) return body
    const key = keysOfRequest(request, body.right).find((candidate) => scripts.has(candidate)) ?? ''
    const script = scripts.get(key)
    if (script === undefined) {
      const sameOperation = whole.filter(({ operation }) => operation === request.operation)
      return E.left(notRecorded(describeNearest(sameOperation, body.right, strict)))
    }
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    return E.right(script.responses[turn % script.responses.length] as PassthroughResponse)
  }
}

/** `false` if the recorded service sent bytes that are not HTTP, or broke the connection. */
const hasWholeResponse = ({ response: { raw, fault } }: Recording): boolean =>
  raw === undefined && fault === undefined

/** Removes the whitespace between the tokens of a request's body. Fails if the document belongs to another route. */
const squeezeBody = ({
  operation,
  dialect,
  body,
}: PassthroughRequest): E.Either<Problem, string> => {
  if (operation === 'models') return E.right('')
  const document = parseJson(body)
  if (E.isLeft(document)) return E.right(Buffer.from(body).toString())
  const path = findRightPath(dialect, document.right)
  return path === undefined
    ? E.right(print(document.right, false).toString())
    : E.left(wrongRoute(path))
}

/** The keys of a request in the index: first that of its route, then that of all routes with its operation. */
const keysOfRequest = (
  { operation, dialect }: PassthroughRequest,
  body: string,
): ReadonlyArray<string> => {
  const route = operation === 'models' ? modelsPath : dialect.askPath
  return [`${route} ${body}`, `${operation} ${body}`]
}

const keysOfRecording = ({ path, operation, request }: Recording): ReadonlyArray<string> => {
  const route = parseOperationPath(path)?.route
  return route === undefined ? [] : [`${route} ${request}`, `${operation} ${request}`]
}

/** Indexes the responses by the keys of their requests. Each key gets the responses of one scenario. */
const indexScripts = (recordings: ReadonlyArray<Recording>): ReadonlyMap<string, Script> => {
  const byKey = new Map<string, Map<string, Script>>()
  for (const recording of recordings) {
    const { scenario, hasCommand, response } = recording
    for (const key of keysOfRecording(recording)) {
      const byScenario = byKey.get(key) ?? new Map<string, Script>()
      byKey.set(key, byScenario)
      const before = byScenario.get(scenario)?.responses ?? []
      byScenario.set(scenario, { hasCommand, responses: [...before, response] })
    }
  }
  return new Map([...byKey].map(([key, scripts]) => [key, chooseScript([...scripts.values()])]))
}

/**
 * Chooses between the scenarios that have a request: those without a command, which programs recorded, then those with
 * only 2xx responses, then the first by name.
 */
const chooseScript = (scripts: ReadonlyArray<Script>): Script => {
  const fromPrograms = scripts.filter(({ hasCommand }) => !hasCommand)
  const candidates = fromPrograms.length > 0 ? fromPrograms : scripts
  const isSuccess = ({ responses }: Script): boolean =>
    responses.every(({ status }) => status <= 299)
  return candidates.find(isSuccess) ?? candidates[0] ?? { hasCommand: false, responses: [] }
}
