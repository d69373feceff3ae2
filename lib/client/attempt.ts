import * as E from 'fp-ts/Either'
import type * as RTE from 'fp-ts/ReaderTaskEither'
import type { errorMessage } from '../codec/service-errors'
import type { Failure } from '../failure/failure'
import { mapTexts } from '../failure/map-texts'
import { parseJson } from '../json/parse'
import { field } from '../text/field'
import type { Redact } from '../text/redact'
import { apiFailure } from './api-failure'
import { bodyCutOff } from './connection-failure'
import type { ClientEnv } from './env'
import { redactOf } from './redact'
import { requestedWait } from './retry'
import { type Head, type HttpRequest, type Loss, type Reply, send } from './send'

/** A request to the service, and how its answer is read. */
export interface Exchange<A> extends HttpRequest {
  /** The API path that messages name (`/v1/questions`), without the base address's own path. D47 */
  readonly path: string
  /** Reads a whole 2xx body. `requestId` is the header's, `''` where there is none. */
  readonly decode: (body: Uint8Array, requestId: string) => E.Either<Failure, A>
  /** Reads the message of a body with another status, where it is not told as D44 has it. */
  readonly errorMessage?: typeof errorMessage
}

/** What an answer says besides its body. The key is redacted. */
export interface Facts {
  readonly status?: number
  readonly requestId?: string
}

/** A decoded 2xx answer, and the body as it came. */
export interface Answer<A> {
  readonly value: A
  readonly body: Uint8Array
  readonly facts: Facts
}

/** How an attempt failed, or a call whose last attempt failed like this. The key is redacted. */
export interface Miss {
  readonly failure: Failure
  readonly facts: Facts
  /** How long the service asks its callers to wait (`Retry-After`), in milliseconds. D9 */
  readonly retryAfterMs?: number
}

/** Sends a request once and reads its answer; `call` is what tries again. D5, D6, D10 */
export const attempt =
  <A>(exchange: Exchange<A>): RTE.ReaderTaskEither<ClientEnv, Miss, Answer<A>> =>
  ({ runtime, config, signal }) =>
  async () => {
    const redact = redactOf(config)
    const { method, url, headers, body, keepAlive } = exchange
    const limits = { runtime, signal, timeout: config.timeout }
    const outcome = await send({ method, url, headers, body, keepAlive }, limits)()
    if (E.isLeft(outcome)) return E.left(lost(exchange, outcome.left, redact, runtime.clock.now()))
    const reply = outcome.right
    return isSuccess(reply)
      ? accepted(exchange, reply, redact)
      : E.left(refused(exchange, reply, reply.body, redact, runtime.clock.now()))
  }

const isSuccess = ({ status }: Head): boolean => status >= 200 && status <= 299

const factsOf = ({ status, header }: Head, redact: Redact): Facts => ({
  status,
  requestId: field(redact)(header('x-service-request-id') ?? '') || undefined,
})

/**
 * Reads a 2xx answer. A body whose length nothing announced may have been cut off without an error: where it
 * also stops in the middle of its JSON, that is a connection failure, which is tried again. D46
 */
const accepted = <A>(
  exchange: Exchange<A>,
  reply: Reply,
  redact: Redact,
): E.Either<Miss, Answer<A>> => {
  const { body, endsWithConnection } = reply
  const facts = factsOf(reply, redact)
  const decoded = exchange.decode(body, facts.requestId ?? '')
  if (E.isRight(decoded)) return E.right({ value: decoded.right, body, facts })
  const failure =
    endsWithConnection && endsEarly(body) ? bodyCutOff(new URL(exchange.url).host) : decoded.left
  return E.left({ failure: mapTexts(failure, field(redact)), facts })
}

/** Whether a body stops in the middle of a JSON document. An empty one has not begun. */
const endsEarly = (body: Uint8Array): boolean => {
  const document = parseJson(body)
  return body.length > 0 && E.isLeft(document) && document.left.offset >= body.length
}

/** Makes a failure of an answer with any other status. */
const refused = <A>(
  exchange: Exchange<A>,
  head: Head,
  body: Uint8Array,
  redact: Redact,
  now: number,
): Miss => {
  const failure = mapTexts(apiFailure(exchange, head, body, redact), field(redact))
  const requestId = (failure._tag === 'ApiError' && failure.requestId) || undefined
  const retryAfterMs = requestedWait(head.header, now)
  return { failure, facts: { status: head.status, requestId }, retryAfterMs }
}

/**
 * Makes a failure of an exchange that broke off. A status other than 2xx that came before is the better
 * explanation, unless the run was interrupted or the time was up.
 */
const lost = <A>(exchange: Exchange<A>, loss: Loss, redact: Redact, now: number): Miss => {
  const { failure, head } = loss
  return head === undefined || isSuccess(head) || failure._tag === 'Interrupted'
    ? { failure: mapTexts(failure, field(redact)), facts: head ? factsOf(head, redact) : {} }
    : refused(exchange, head, new Uint8Array(), redact, now)
}
