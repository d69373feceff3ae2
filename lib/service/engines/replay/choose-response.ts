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
  /** In the recorded order. */
  readonly responses: ReadonlyArray<PassthroughResponse>
}

/**
 * Creates the function that finds the recorded response to a request with the same body. It prefers a recording of the same route
 * to recordings of other routes. Fails if the document belongs to another route, or if it is not recorded. If `isStrict`, the
 * message shows the first difference from the most similar recorded request.
 */
export const createChooser = (
  recordings: ReadonlyArray<Recording>,
  isStrict: boolean,
): ChooseResponse => {
  const complete = recordings.filter(hasCompleteResponse)
  const scripts = indexScripts(complete)
  const playedCounts = new Map<string, number>()
  return (request) => {
    const body = minifyBody(request)
    if (E.isLeft(body)) return body
    const key =
      listRequestKeys(request, body.right).find((candidate) => scripts.has(candidate)) ?? ''
    const script = scripts.get(key)
    if (script === undefined) {
      const sameOperation = complete.filter(({ operation }) => operation === request.operation)
      return E.left(notRecorded(describeNearest(sameOperation, body.right, isStrict)))
    }
    const playedCount = playedCounts.get(key) ?? 0
    playedCounts.set(key, playedCount + 1)
    return E.right(script.responses[playedCount % script.responses.length] as PassthroughResponse)
  }
}

/** Returns false if the recorded response is not valid HTTP, or ends with a broken connection. */
const hasCompleteResponse = ({ response: { raw, fault } }: Recording): boolean =>
  raw === undefined && fault === undefined

/** Removes the whitespace between JSON tokens of a body. Fails if the document belongs to another route. */
const minifyBody = ({
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

/** Lists the keys of a request in the index: the key for its route, then the key for all routes with its operation. */
const listRequestKeys = (
  { operation, dialect }: PassthroughRequest,
  body: string,
): ReadonlyArray<string> => {
  const route = operation === 'models' ? modelsPath : dialect.askPath
  return [`${route} ${body}`, `${operation} ${body}`]
}

const listRecordingKeys = ({ path, operation, request }: Recording): ReadonlyArray<string> => {
  const route = parseOperationPath(path)?.route
  return route === undefined ? [] : [`${route} ${request}`, `${operation} ${request}`]
}

/** Indexes the responses by the keys of their requests. A key has the responses of one scenario. */
const indexScripts = (recordings: ReadonlyArray<Recording>): ReadonlyMap<string, Script> => {
  const byKey = new Map<string, Map<string, Script>>()
  for (const recording of recordings) {
    const { scenario, hasCommand, response } = recording
    for (const key of listRecordingKeys(recording)) {
      const byScenario = byKey.get(key) ?? new Map<string, Script>()
      byKey.set(key, byScenario)
      const before = byScenario.get(scenario)?.responses ?? []
      byScenario.set(scenario, { hasCommand, responses: [...before, response] })
    }
  }
  return new Map([...byKey].map(([key, scripts]) => [key, chooseScript([...scripts.values()])]))
}

/**
 * Chooses between scenarios with the same request. Prefers those without a command, which a program recorded, then those with
 * only 2xx responses, then the first by name.
 */
const chooseScript = (scripts: ReadonlyArray<Script>): Script => {
  const fromPrograms = scripts.filter(({ hasCommand }) => !hasCommand)
  const candidates = fromPrograms.length > 0 ? fromPrograms : scripts
  const isSuccess = ({ responses }: Script): boolean =>
    responses.every(({ status }) => status <= 299)
  return candidates.find(isSuccess) ?? candidates[0] ?? { hasCommand: false, responses: [] }
}
