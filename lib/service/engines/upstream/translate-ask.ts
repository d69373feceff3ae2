import * as E from 'fp-ts/Either'
import { encodeForService, locateAsk, selectImageHeaders } from '../../../client/call/encode-call'
import { readRequestedWait } from '../../../client/call/retry'
import type { FailureDetails, ModelRequest } from '../../../client/dialects/dialect'
import { encode } from '../../../codec/json/draft'
import { encodeAnswers } from '../../../codec/response'
import type { Failure } from '../../../failure/failure'
import { cutWithEllipsis, redactAndCut } from '../../../text/sanitize'
import { isAlias, type PassthroughResponse } from '../../contract/engine'
import { engineFailed, invalidDocument, type Problem, upstreamError } from '../../contract/problem'
import { type CheckedAsk, readAsk } from '../../contract/read-ask'
import { type ConvertAsk, createKeyRedact, keyRefused, type UpstreamOptions } from './call-upstream'

/**
 * Translates a request into the upstream service's dialect, and the response into the caller's. A dialect is a form of requests and
 * responses. Fails with 422 for a question that the upstream service's dialect cannot express.
 */
export const translateAsk: ConvertAsk =
  (options, { dialect, body }, context) =>
  async () => {
    const ask = await readAsk(dialect, body, context)()
    if (E.isLeft(ask)) return ask
    const modelRequest = createModelRequest(ask.right, options)
    const computeResult = await context.compute(() => encodeForService(options, modelRequest))()
    if (E.isLeft(computeResult)) return computeResult
    const encodeResult = computeResult.right
    if (E.isLeft(encodeResult)) return E.left(createUnsupportedProblem(encodeResult.left))
    return E.right({
      upstreamRequest: {
        url: locateAsk(options, modelRequest.model).url,
        body: encode(encodeResult.right),
        headers: selectImageHeaders(options, modelRequest.request),
      },
      convertResponse: (response, now) =>
        translateResponse(ask.right, modelRequest, response, options, now),
    })
  }

/**
 * Creates the request in svc's own dialect, with the model for the upstream service. The model of the flags or the provider replaces
 * a missing model, and an alias such as `svc-latest`.
 */
const createModelRequest = (
  { model, state, questions, extra }: CheckedAsk,
  { model: defaultModel, service, form }: UpstreamOptions,
): ModelRequest => {
  const isNamed = model !== undefined && !isAlias(model)
  const chosenModel = isNamed ? model : (defaultModel ?? model)
  // An unknown upstream service has no default model. It may know the alias.
  return { request: { state, questions, extra }, model: chosenModel ?? 'svc-latest', service, form }
}

/** The maximum bytes of a path in a message. */
const maxPathBytes = 200

/** Turns the failure to encode a request in the upstream service's dialect into a problem: 422, with the path of the fault. */
const createUnsupportedProblem = (failure: Failure): Problem => {
  if (failure._tag !== 'Validation')
    return engineFailed('The request cannot be written for the upstream service.')
  const loc = ['body', cutWithEllipsis(failure.path, maxPathBytes)]
  return invalidDocument([{ loc, msg: failure.cause, type: 'value' }])
}

const requestIdHeader = 'x-service-request-id'

/**
 * Translates a response into the caller's dialect. Fails with the problem that the response reports, or with 502 if it has no usable
 * answer. `now` is the time in milliseconds since 1970.
 */
const translateResponse = (
  { encodeResponse }: CheckedAsk,
  modelRequest: ModelRequest,
  response: PassthroughResponse,
  options: UpstreamOptions,
  now: number,
): E.Either<Problem, PassthroughResponse> => {
  const { status, body } = response
  const { dialect } = options
  const redact = createKeyRedact(options)
  const getHeader = (name: string) => new Map(response.headers).get(name) ?? null
  const decodeFailure = () => dialect.decodeFailure({ status, header: getHeader, body }, redact)
  if (status > 299) {
    const failure = decodeFailure()
    // Gemini reports a blocked prompt with status 400. Its dialect decodes that as an answer.
    if (!failure.isRefusal)
      return E.left(createErrorProblem(status, failure, getHeader, options, now))
  }
  const decodeResult = dialect.decodeResponse(modelRequest, {
    body,
    // svc passes the request id on in a header, so the decoded response does not need it.
    requestId: '',
    redactText: redactAndCut(redact),
  })
  if (E.isLeft(decodeResult)) {
    // Some services wrap a failure with its status into a response with status 200.
    const failure = decodeFailure()
    const wrappedStatus = failure.errorDocument?.status
    return E.left(
      wrappedStatus === undefined
        ? engineFailed('The upstream service gave no usable answer.')
        : createErrorProblem(wrappedStatus, failure, getHeader, options, now),
    )
  }
  const { model, answers, usage } = decodeResult.right
  const document = encodeResponse({ model, answers: [...encodeAnswers({ answers })], usage })
  if (E.isLeft(document)) return E.left(engineFailed(`The upstream service gave ${document.left}.`))
  const idHeaders = response.headers.filter(([name]) => name === requestIdHeader)
  return E.right({
    status: 200,
    headers: [['content-type', 'application/json'], ...idHeaders],
    body: encode(document.right),
  })
}

/** Turns an error of the upstream service into a problem, with the requested wait and the request id. */
const createErrorProblem = (
  status: number,
  { message, retryAfterMs }: FailureDetails,
  getHeader: (name: string) => string | null,
  { keyVariable }: UpstreamOptions,
  now: number,
): Problem => {
  if (status === 401 || status === 403) return keyRefused(status, keyVariable)
  const problem = upstreamError(status, message, readRequestedWait(getHeader, now, retryAfterMs))
  const id = getHeader(requestIdHeader)
  return id === null
    ? problem
    : { ...problem, headers: { ...problem.headers, [requestIdHeader]: id } }
}
