import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as TE from 'fp-ts/TaskEither'
import { encodeForService } from '../../../client/call/encode-ask'
import { imageHeaders } from '../../../client/call/headers'
import { readRequestedDelay } from '../../../client/call/retry'
import type { ModelRequest } from '../../../client/dialects/dialect'
import { encode } from '../../../codec/json/draft'
import { type AskResponse, receivedAnswers } from '../../../codec/response'
import type { Failure } from '../../../failure/failure'
import { cutTo, redactAndCut } from '../../../failure/text/cut'
import { createRedact } from '../../../failure/text/redact'
import {
  type EngineContext,
  isAlias,
  type PassingRequest,
  type PassingResponse,
} from '../../contract/engine'
import {
  engineFailed,
  invalidDocument,
  type Problem,
  upstreamRefusal,
} from '../../contract/problem'
import { type CheckedAsk, readAsk } from '../../contract/read-ask'
import { exchange, refuseKey, type UpstreamOptions, type UpstreamOutside } from './exchange'

/**
 * Translates a request into the upstream service's dialect, asks, and writes the response in the caller's dialect.
 * Fails with 422 for a question that the upstream's dialect cannot express, and with the upstream's own failure.
 */
export const translate =
  (
    options: UpstreamOptions,
    outside: UpstreamOutside,
    { dialect, body }: PassingRequest,
    context: EngineContext,
  ): TE.TaskEither<Problem, PassingResponse> =>
  async () => {
    const ask = await readAsk(dialect, body, context)()
    if (E.isLeft(ask)) return ask
    const asked = askedOf(ask.right, options)
    const written = await context.compute(() => E.map(encode)(encodeForService(options, asked)))()
    if (E.isLeft(written)) return written
    if (E.isLeft(written.right)) return E.left(describeUnsayable(written.right.left))
    const headers = imageHeaders(options, asked.request)
    const request = { body: written.right.right, headers }
    const passed = await exchange(options, outside, request, context)()
    if (E.isLeft(passed)) return passed
    const now = outside.runtime.clock.now()
    const answer = () => writeBack(ask.right, asked, passed.right, options, now)
    return E.flatten(await context.compute(answer)())
  }

/** Builds the request in svc's own form, with the model for the upstream service. */
const askedOf = (
  { model, state, questions, extra }: CheckedAsk,
  { model: usual, service }: UpstreamOptions,
): ModelRequest => {
  const isNamed = model !== undefined && !isAlias(model)
  return {
    request: { state, questions, extra },
    model: (isNamed ? model : usual) ?? model ?? 'svc-latest',
    service,
  }
}

/** A question that the upstream's dialect cannot say is a fault of the request. */
const describeUnsayable = (failure: Failure): Problem =>
  failure._tag === 'Validation'
    ? invalidDocument([
        { loc: ['body', cutTo(failure.path, 200)], msg: failure.cause, type: 'value' },
      ])
    : engineFailed('The request cannot be written for the upstream service.')

/** Turns the response into one of the caller's dialect. `now` is the time in milliseconds since 1970. */
const writeBack = (
  { encodeResponse }: CheckedAsk,
  asked: ModelRequest,
  passed: PassingResponse,
  options: UpstreamOptions,
  now: number,
): E.Either<Problem, PassingResponse> => {
  const { status, body } = passed
  const { dialect, keyName } = options
  const redact = createRedact(options.key === undefined ? [] : [options.key.reveal()])
  const header = (name: string) => new Map(passed.headers).get(name) ?? null
  const reply = { body, requestId: '', prepare: redactAndCut(redact) }
  const trouble = () => dialect.decodeFailure({ status, header, body }, redact)
  const refuse = (by: number): Problem => {
    if (by === 401 || by === 403) return refuseKey(by, keyName)
    const { message, retryAfterMs } = trouble()
    const problem = upstreamRefusal(by, message, readRequestedDelay(header, now, retryAfterMs))
    const id = header('x-service-request-id')
    const withId =
      id === null ? problem.headers : { ...problem.headers, 'x-service-request-id': id }
    return withId === undefined ? problem : { ...problem, headers: withId }
  }
  if (status > 299 && !trouble().isAnswer) return E.left(refuse(status))
  return pipe(
    dialect.decodeResponse(asked, reply),
    E.mapLeft(() => {
      const { envelope } = trouble()
      return envelope?.status === undefined
        ? engineFailed('The upstream service gave no usable answer.')
        : refuse(envelope.status)
    }),
    E.chain(({ model, answers, usage }: AskResponse) =>
      pipe(
        encodeResponse({ model, answers: [...receivedAnswers({ answers })], usage }),
        E.mapLeft((why) => engineFailed(`The upstream service gave ${why}.`)),
      ),
    ),
    E.map((document) => ({
      status: 200,
      headers: [
        ['content-type', 'application/json'] as const,
        ...passed.headers.filter(([name]) => name === 'x-service-request-id'),
      ],
      body: encode(document),
    })),
  )
}
