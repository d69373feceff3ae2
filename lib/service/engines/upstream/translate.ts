import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { encodeForService } from '../../../client/call/encode-ask'
import { imageHeaders } from '../../../client/call/headers'
import { readRequestedDelay } from '../../../client/call/retry'
import type { ModelRequest } from '../../../client/dialects/dialect'
import { encode } from '../../../codec/json/draft'
import { receivedAnswers } from '../../../codec/response'
import type { Failure } from '../../../failure/failure'
import { cutTo, redactAndCut } from '../../../failure/text/cut'
import {
  type EngineContext,
  isAlias,
  type PassthroughRequest,
  type PassthroughResponse,
} from '../../contract/engine'
import {
  engineFailed,
  invalidDocument,
  type Problem,
  upstreamRefusal,
} from '../../contract/problem'
import { type CheckedAsk, readAsk } from '../../contract/read-ask'
import {
  callUpstream,
  createKeyRedact,
  keyRefused,
  type UpstreamEnvironment,
  type UpstreamOptions,
} from './call-upstream'

/**
 * Translates a request into the upstream service's dialect, asks, and writes the response in the caller's dialect.
 * Fails with 422 for a question that the upstream's dialect cannot express, and with the upstream's own failure.
 */
export const translate =
  (
    options: UpstreamOptions,
    environment: UpstreamEnvironment,
    { dialect, body }: PassthroughRequest,
    context: EngineContext,
  ): TE.TaskEither<Problem, PassthroughResponse> =>
  async () => {
    const ask = await readAsk(dialect, body, context)()
    if (E.isLeft(ask)) return ask
    const request = createModelRequest(ask.right, options)
    const computed = await context.compute(() => encodeForService(options, request))()
    if (E.isLeft(computed)) return computed
    const encoded = computed.right
    if (E.isLeft(encoded)) return E.left(describeUnsupported(encoded.left))
    const upstreamRequest = {
      body: encode(encoded.right),
      headers: imageHeaders(options, request.request),
    }
    const response = await callUpstream(options, environment, upstreamRequest, context)()
    if (E.isLeft(response)) return response
    const now = environment.runtime.clock.now()
    const translated = await context.compute(() =>
      translateResponse(ask.right, request, response.right, options, now),
    )()
    return E.flatten(translated)
  }

/** Creates the request in svc's own form, with the model for the upstream service. */
const createModelRequest = (
  { model, state, questions, extra }: CheckedAsk,
  { model: defaultModel, service }: UpstreamOptions,
): ModelRequest => {
  const isNamed = model !== undefined && !isAlias(model)
  return {
    request: { state, questions, extra },
    model: (isNamed ? model : defaultModel) ?? model ?? 'svc-latest',
    service,
  }
}

/** The maximum bytes of a path in a message. */
const maxPathBytes = 200

/** Describes why a request cannot be written in the upstream's dialect. A question that it does not have is a 422. */
const describeUnsupported = (failure: Failure): Problem => {
  if (failure._tag !== 'Validation')
    return engineFailed('The request cannot be written for the upstream service.')
  const loc = ['body', cutTo(failure.path, maxPathBytes)]
  return invalidDocument([{ loc, msg: failure.cause, type: 'value' }])
}

/** Translates a response into the caller's dialect. `now` is the time in milliseconds since 1970. */
const translateResponse = (
  { encodeResponse }: CheckedAsk,
  request: ModelRequest,
  response: PassthroughResponse,
  options: UpstreamOptions,
  now: number,
): E.Either<Problem, PassthroughResponse> => {
  const { status, body } = response
  const { dialect, keyName } = options
  const redact = createKeyRedact(options)
  const header = (name: string) => new Map(response.headers).get(name) ?? null
  const decodeFailure = () => dialect.decodeFailure({ status, header, body }, redact)
  const describeRefusal = (refusalStatus: number): Problem => {
    if (refusalStatus === 401 || refusalStatus === 403) return keyRefused(refusalStatus, keyName)
    const { message, retryAfterMs } = decodeFailure()
    const waitMs = readRequestedDelay(header, now, retryAfterMs)
    const problem = upstreamRefusal(refusalStatus, message, waitMs)
    const id = header('x-service-request-id')
    return id === null
      ? problem
      : { ...problem, headers: { ...problem.headers, 'x-service-request-id': id } }
  }
  if (status > 299 && !decodeFailure().isAnswer) return E.left(describeRefusal(status))
  const reply = { body, requestId: '', prepare: redactAndCut(redact) }
  const decoded = dialect.decodeResponse(request, reply)
  if (E.isLeft(decoded)) {
    // Some services wrap a failure with its status into a response with status 200.
    const wrappedStatus = decodeFailure().errorDocument?.status
    return E.left(
      wrappedStatus === undefined
        ? engineFailed('The upstream service gave no usable answer.')
        : describeRefusal(wrappedStatus),
    )
  }
  const { model, answers, usage } = decoded.right
  const document = encodeResponse({ model, answers: [...receivedAnswers({ answers })], usage })
  if (E.isLeft(document)) return E.left(engineFailed(`The upstream service gave ${document.left}.`))
  const idHeaders = response.headers.filter(([name]) => name === 'x-service-request-id')
  return E.right({
    status: 200,
    headers: [['content-type', 'application/json'], ...idHeaders],
    body: encode(document.right),
  })
}
