import { once } from 'node:events'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { createCommandLogger, userAgentOf } from '../../lib/cli/client'
import type { Context, Run } from '../../lib/cli/declaration'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { toMillis } from '../../lib/failure/text/duration'
import type { Runtime } from '../../lib/runtime/runtime'
import type { Engine } from '../../lib/service/contract/engine'
import { flagsForCalls } from '../../lib/service/engines/flags'
import { selectEngine } from '../../lib/service/engines/select-engine'
import type { Listening } from '../../lib/service/http/server'
import { readConfiguredKeys, reloadKeys } from '../../lib/service/limits/configured-keys'
import { checkKeys, createKeys } from '../../lib/service/limits/keys'
import { type ServiceOptions, startService } from '../../lib/service/start'
import { warnOfPlainHttp } from '../../lib/tracing/log'
import type { ServeFlags } from '../serve'

type Flags = Context<ServeFlags>['flags']

/** How long stopping waits for requests in progress, in milliseconds. D43 */
const drainMs = 10_000

/** The most bytes of request bodies and unread responses of all callers that are held at one time. D80 */
const maxHeldBytes = 256 << 20

/**
 * Runs `svc serve`: serves until a signal stops it. Fails with a usage error where it cannot start, and with an interrupt
 * where a signal comes before it has started. D36, D43
 */
export const runServe: Run<ServeFlags> = (context) => {
  const { runtime, build, flags, tracer } = context
  const { clock } = runtime
  const log = createCommandLogger(context)
  const sources = { list: runtime.env.SERVICE_API_KEYS, file: flags['api-keys-file'] }
  const listed = pipe(
    readConfiguredKeys(sources, { files: runtime.files, log, signal: runtime.signal }),
    TE.chainEitherK((keys) => checkKeys(flags.host, keys)),
  )
  const started = pipe(
    TE.fromEither(refuseFlagsForCalls(context)),
    TE.chain(() => readServiceOptions(flags, listed)),
    TE.bindTo('options'),
    TE.bind('engine', () =>
      selectEngine(flags, { runtime, tracer, userAgent: userAgentOf(build) }),
    ),
    TE.bind('listening', ({ engine, options }) =>
      startService(engine, options, { clock, tracer, log }),
    ),
  )
  return pipe(
    failWhenInterrupted(started, runtime),
    TE.chainTaskK(({ engine, options: { keys }, listening }) => async () => {
      await runtime.stderr.write(describeEngine(engine))
      const { 'engine-url': address } = flags
      if (address && runtime.env.SERVICE_ENGINE_API_KEY)
        warnOfPlainHttp(log, 'API', new URL(address))
      if (sources.file !== undefined) reloadKeys(listed, keys, runtime, log)
      await serveUntilStopped(listening, runtime)
      return {}
    }),
  )
}

/**
 * Fails with an interrupt as soon as a signal comes before the service has started, whatever the start waits for. A start
 * that fails because of the signal counts as interrupted too.
 */
const failWhenInterrupted =
  <A>(start: TE.TaskEither<Failure, A>, { signal }: Pick<Runtime, 'signal'>): typeof start =>
  () =>
    new Promise((resolve) => {
      const interrupt = (): void => resolve(E.left(interrupted))
      signal.addEventListener('abort', interrupt, { once: true })
      if (signal.aborted) interrupt()
      void start().then((result) => {
        signal.removeEventListener('abort', interrupt)
        resolve(E.isLeft(result) && signal.aborted ? E.left(interrupted) : result)
      })
    })

/** Refuses a global flag that is for making calls, with a usage error. D61 */
const refuseFlagsForCalls = ({ given }: Context<ServeFlags>): E.Either<Failure, void> => {
  const found = flagsForCalls.find(([name]) => given(name))
  return found === undefined
    ? E.right(undefined)
    : E.left(usage(`--${found[0]} is for calls; svc serve ${found[1]}`))
}

/** Reads the options of the service from flags and keys. */
const readServiceOptions = (
  flags: Flags,
  listed: TE.TaskEither<Failure, ReadonlyArray<string>>,
): TE.TaskEither<Failure, ServiceOptions> =>
  pipe(
    listed,
    TE.map((keys) => ({
      host: flags.host,
      port: flags.port,
      keys: createKeys(keys),
      ratePerMinute: flags['rate-limit'],
      maxConcurrent: flags['max-concurrent'],
      maxQueue: flags['max-queue'],
      readMs: toMillis(flags['read-timeout']),
      answerMs: toMillis(flags['answer-timeout']),
      idleMs: toMillis(flags['idle-timeout']),
      drainMs,
      maxBody: flags['max-body'],
      maxHeldBytes,
    })),
  )

/** Writes what stderr says about an engine before it tells the address. */
const describeEngine = ({ name }: Engine): string =>
  name === 'lexical'
    ? 'svc: the lexical engine compares words; for real answers see svc help engines\n'
    : ''

const serveUntilStopped = async (
  { url, stop }: Listening,
  { stderr, signal }: Pick<Runtime, 'stderr' | 'signal'>,
): Promise<void> => {
  await stderr.write(`svc: listening on ${url}\n`)
  if (!signal.aborted) await once(signal, 'abort')
  await stop()
}
