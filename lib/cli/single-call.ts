import * as E from 'fp-ts/Either'
import type { ReaderTaskEither } from 'fp-ts/ReaderTaskEither'
import type { TaskEither } from 'fp-ts/TaskEither'
import type { AttemptFailure } from '../client/call/attempt'
import type { ServiceClient } from '../client/call/call-context'
import type { Destination } from '../client/providers/destination'
import type { Failure } from '../failure/failure'
import { replaceWrite } from '../runtime/node/output'
import { type ClientContext, createClientAt, findDestination } from './client'
import { createWaitingLine } from './waiting-line'

/**
 * Makes the only call of a command. After two seconds of waiting, a terminal shows a line with the operation, such as
 * `POST /v1/questions`. The line is erased when the call ends or is interrupted. Fails like `findDestination` and like the call.
 */
export const makeSingleCall =
  <A>(
    context: ClientContext,
    describeOperation: (destination: Destination) => string,
    call: ReaderTaskEither<ServiceClient, AttemptFailure, A>,
  ): TaskEither<Failure, A> =>
  async () => {
    const destination = await findDestination(context)()
    if (E.isLeft(destination)) return destination
    const { stderr, clock, signal } = context.runtime
    const line = createWaitingLine(stderr, clock, {
      operation: describeOperation(destination.right),
      maxAttempts: context.globals['max-retries'] + 1,
      isShown: () => stderr.isTTY,
    })
    signal.addEventListener('abort', line.stop)
    const runtime = {
      ...context.runtime,
      stderr: replaceWrite(stderr, (data) => line.write(String(data))),
    }
    const client = createClientAt({ ...context, runtime }, destination.right)
    const outcome = await call({ ...client, reportRetry: line.showRetry })()
    await line.stop()
    return E.isLeft(outcome) ? E.left(outcome.left.failure) : outcome
  }
