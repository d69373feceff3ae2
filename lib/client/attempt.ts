import * as E from 'fp-ts/Either'
import type * as RTE from 'fp-ts/ReaderTaskEither'
import { connection, type Failure, interrupted, invalidResponse } from '../failure/failure'
import { parseJson } from '../json/parse'
import { codeOf } from '../runtime/reason'
import type { FetchResponse } from '../runtime/runtime'
import { transportCode } from '../runtime/transport-error'
import { apiFailure } from './api-failure'
import { causeOf, cutOff } from './causes'
import { type Deadline, startDeadline } from './deadline'
import type { ClientEnv } from './env'
import { maxResponse, readBody, tooLarge } from './read-body'
import { createRedact, type Redact, redactFailure } from './redact'
import { requestedWait } from './retry'

/** A request and how its answer is read. */
export interface Exchange<A> {
  readonly method: 'GET' | 'POST'
  /** The API path, without the base address's prefix. D47 */
  readonly path: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Reads a whole 2xx body. */
  readonly decode: (body: Uint8Array, requestId: string) => E.Either<Failure, A>
}

/** What an attempt tells besides its outcome; no text has the key in it. */
export interface Facts {
  readonly status?: number
  readonly requestId?: string
}

/** A decoded 2xx answer. */
export interface Answer<A> {
  readonly value: A
  readonly body: Uint8Array
  readonly facts: Facts
}

/** A failed attempt; no text has the key in it. */
export interface Miss {
  readonly failure: Failure
  readonly facts: Facts
  /** The wait the service asks for, in milliseconds. */
  readonly requested?: number
}

/** One attempt under way. */
interface Scene<A> {
  readonly exchange: Exchange<A>
  readonly env: ClientEnv
  readonly deadline: Deadline
  readonly redact: Redact
  /** `host:port` of the service. */
  readonly host: string
}

/** Sends a request once. D5, D6, D10 */
export const attempt =
  <A>(exchange: Exchange<A>): RTE.ReaderTaskEither<ClientEnv, Miss, Answer<A>> =>
  (env) =>
  async () => {
    if (env.signal.aborted) return miss(interrupted)
    const { runtime, config } = env
    const redact = createRedact(config.apiKey)
    const deadline = startDeadline(runtime.clock, env.signal, config.timeoutMs)
    const scene = { exchange, env, deadline, redact, host: new URL(exchange.url).host }
    let response: FetchResponse | undefined
    let complete = false
    try {
      response = await send(scene)
      const outcome = await receive(scene, response)
      complete = true
      return outcome
    } catch (error) {
      const failure = redactFailure(broken(scene, error, response !== undefined), redact)
      return miss(failure, response && factsOf(scene, response))
    } finally {
      deadline.end(!complete)
    }
  }

const send = <A>({ exchange, env, deadline }: Scene<A>): Promise<FetchResponse> => {
  const { method, url, headers, body } = exchange
  const init = { method, headers, signal: deadline.signal }
  return env.runtime.fetch(url, body === undefined ? init : { ...init, body })
}

const receive = <A>(
  scene: Scene<A>,
  response: FetchResponse,
): Promise<E.Either<Miss, Answer<A>>> =>
  response.status >= 200 && response.status <= 299
    ? accept(scene, response)
    : refuse(scene, response)

const miss = (failure: Failure, facts: Facts = {}): E.Either<Miss, never> =>
  E.left({ failure, facts })

const requestIdOf = <A>({ redact }: Scene<A>, response: FetchResponse): string =>
  redact(response.header('x-service-request-id') ?? '')

const factsOf = <A>(scene: Scene<A>, response: FetchResponse): Facts => {
  const requestId = requestIdOf(scene, response)
  return { status: response.status, ...(requestId === '' ? {} : { requestId }) }
}

/** A 2xx answer: its body must come whole and decode. */
const accept = async <A>(
  scene: Scene<A>,
  response: FetchResponse,
): Promise<E.Either<Miss, Answer<A>>> => {
  const facts = factsOf(scene, response)
  const body = await readBody(response.body, maxResponse)
  const decoded = scene.exchange.decode(body, requestIdOf(scene, response))
  if (E.isRight(decoded)) return E.right({ value: decoded.right, body, facts })
  const cut = response.endsWithConnection === true && endsEarly(body)
  const failure = cut ? connection(cutOff(scene.host)) : decoded.left
  return miss(redactFailure(failure, scene.redact), facts)
}

/** Whether JSON text stops before it is complete. Only then is a body without a length cut off. D46 */
const endsEarly = (body: Uint8Array): boolean => {
  const document = parseJson(body)
  return body.length > 0 && E.isLeft(document) && document.left.offset >= body.length
}

/** Any other status. It says enough where the body does not come through. */
const refuse = async <A>(
  scene: Scene<A>,
  response: FetchResponse,
): Promise<E.Either<Miss, never>> => {
  const body = await readBody(response.body, maxResponse).catch((error: unknown) => {
    if (scene.deadline.signal.aborted) throw error
    return new Uint8Array()
  })
  const { exchange, redact } = scene
  const failure = redactFailure(apiFailure(exchange, response, body, redact), redact)
  const requested = requestedWait(response.header, scene.env.runtime.clock.now())
  const requestId = failure._tag === 'ApiError' ? failure.requestId : ''
  return E.left({
    failure,
    facts: { status: response.status, ...(requestId === '' ? {} : { requestId }) },
    ...(requested === undefined ? {} : { requested }),
  })
}

/** What an exception of the exchange stands for. */
const broken = <A>(scene: Scene<A>, error: unknown, answered: boolean): Failure => {
  const { env, deadline, host } = scene
  if (env.signal.aborted) return interrupted
  if (deadline.expired()) {
    const phase = answered ? 'the response body is not complete' : 'no response yet'
    return connection(`${phase} (${host})`, env.config.timeoutText)
  }
  switch (codeOf(error)) {
    case tooLarge:
      return invalidResponse('', 'response exceeds 16 MiB')
    case transportCode.contentEncoding:
      return invalidResponse('', error instanceof Error ? error.message : '')
    default:
      return connection(causeOf(error, host))
  }
}
