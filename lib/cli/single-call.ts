import * as E from 'fp-ts/Either'
import type { ReaderTaskEither } from 'fp-ts/ReaderTaskEither'
import type { TaskEither } from 'fp-ts/TaskEither'
import type { Miss } from '../client/call/attempt'
import type { ClientEnv } from '../client/call/env'
import type { Place } from '../client/providers/place'
import type { Failure } from '../failure/failure'
import { type ClientContext, createClientAt, findPlace } from './client'
import { replaceWrite } from './printable'
import { createWaitingLine } from './waiting-line'

/**
 * Makes the only call of a command. While it waits, it shows on a terminal what it waits for (`awaited`, such
 * as `POST /v1/questions`). The line is erased when the call ends or is interrupted. Fails as `findPlace` and
 * the call do.
 */
export const makeOnlyCall =
  <A>(
    context: ClientContext,
    awaited: (place: Place) => string,
    call: ReaderTaskEither<ClientEnv, Miss, A>,
  ): TaskEither<Failure, A> =>
  async () => {
    const place = await findPlace(context)()
    if (E.isLeft(place)) return place
    const { stderr, clock, signal } = context.runtime
    const line = createWaitingLine(stderr, clock, {
      awaited: awaited(place.right),
      attempts: context.globals['max-retries'] + 1,
      isShown: () => stderr.isTTY,
    })
    signal.addEventListener('abort', line.stop)
    const runtime = {
      ...context.runtime,
      stderr: replaceWrite(stderr, (data) => line.write(String(data))),
    }
    const client = createClientAt({ ...context, runtime }, place.right)
    const outcome = await call({ ...client, reportRetry: line.retry })()
    await line.stop()
    return E.isLeft(outcome) ? E.left(outcome.left.failure) : outcome
  }
