import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { encode } from '../../../codec/json/draft'
import { parseJson } from '../../../codec/json/parse'
import { noSpan, noTracer } from '../../../runtime/tracer'
import type {
  EngineContext,
  PassthroughEngine,
  PassthroughRequest,
  PassthroughResponse,
} from '../../contract/engine'
import { engineFailed, type Problem } from '../../contract/problem'
import { completeModels } from '../../dialects/complete-models'
import { callUpstream, type UpstreamEnvironment, type UpstreamOptions } from './call-upstream'
import { forwardAsk } from './forward-ask'
import { translateAsk } from './translate-ask'

/** Creates the engine that asks another service. It does not retry, because its callers do. */
export const createUpstreamEngine = (
  options: UpstreamOptions,
  environment: UpstreamEnvironment,
): PassthroughEngine => ({
  kind: 'passthrough',
  name: 'upstream',
  pass: (request, context) =>
    request.operation === 'models'
      ? listModels(options, environment, context)
      : askUpstream(options, environment, request, context),
  ping: (signal) => pingUpstream(options, environment, signal),
  close: async () => undefined,
})

/** Forwards a request if the upstream service reads its dialect and answers in it, otherwise translates it and the response. */
const askUpstream =
  (
    options: UpstreamOptions,
    environment: UpstreamEnvironment,
    request: PassthroughRequest,
    context: EngineContext,
  ): TE.TaskEither<Problem, PassthroughResponse> =>
  async () => {
    // A route has the documents of one or more of the dialects that svc speaks as a client.
    const isSameDialect = request.dialect.clientDialects.includes(options.dialect.name)
    const isSameForm =
      options.form.modelPlace === 'body' && options.form.responseMember === undefined
    const convert = isSameDialect && isSameForm ? forwardAsk : translateAsk
    const conversion = await convert(options, request, context)()
    if (E.isLeft(conversion)) return conversion
    const { upstreamRequest, convertResponse } = conversion.right
    const response = await callUpstream(options, environment, upstreamRequest, context)()
    if (E.isLeft(response)) return response
    const now = environment.runtime.clock.now()
    const result = await context.compute(() => convertResponse(response.right, now))()
    return E.flatten(result)
  }

/** The response with a list of no models. */
const emptyModelList: PassthroughResponse = {
  status: 200,
  headers: [['content-type', 'application/json']],
  body: encode(completeModels(new Map([['models', []]]))),
}

/** Lists the models of the upstream service; none if svc knows of no such list. For clients of every dialect. */
const listModels = (
  options: UpstreamOptions,
  environment: UpstreamEnvironment,
  context: EngineContext,
): TE.TaskEither<Problem, PassthroughResponse> =>
  options.hasModelList
    ? pipe(
        callUpstream(options, environment, { body: undefined }, context),
        TE.chain((response) => context.compute(() => completeModelList(response))),
      )
    : TE.right(emptyModelList)

/** Adds the members that clients of the other dialects read. Leaves a failure unchanged. */
const completeModelList = (response: PassthroughResponse): PassthroughResponse => {
  const document = parseJson(response.body)
  return response.status > 299 || E.isLeft(document) || !(document.right instanceof Map)
    ? response
    : { ...response, body: encode(completeModels(document.right)) }
}

/** Checks that the upstream service works, by requesting its model list, if it has one. Fails for a status of 502, 503 or 504 too. */
const pingUpstream = (
  options: UpstreamOptions,
  environment: UpstreamEnvironment,
  signal: AbortSignal,
): TE.TaskEither<Problem, PassthroughResponse> => {
  if (!options.hasModelList) return TE.right(emptyModelList)
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
