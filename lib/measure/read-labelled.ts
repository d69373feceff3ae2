import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import { readRun } from '../run/read'
import { sourceAt } from '../run/source'
import type { Runtime } from '../runtime/runtime'
import { createCollector } from './collect'
import type { LabelledRun } from './labelled'

/** Reads the labelled answers of a run. Fails with a usage error that names the line of a fault. R1, R18 */
export const readLabelled = (
  runtime: Runtime,
  path: string,
): TE.TaskEither<Failure, LabelledRun> => {
  const { add, finish } = createCollector()
  const source = sourceAt(path, runtime)
  return pipe(
    readRun(source, add),
    TE.chainEitherK(() =>
      pipe(
        finish(),
        E.mapLeft((cause) => usage(`read run: ${source.name}: ${cause}`)),
      ),
    ),
  )
}
