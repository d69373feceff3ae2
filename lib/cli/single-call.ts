import * as E from 'fp-ts/Either'
import type { AttemptFailure } from '../client/call/attempt'
import type { ServiceClient } from '../client/call/client'
import type { Destination } from '../client/providers/destination'
import type { Failure } from '../failure/failure'
import { replaceWrite } from '../runtime/node/output'
import {
  eraseLine,
  maxLineLength,
  showTickingLine,
  type TickingLine,
} from '../runtime/node/transient-line'
import type { Clock, Output } from '../runtime/runtime'
import { sanitize } from '../text/sanitize'
import { type ClientContext, type EngineUse, findDestination } from './client'
import { openClientAt } from './open-client'

/** The only call of a command. */
interface SingleCall<A> {
  /** Describes the call for the terminal, such as `POST /v1/questions`. */
  readonly describeOperation: (destination: Destination) => string
  readonly use: EngineUse
  /** Checks what can be checked before an engine is opened, which can take long. */
  readonly check?: (destination: Destination) => E.Either<Failure, unknown>
  readonly call: (client: ServiceClient) => Promise<E.Either<AttemptFailure, A>>
}

/**
 * Makes the only call of a command. After two seconds of waiting, a terminal shows a line with the operation, such as
 * `POST /v1/questions`. The line is erased when the call ends or is interrupted. Fails like `findDestination`, `openClientAt` and the call.
 */
export const makeSingleCall = async <A>(
  context: ClientContext,
  { describeOperation, use, check, call }: SingleCall<A>,
): Promise<E.Either<Failure, A>> => {
  const destination = await findDestination(context)
  if (E.isLeft(destination)) return destination
  const checked = destination.right.engine && check?.(destination.right)
  if (checked !== undefined && E.isLeft(checked)) return checked
  const { stderr, clock, signal } = context.runtime
  const line = createWaitingLine(stderr, clock, {
    operation: describeOperation(destination.right),
    maxAttempts: context.globals['max-retries'] + 1,
    isShown: () => stderr.isTTY,
  })
  signal.addEventListener('abort', line.stop)
  // Other texts on stderr, such as warnings, would otherwise be appended to the line.
  const runtime = {
    ...context.runtime,
    stderr: replaceWrite(stderr, (data) => line.write(String(data))),
  }
  const client = await openClientAt({ ...context, runtime }, destination.right, use)
  if (E.isLeft(client)) {
    await line.stop()
    return client
  }
  const outcome = await call({ ...client.right, reportRetry: line.showRetry })
  await line.stop()
  return E.isLeft(outcome) ? E.left(outcome.left.failure) : outcome
}

/** A line on the terminal that shows that a call is waiting for its answer. */
interface WaitingLine {
  /** Shows that an attempt (the first is 1) has begun, and why the attempt before it failed. */
  readonly showRetry: (attempt: number, failureReason: string) => void
  /** Erases the waiting line, and writes whole lines to the terminal. The next second shows the waiting line again. */
  readonly write: (lines: string) => Promise<void>
  /** Erases the line for good. Further calls of `stop` do nothing. */
  readonly stop: () => Promise<void>
}

/** The call that the line is about. */
interface AwaitedCall {
  /** The method and path of the call, such as `POST /v1/questions`. */
  readonly operation: string
  readonly maxAttempts: number
  /** Returns `true` if there is a terminal to show the line on. */
  readonly isShown: () => boolean
}

/** The time in milliseconds before the line appears. Most calls end sooner. */
const appearAfterMs = 2000

/** The minimum space for a reason, in characters. A reason that is cut to less says too little. */
const minReasonSpace = 12

/**
 * Creates a line that is redrawn each second: the operation, the seconds since the call began, the number of the attempt, and
 * why the last attempt failed.
 */
export const createWaitingLine = (
  output: Output,
  clock: Clock,
  { operation, maxAttempts, isShown }: AwaitedCall,
): WaitingLine => {
  let shownAttempt = 1
  let reason = ''
  let tickingLine: TickingLine | undefined
  const describeWait = (secondsShown: number): string => {
    const elapsedSeconds = Math.floor(appearAfterMs / 1000 + secondsShown)
    const text = `svc: ${operation}: ${elapsedSeconds}s, attempt ${shownAttempt} of ${maxAttempts}`
    return text + formatReason(reason, maxLineLength(output) - text.length)
  }
  // `isShown` looks for a terminal, which takes Node a millisecond. Short calls never pay for it.
  const cancel = clock.timer(appearAfterMs, () => {
    if (isShown()) tickingLine = showTickingLine(output, clock, describeWait)
  })
  return {
    showRetry: (attempt, failureReason) => {
      shownAttempt = attempt
      // `typesafe: GET /v1/models returned 503` becomes `returned 503`. The line already begins with the operation. `typesafe` is the
      // name that `messageOf` puts before a failure without a provider.
      reason = sanitize(failureReason.replace(/^typesafe: /, '').replace(`${operation} `, ''))
    },
    write: (lines) => output.write((tickingLine === undefined ? '' : eraseLine) + lines),
    stop: async () => {
      cancel()
      const stoppedLine = tickingLine
      tickingLine = undefined
      // A closed terminal shows no line, so a failure to erase it does not matter.
      await stoppedLine?.stop().catch(() => undefined)
    },
  }
}

/** Formats ` (<reason>)` with at most `maxLength` characters. Returns `''` if there is no reason, or too little space for it. */
const formatReason = (reason: string, maxLength: number): string => {
  const space = maxLength - ' ()'.length
  if (reason === '' || space < minReasonSpace) return ''
  const shown = reason.length <= space ? reason : `${reason.slice(0, space - '...'.length)}...`
  return ` (${shown})`
}
