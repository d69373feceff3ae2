import * as E from 'fp-ts/Either'
import { print } from '../../../codec/json/draft'
import { parseJson } from '../../../codec/json/parse'
import type { PassthroughRequest, PassthroughResponse } from '../../contract/engine'
import { modelsPath, parseOperationPath } from '../../contract/operation-path'
import { notRecorded, type Problem, wrongRoute } from '../../contract/problem'
import { findOtherRoute } from '../../dialects/served-dialects'
import { describeNearest } from './describe-nearest'
import { type Recording, splitQuery } from './recordings'

type ChooseResponse = (request: PassthroughRequest) => E.Either<Problem, PassthroughResponse>

/** The responses of one scenario, a folder of recorded requests and responses, to one request. */
interface Script {
  /** True if the scenario records a run of a command. */
  readonly hasCommand: boolean
  /** In the recorded order. */
  readonly responses: ReadonlyArray<PassthroughResponse>
}

/**
 * Creates the function that finds the recorded response to a request with the same body. It prefers a recording of the same route
 * to recordings of other routes. Fails if the document belongs to another route, or if no recorded request is the same. If
 * `isStrict`, the message shows the first difference from the most similar recorded request.
 */
export const createChooser = (
  recordings: ReadonlyArray<Recording>,
  isStrict: boolean,
): ChooseResponse => {
  const playable = recordings.filter(hasCompleteResponse)
  const scripts = indexScripts(playable)
  const playedCounts = new Map<string, number>()
  return (request) => {
    const body = minifyBody(request)
    if (E.isLeft(body)) return body
    for (const key of listRequestKeys(request, body.right)) {
      const script = scripts.get(key)
      if (script === undefined) continue
      const playedCount = playedCounts.get(key) ?? 0
      playedCounts.set(key, playedCount + 1)
      // A script has at least one response. After the last one, the first follows again.
      return E.right(script.responses[playedCount % script.responses.length] as PassthroughResponse)
    }
    const sameOperation = playable.filter(({ operation }) => operation === request.operation)
    return E.left(notRecorded(describeNearest(sameOperation, body.right, isStrict)))
  }
}

/** Returns true for a response that can be sent to any client: it is valid HTTP, and does not end with a broken connection. */
const hasCompleteResponse = ({ response: { raw, fault } }: Recording): boolean =>
  raw === undefined && fault === undefined

/**
 * Removes the whitespace between the JSON tokens of a body. A body that is not JSON stays unchanged. Fails if the document belongs to
 * another route.
 */
const minifyBody = ({
  operation,
  dialect,
  body,
}: PassthroughRequest): E.Either<Problem, string> => {
  if (operation === 'models') return E.right('')
  const document = parseJson(body)
  if (E.isLeft(document)) return E.right(Buffer.from(body).toString())
  const otherRoute = findOtherRoute(dialect, document.right)
  return otherRoute === undefined
    ? E.right(print(document.right, false).toString())
    : E.left(wrongRoute(otherRoute))
}

/**
 * Lists the keys of a request in the index: with its query for its route and for all routes with its operation, then the same keys
 * without the query.
 */
const listRequestKeys = (
  { operation, dialect, search }: PassthroughRequest,
  body: string,
): ReadonlyArray<string> => {
  const route = operation === 'models' ? modelsPath : dialect.askPath
  return [search, ''].flatMap((query) => [
    `${route}${query} ${body}`,
    `${operation}${query} ${body}`,
  ])
}

const listRecordingKeys = ({ path, operation, requestBody }: Recording): ReadonlyArray<string> => {
  const { path: pathname, search } = splitQuery(path)
  const route = parseOperationPath(pathname)?.route
  return route === undefined
    ? []
    : [`${route}${search} ${requestBody}`, `${operation}${search} ${requestBody}`]
}

/** Indexes the responses by the keys of their requests. A key has the responses of one scenario. */
const indexScripts = (recordings: ReadonlyArray<Recording>): ReadonlyMap<string, Script> => {
  /** By the key of a request, then by scenario. */
  const candidatesByKey = new Map<string, Map<string, Script>>()
  for (const recording of recordings) {
    const { scenario, hasCommand, response } = recording
    for (const key of listRecordingKeys(recording)) {
      const candidates = candidatesByKey.get(key) ?? new Map<string, Script>()
      candidatesByKey.set(key, candidates)
      const earlierResponses = candidates.get(scenario)?.responses ?? []
      candidates.set(scenario, { hasCommand, responses: [...earlierResponses, response] })
    }
  }
  const chosen = new Map<string, Script>()
  for (const [key, candidates] of candidatesByKey) {
    const script = chooseScript([...candidates.values()])
    if (script !== undefined) chosen.set(key, script)
  }
  return chosen
}

/**
 * Chooses between scenarios with the same request. Scenarios without a command, which `svc` recorded for another program, override
 * all others. Among the remaining ones, prefers the first with only 2xx responses, then the first.
 */
const chooseScript = (scripts: ReadonlyArray<Script>): Script | undefined => {
  const withoutCommand = scripts.filter(({ hasCommand }) => !hasCommand)
  const candidates = withoutCommand.length > 0 ? withoutCommand : scripts
  const isSuccess = ({ responses }: Script): boolean =>
    responses.every(({ status }) => status <= 299)
  return candidates.find(isSuccess) ?? candidates[0]
}
