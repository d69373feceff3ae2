import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { typesafeImagesHeader } from '../../../client/call/headers'
import { completeModels } from '../../../client/dialects/complete-models'
import { findRightPath } from '../../../client/dialects/served-dialects'
import { type Draft, encode } from '../../../codec/json/draft'
import { type JsonValue, memberIn, membersIn, stringIn } from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import { noSpan, noTracer } from '../../../runtime/tracer'
import {
  type EngineContext,
  isAlias,
  type PassthroughEngine,
  type PassthroughRequest,
  type PassthroughResponse,
} from '../../contract/engine'
import { engineFailed, type Problem, wrongRoute } from '../../contract/problem'
import {
  callUpstream,
  type UpstreamEnvironment,
  type UpstreamOptions,
  type UpstreamRequest,
} from './call-upstream'
import { translate } from './translate'

/**
 * The engine that asks another service. If its caller and that service speak the same dialect, requests and responses
 * pass unchanged, including unknown question types, failures and requested waits; else they are translated. It does
 * not retry, because its callers do.
 */
export const createUpstreamEngine = (
  options: UpstreamOptions,
  environment: UpstreamEnvironment,
): PassthroughEngine => ({
  kind: 'passthrough',
  name: 'upstream',
  pass: (request, context) => {
    if (request.operation === 'models') return listModels(options, environment, context)
    return request.dialect.clientDialects.includes(options.dialect.name)
      ? forward(options, environment, request, context)
      : translate(options, environment, request, context)
  },
  ping: (signal) => pingUpstream(options, environment, signal),
  close: async () => undefined,
})

/** Lists the models of the upstream service, for clients of every dialect. */
const listModels = (
  options: UpstreamOptions,
  environment: UpstreamEnvironment,
  context: EngineContext,
): TE.TaskEither<Problem, PassthroughResponse> =>
  pipe(
    callUpstream(options, environment, { body: undefined }, context),
    TE.chain((response) => context.compute(() => completeList(response))),
  )

const completeList = (response: PassthroughResponse): PassthroughResponse => {
  const document = parseJson(response.body)
  return response.status > 299 || E.isLeft(document) || !(document.right instanceof Map)
    ? response
    : { ...response, body: encode(completeModels(document.right)) }
}

/** Checks that the upstream service returns its list of models. */
const pingUpstream = (
  options: UpstreamOptions,
  environment: UpstreamEnvironment,
  signal: AbortSignal,
): TE.TaskEither<Problem, PassthroughResponse> => {
  const untraced = { ...environment, tracer: noTracer }
  const context: EngineContext = { signal, span: noSpan, compute: TE.fromIO }
  return pipe(
    callUpstream(options, untraced, { body: undefined }, context),
    TE.filterOrElse(
      ({ cause }) => cause === undefined,
      ({ cause = '' }) => engineFailed(cause),
    ),
  )
}

/** Passes a request and its response on unchanged. A response that the caller's dialect cannot express is a 502. */
const forward =
  (
    options: UpstreamOptions,
    environment: UpstreamEnvironment,
    { dialect, body }: PassthroughRequest,
    context: EngineContext,
  ): TE.TaskEither<Problem, PassthroughResponse> =>
  async () => {
    const prepared = E.flatten(
      await context.compute(() => prepareRequest(dialect, body, options))(),
    )
    if (E.isLeft(prepared)) return prepared
    const response = await callUpstream(options, environment, prepared.right, context)()
    if (E.isLeft(response)) return response
    const unsupported = findUnsupported(dialect, response.right)
    return unsupported === undefined
      ? response
      : E.left(engineFailed(`The upstream service gave ${unsupported}.`))
  }

const findUnsupported = (
  dialect: PassthroughRequest['dialect'],
  { status, body }: PassthroughResponse,
): string | undefined => {
  if (status > 299) return undefined
  const document = parseJson(body)
  return E.isRight(document) ? dialect.findUnsupported(document.right) : undefined
}

/**
 * Sets the model of a request document that names none, or names an alias, and leaves all other text unchanged. A document
 * about images gets the header that the service needs for them. A body that is not a JSON object is returned unchanged,
 * because the upstream service refuses it. Fails if the document belongs to another route.
 */
const prepareRequest = (
  dialect: PassthroughRequest['dialect'],
  body: Uint8Array,
  options: UpstreamOptions,
): E.Either<Problem, UpstreamRequest> => {
  const parsed = parseJson(body)
  if (E.isLeft(parsed) || !(parsed.right instanceof Map)) return E.right({ body })
  const document = parsed.right
  const path = findRightPath(dialect, document)
  if (path !== undefined) return E.left(wrongRoute(path))
  const headers = hasImages(document) ? typesafeImagesHeader(options) : {}
  const { model } = options
  if (model === undefined || namesModel(document)) return E.right({ body, headers })
  const otherMembers = [...document].filter(([name]) => name !== 'model')
  const withModel = new Map<string, Draft>([['model', model], ...otherMembers])
  return E.right({ body: encode(withModel), headers })
}

/** `true` if a request document names a model that is not an alias. */
const namesModel = (document: JsonValue): boolean => {
  const model = memberIn(document, 'model')
  return model !== undefined && !(typeof model === 'string' && isAlias(model))
}

/** `true` if a request document has images, or a question for a box in one. */
const hasImages = (document: JsonValue): boolean => {
  const questions = membersIn(memberIn(document, 'questions'))
  return (
    memberIn(document, 'assets') !== undefined ||
    [...questions.values()].some((question) => stringIn(memberIn(question, 'type')) === 'box')
  )
}
