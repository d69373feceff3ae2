import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import { messageOf } from '../../failure/message'
import type { Runtime } from '../../runtime/runtime'
import type { Logger } from '../../telemetry/log'

/**
 * Reads the keys again on each SIGHUP and has the service accept them. Where that fails the old keys stay
 * valid, and the log says why. D78
 */
export const reloadKeys = (
  read: TE.TaskEither<Failure, ReadonlyArray<string>>,
  accept: (keys: ReadonlyArray<string>) => E.Either<Failure, void>,
  { onHangup }: Pick<Runtime, 'onHangup'>,
  log: Logger,
): void => {
  const reload = pipe(
    read,
    TE.chainEitherK((keys) =>
      pipe(
        accept(keys),
        E.map(() => keys.length),
      ),
    ),
    TE.match(
      (failure) => log.error('kept the old API keys', { cause: messageOf(failure) }),
      (count) => log.info('read the API keys again', { keys: count }),
    ),
  )
  let reading: Promise<void> = Promise.resolve()
  onHangup?.(() => {
    reading = reading.then(reload)
  })
}
