import * as E from 'fp-ts/Either'
import type { ReaderTaskEither } from 'fp-ts/ReaderTaskEither'
import type { TaskEither } from 'fp-ts/TaskEither'
import type { Miss } from '../client/attempt'
import type { ClientEnv } from '../client/env'
import type { Failure } from '../failure/failure'
import { type ClientContext, clientOf } from './client'
import { writtenBy } from './shown-output'
import { waitingLine } from './waiting-line'

/**
 * Makes the only call of a command. While it waits, it shows on a terminal what it waits for (`awaited`, such
 * as `POST /v1/questions`). The line is erased when the call ends or is interrupted. Fails as `clientOf` and
 * the call do. D63
 */
export const singleCall =
  <A>(
    context: ClientContext,
    awaited: string,
    call: ReaderTaskEither<ClientEnv, Miss, A>,
  ): TaskEither<Failure, A> =>
  async () => {
    const { stderr, clock, env, signal } = context.runtime
    const attempts = context.globals['max-retries'] + 1
    const isShown = () => stderr.isTTY && env.TERM !== 'dumb'
    const line = waitingLine(stderr, clock, { awaited, attempts, isShown })
    signal.addEventListener('abort', line.stop)
    const lines = writtenBy(stderr, (data) => line.write(String(data)))
    const runtime = { ...context.runtime, stderr: lines }
    const outcome = await made(clientOf({ ...context, runtime }), call, line.retry)
    await line.stop()
    return outcome
  }

const made = async <A>(
  client: E.Either<Failure, ClientEnv>,
  call: ReaderTaskEither<ClientEnv, Miss, A>,
  retrying: NonNullable<ClientEnv['retrying']>,
): Promise<E.Either<Failure, A>> => {
  if (E.isLeft(client)) return client
  const outcome = await call({ ...client.right, retrying })()
  return E.isLeft(outcome) ? E.left(outcome.left.failure) : outcome
}
