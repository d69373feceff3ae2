import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as RTE from 'fp-ts/ReaderTaskEither'
import * as T from 'fp-ts/Task'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted } from '../failure/failure'
import type { Attributes, Span } from '../runtime/trace'
import { type Answer, attempt, type Exchange, type Facts, type Miss } from './attempt'
import type { ClientEnv } from './env'
import { attemptAttributes, endSpan, logAttempt, logCall } from './observe'
import { nextWait } from './retry'

/** A call: what is sent and what is told about it. */
export interface Call<A> {
  /** The span's name. D33 */
  readonly name: string
  readonly exchange: Exchange<A>
  readonly attributes: Attributes
  /** What the answer adds to the span. */
  readonly answered: (value: A) => Attributes
}

/** A call's answer: decoded, and the body it came from. */
export interface Answered<A> {
  readonly value: A
  readonly body: Uint8Array
}

/** A call under way. */
interface State {
  readonly span: Span
  /** Monotonic. */
  readonly started: number
  /** Attempts made, their spans oldest first. */
  readonly spans: Array<Span>
}

/** Sends a request until it is answered, is refused for good or has used up its retries. D8-D10 */
export const call =
  <A>(request: Call<A>): RTE.ReaderTaskEither<ClientEnv, Failure, Answered<A>> =>
  (env) => {
    const { clock } = env.runtime
    return pipe(
      TE.fromIO<State, never>(() => ({
        span: env.tracer.start(request.name, {
          ...(env.parent === undefined ? {} : { parent: env.parent }),
          client: true,
          attributes: request.attributes,
        }),
        started: clock.monotonic(),
        spans: [],
      })),
      TE.chain((state) =>
        pipe(
          attempts(request.exchange, state)(env),
          T.map((outcome) => {
            conclude(request, state, env, outcome)
            return outcome
          }),
          TE.mapLeft(({ failure }) => failure),
        ),
      ),
    )
  }

/** One attempt, and after it the wait and the attempts that are left. */
const attempts =
  <A>(exchange: Exchange<A>, state: State): RTE.ReaderTaskEither<ClientEnv, Miss, Answer<A>> =>
  (env) =>
    pipe(
      observed(exchange, state)(env),
      TE.orElse(({ wait, ...missed }) =>
        wait === undefined
          ? TE.left(missed)
          : pipe(
              waited(wait, env),
              TE.mapLeft((failure) => ({ failure, facts: {} })),
              TE.chain(() => attempts(exchange, state)(env)),
            ),
      ),
    )

/** Ends at once, as interrupted, when the call is cancelled. D9 */
const waited =
  (ms: number, { runtime, signal }: ClientEnv): TE.TaskEither<Failure, void> =>
  async () => {
    if (ms > 0) await runtime.clock.sleep(ms, signal)
    return signal.aborted ? E.left(interrupted) : E.right(undefined)
  }

/** A failed attempt and the wait before the next one, if there is a next one. */
interface Decided extends Miss {
  readonly wait?: number
}

/** One attempt with its span and its log lines. */
const observed =
  <A>(exchange: Exchange<A>, state: State): RTE.ReaderTaskEither<ClientEnv, Decided, Answer<A>> =>
  (env) =>
  async () => {
    const { clock, random } = env.runtime
    const number = state.spans.length + 1
    const links = state.spans.slice(-1)
    const span = env.tracer.start(exchange.method, {
      ...{ parent: state.span, client: true, links },
      attributes: attemptAttributes(exchange, number),
    })
    state.spans.push(span)
    const began = clock.monotonic()
    const headers = { ...exchange.headers, ...span.headers() }
    const outcome = await attempt({ ...exchange, headers })(env)()
    const ended = clock.monotonic()
    const facts = E.isRight(outcome) ? outcome.right.facts : outcome.left.facts
    span.set({ 'http.response.status_code': facts.status })
    const seen = { exchange, number, duration: ended - began, facts }
    if (E.isRight(outcome)) {
      endSpan(span)
      logAttempt(env, seen)
      return outcome
    }
    const { failure, requested } = outcome.left
    const retries = number - 1
    const { maxRetries } = env.config
    const elapsed = ended - state.started
    const wait = nextWait({ failure, retries, maxRetries, elapsed, requested, random })
    endSpan(span, failure)
    logAttempt(env, { ...seen, failure, ...(wait === undefined ? {} : { wait }) })
    return E.left({ ...outcome.left, ...(wait === undefined ? {} : { wait }) })
  }

/** The end of a call: its span and its log line. */
const conclude = <A>(
  request: Call<A>,
  state: State,
  env: ClientEnv,
  outcome: E.Either<Miss, Answer<A>>,
): void => {
  const attempts = state.spans.length
  const facts: Facts = E.isRight(outcome) ? outcome.right.facts : outcome.left.facts
  const failure = E.isRight(outcome) ? undefined : outcome.left.failure
  state.span.set({
    'svc.retry.attempts': attempts - 1,
    'svc.request_id': facts.requestId,
    'http.response.status_code': facts.status,
    ...(E.isRight(outcome) ? request.answered(outcome.right.value) : {}),
  })
  endSpan(state.span, failure)
  const { method, path } = request.exchange
  const duration = env.runtime.clock.monotonic() - state.started
  const ended = failure === undefined ? { facts } : { facts, failure }
  logCall(env, `${method} ${path}`, attempts, duration, ended)
}
