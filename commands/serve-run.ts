import { pipe } from 'fp-ts/function'
import * as T from 'fp-ts/Task'
import * as TE from 'fp-ts/TaskEither'
import { userAgentOf } from '../lib/cli/client'
import type { Context, Result, Run } from '../lib/cli/declaration'
import type { Failure } from '../lib/failure/failure'
import { createLogger } from '../lib/runtime/log'
import type { Runtime } from '../lib/runtime/runtime'
import { selectEngine } from '../lib/service/engines/select'
import type { Listening } from '../lib/service/http/server'
import { type LineWriter, lineWriter } from '../lib/service/observe/line-writer'
import { serviceOptions } from '../lib/service/settings'
import { startService } from '../lib/service/start'
import type { ServeFlags } from './serve'

type ServeContext = Context<ServeFlags>

/** Serves until a signal comes. A start that fails is a usage error. D36, D43 */
export const run: Run<ServeFlags> = (context) => {
  const { stderr, clock } = context.runtime
  const lines = lineWriter((text) => stderr.write(text), clock)
  return pipe(
    serve(context, lines),
    T.chainFirst(() => () => lines.flush()),
  )
}

const serve = (context: ServeContext, lines: LineWriter): TE.TaskEither<Failure, Result> => {
  const { runtime, build, flags, tracer, level } = context
  const { clock } = runtime
  const log = createLogger(level, clock, lines.add)
  const userAgent = userAgentOf(build)
  return pipe(
    serviceOptions(flags, runtime),
    TE.bindTo('options'),
    TE.bind('engine', () => selectEngine(flags, { runtime, tracer, log, userAgent })),
    TE.chain(({ engine, options }) => startService(engine, options, { clock, tracer, log })),
    TE.chain((listening) => TE.fromTask(untilStopped(runtime, listening))),
    TE.map(() => ({})),
  )
}

const untilStopped =
  ({ stderr, signal }: Pick<Runtime, 'stderr' | 'signal'>, listening: Listening): T.Task<void> =>
  async () => {
    await stderr.write(`svc: listening on ${listening.url}\n`)
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    await listening.stop()
  }
