import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import type { Runtime } from '../../runtime/runtime'
import { loadDialect } from '../dialects/load'
import { loadProvider } from './load-provider'
import { chooseDialect, type Route, resolveRoute } from './place'
import type { Target } from './target'

/** Resolves where calls go. Fails with a usage error for provider, dialect or address. P3, P5 */
export const findRoute = (target: Target, env: Runtime['env']): TE.TaskEither<Failure, Route> =>
  pipe(
    () => loadProvider(target),
    TE.bindTo('provider'),
    TE.bind('dialectName', ({ provider }) => TE.fromEither(chooseDialect(target, provider))),
    TE.bind('dialect', ({ dialectName }) => TE.fromTask(() => loadDialect(dialectName))),
    TE.chainEitherK(({ provider, dialect }) => resolveRoute(target, provider, dialect, env)),
  )
