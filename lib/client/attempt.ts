import * as E from 'fp-ts/Either'
import type * as RTE from 'fp-ts/ReaderTaskEither'
import type { errorMessage } from '../codec/service-errors'
import type { Failure } from '../failure/failure'
import { mapTexts } from '../failure/map-texts'
import { parseJson } from '../json/parse'
import { redactAndCut } from '../text/cut'
import type { Redact } from '../text/redact'
import { apiFailure } from './api-failure'
import { bodyCutOff } from './connection-failure'
import type { ClientEnv } from './env'
import { redactOf } from './redact'
import { readRequestedWait } from './retry'
import { type Head, type HttpRequest, isSuccess, type Loss, type Reply, send } from './send'

/** A request to the service, and how to read its response. */
export interface Exchange<A> extends HttpRequest {
  /** The API path shown in messages (`/v1/questions`), without the path of the base address. D47 */
  readonly path: string
  /** Reads the complete body of a 2xx response. `requestId` comes from the header; `''` where there is none. */
  readonly decode: (body: Uint8Array, requestId: string) => E.Either<Failure, A>
  /** Reads the message in the body of any other response. Without it, the rules of D44 apply. */
  readonly errorMessage?: typeof errorMessage
}

/** What a response says besides its body, with the API key redacted. */
export interface Facts {
  readonly status?: number
  readonly requestId?: string
}

/** A decoded 2xx response, and its body as received. */
export interface Received<A> {
  readonly value: A
  readonly body: Uint8Array
  readonly facts: Facts
}

/** How an attempt failed, or how the last attempt of a call did. The API key is redacted. */
export interface Miss {
  readonly failure: Failure
  readonly facts: Facts
  /** How long the service asked to wait before the next attempt (`Retry-After`), in milliseconds. D9 */
  readonly retryAfterMs?: number
}

/** Sends a request once and reads the response. `call` repeats it where that makes sense. D5, D6, D10 */
export const attempt =
  <A>(exchange: Exchange<A>): RTE.ReaderTaskEither<ClientEnv, Miss, Received<A>> =>
  ({ runtime, config, signal }) =>
  async () => {
    const redact = redactOf(config)
    const { method, url, headers, body, keepAlive, mostBytes } = exchange
    const limits = { runtime, signal, timeout: config.timeout }
    const outcome = await send({ method, url, headers, body, keepAlive, mostBytes }, limits)()
    if (E.isLeft(outcome))
      return E.left(describeLoss(exchange, outcome.left, redact, runtime.clock.now()))
    const reply = outcome.right
    return isSuccess(reply)
      ? readSuccess(exchange, reply, redact)
      : E.left(describeRejection(exchange, reply, reply.body, redact, runtime.clock.now()))
  }

const factsOf = ({ status, header }: Head, redact: Redact): Facts => ({
  status,
  requestId: redactAndCut(redact)(header('x-service-request-id') ?? '') || undefined,
})

/**
 * Reads a 2xx response. A body without an announced length may have been cut off unnoticed. Where such a body
 * also stops in the middle of its JSON, the failure counts as a connection failure, which is retried. D46
 */
const readSuccess = <A>(
  exchange: Exchange<A>,
  reply: Reply,
  redact: Redact,
): E.Either<Miss, Received<A>> => {
  const { body, endsWithConnection } = reply
  const facts = factsOf(reply, redact)
  const decoded = exchange.decode(body, facts.requestId ?? '')
  if (E.isRight(decoded)) return E.right({ value: decoded.right, body, facts })
  const failure =
    endsWithConnection && endsEarly(body) ? bodyCutOff(new URL(exchange.url).host) : decoded.left
  return E.left({ failure: mapTexts(failure, redactAndCut(redact)), facts })
}

/**
 * Whether a body stops in the middle of a JSON document. An empty body does not count, since it never began.
 */
const endsEarly = (body: Uint8Array): boolean => {
  const document = parseJson(body)
  return body.length > 0 && E.isLeft(document) && document.left.offset >= body.length
}

/** Turns a response with any other status into a failure. */
const describeRejection = <A>(
  exchange: Exchange<A>,
  head: Head,
  body: Uint8Array,
  redact: Redact,
  now: number,
): Miss => {
  const failure = mapTexts(apiFailure(exchange, head, body, redact), redactAndCut(redact))
  const requestId = (failure._tag === 'ApiError' && failure.requestId) || undefined
  const retryAfterMs = readRequestedWait(head.header, now)
  return { failure, facts: { status: head.status, requestId }, retryAfterMs }
}

/**
 * Turns an exchange that broke off into a failure. Where the response already had a status other than 2xx, that
 * explains more than the broken connection. An interrupt takes precedence over both. D49
 */
const describeLoss = <A>(exchange: Exchange<A>, loss: Loss, redact: Redact, now: number): Miss => {
  const { failure, head } = loss
  return head === undefined || isSuccess(head) || failure._tag === 'Interrupted'
    ? { failure: mapTexts(failure, redactAndCut(redact)), facts: head ? factsOf(head, redact) : {} }
    : describeRejection(exchange, head, new Uint8Array(), redact, now)
}
