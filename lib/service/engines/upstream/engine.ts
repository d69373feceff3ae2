import * as E from 'fp-ts/Either'
import { identity, pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { typesafeImagesHeader } from '../../../client/call/headers'
import { completeModels } from '../../../client/dialects/model-list'
import { findRightPath } from '../../../client/dialects/serve'
import { type Draft, encode } from '../../../codec/json/draft'
import { type JsonValue, memberIn, membersIn, stringIn } from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import { noSpan, noTracer } from '../../../runtime/tracer'
import {
  type EngineContext,
  isAlias,
  type PassingEngine,
  type PassingRequest,
  type PassingResponse,
} from '../../contract/engine'
import { engineFailed, type Problem, wrongRoute } from '../../contract/problem'
import {
  exchange,
  type UpstreamOptions,
  type UpstreamOutside,
  type UpstreamRequest,
} from './exchange'
import { translate } from './translate'

/**
 * The engine that asks another service. If its caller and that service speak the same dialect, requests and responses
 * pass unchanged, including unknown question types, failures and requested waits; else they are translated. It does
 * not retry, because its callers do.
 */
export const upstreamEngine = (
  options: UpstreamOptions,
  outside: UpstreamOutside,
): PassingEngine => ({
  kind: 'passing',
  name: 'upstream',
  pass: (request, context) => {
    if (request.operation === 'models') return listModels(options, outside, context)
    return request.dialect.sameDocuments.includes(options.dialect.name)
      ? forward(options, outside, request, context)
      : translate(options, outside, request, context)
  },
  ping: (signal) => pingUpstream(options, outside, signal),
  close: async () => undefined,
})

/** Lists the models of the upstream service, for clients of every dialect. */
const listModels = (
  options: UpstreamOptions,
  outside: UpstreamOutside,
  context: EngineContext,
): TE.TaskEither<Problem, PassingResponse> =>
  pipe(
    exchange(options, outside, { body: undefined }, context),
    TE.chain((passed) => context.compute(() => completeList(passed))),
  )

const completeList = (passed: PassingResponse): PassingResponse => {
  const document = parseJson(passed.body)
  return passed.status > 299 || E.isLeft(document) || !(document.right instanceof Map)
    ? passed
    : { ...passed, body: encode(completeModels(document.right)) }
}

/** Checks that the upstream service returns its list of models. */
const pingUpstream = (
  options: UpstreamOptions,
  outside: UpstreamOutside,
  signal: AbortSignal,
): TE.TaskEither<Problem, PassingResponse> => {
  const untraced = { ...outside, tracer: noTracer }
  const context: EngineContext = { signal, span: noSpan, compute: TE.fromIO }
  return pipe(
    exchange(options, untraced, { body: undefined }, context),
    TE.filterOrElse(
      ({ cause }) => cause === undefined,
      ({ cause = '' }) => engineFailed(cause),
    ),
  )
}

/** Passes a request and its response on unchanged. A response that the caller's dialect cannot express is a 502. */
const forward = (
  options: UpstreamOptions,
  outside: UpstreamOutside,
  { dialect, body }: PassingRequest,
  context: EngineContext,
): TE.TaskEither<Problem, PassingResponse> =>
  pipe(
    context.compute(() => prepareRequest(dialect, body, options)),
    TE.chainEitherK(identity),
    TE.chain((prepared) => exchange(options, outside, prepared, context)),
    TE.filterOrElseW(
      (passed) => findUnsayable(dialect, passed) === undefined,
      (passed) =>
        engineFailed(`The upstream service gave ${findUnsayable(dialect, passed) ?? 'no answer'}.`),
    ),
  )

const findUnsayable = (dialect: PassingRequest['dialect'], { status, body }: PassingResponse) => {
  const document = status <= 299 ? parseJson(body) : undefined
  return document !== undefined && E.isRight(document)
    ? dialect.findUnsupported(document.right)
    : undefined
}

/**
 * Sets the model of a request document that names none, or names an alias. The rest keeps its text. A body that is
 * not a JSON object is returned unchanged, and the upstream service refuses it. A document about images gets the
 * header that the service needs for them. Fails if the document belongs to another route.
 */
const prepareRequest = (
  dialect: PassingRequest['dialect'],
  body: Uint8Array,
  options: UpstreamOptions,
): E.Either<Problem, UpstreamRequest> => {
  const parsed = parseJson(body)
  if (E.isLeft(parsed) || !(parsed.right instanceof Map)) return E.right({ body })
  const document = parsed.right
  const path = findRightPath(dialect, document)
  if (path !== undefined) return E.left(wrongRoute(path))
  const headers = isAboutImages(document) ? typesafeImagesHeader(options) : {}
  const { model } = options
  if (model === undefined || namesModel(document)) return E.right({ body, headers })
  const rest = [...document].filter(([name]) => name !== 'model')
  return E.right({ body: encode(new Map<string, Draft>([['model', model], ...rest])), headers })
}

/** True if a request document names a model that is not an alias. */
const namesModel = (document: JsonValue): boolean => {
  const given = memberIn(document, 'model')
  return given !== undefined && !(typeof given === 'string' && isAlias(given))
}

/** True if a request document of the specification has images, or a question for a place in one. */
const isAboutImages = (document: JsonValue): boolean => {
  const questions = membersIn(memberIn(document, 'questions'))
  return (
    memberIn(document, 'assets') !== undefined ||
    [...questions.values()].some((question) => stringIn(memberIn(question, 'type')) === 'box')
  )
}
