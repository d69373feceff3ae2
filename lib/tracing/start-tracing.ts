import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime/runtime'
import { type Tracer, type Tracing, untraced } from '../runtime/tracer'
import { sanitize } from '../text/sanitize'
import { formatCollectorAddress } from './exporter'
import { loadTracingConfig } from './load-config'
import { createLogger, type LogLevel, warnOfPlainHttp } from './log'
import { createProvider, idleProvider, receiveSdkMessages } from './provider'
import { createTracer } from './tracer'

/** The flags and values that tracing depends on. */
export interface TracingOptions {
  /** `--trace` */
  readonly trace: boolean
  /** `--no-trace` */
  readonly noTrace: boolean
  /** The version of svc, which its spans name. */
  readonly version: string
  /** The level of the warnings that tracing logs. */
  readonly level: LogLevel
  /** Redacts API keys in the texts of spans. */
  readonly redact: (text: string) => string
}

/** The maximum time by which sending spans delays the exit: of a finished run, and of an interrupted one. */
export const maxExitDelayMs = { finished: 5_000, interrupted: 80 } as const

/** Sets tracing up. Never rejects: a failure, now or on shutdown, is reported in one line on stderr. */
export const startTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> => {
  const report = (event: 'disabled' | 'shutdown', error: string): Promise<void> =>
    runtime.stderr.write(`svc: tracing ${event}: ${sanitize(error)}\n`).catch(() => undefined)
  const started = await assembleTracing(runtime, options).catch((error) =>
    E.left(exceptionMessageOf(error)),
  )
  if (E.isLeft(started)) {
    await report('disabled', started.left)
    return untraced
  }
  const { tracer, finish } = started.right
  return {
    tracer,
    shutdown: async () => {
      const error = await finish().catch(exceptionMessageOf)
      if (error !== undefined) await report('shutdown', error)
    },
  }
}

/** Returns the message of an exception. */
const exceptionMessageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'failed'

/** svc cuts the message of a failure to this length, because the message may quote a text of the collector. */
const maxFailureCharacters = 300

/** A tracer, and how to end tracing. */
interface StartedTracing {
  readonly tracer: Tracer
  /** Sends the remaining spans. Resolves to the first failed export of the run, or to `undefined` if all worked. */
  readonly finish: () => Promise<string | undefined>
}

/** Loads the configuration and assembles the SDK. Fails with a message without secrets. */
const assembleTracing = async (
  runtime: Runtime,
  options: TracingOptions,
): Promise<E.Either<string, StartedTracing>> => {
  const { clock, env, signal, stderr } = runtime
  const { version, level, redact: redactKeys } = options
  const config = await loadTracingConfig(runtime)
  if (E.isLeft(config)) return config
  const { settings, redact: redactConfigValues } = config.right

  let firstFailure: string | undefined
  const reportFailure = (text: string): void => {
    firstFailure ??= redactConfigValues(text).slice(0, maxFailureCharacters)
  }
  const collectors = settings.provider?.processors.map(({ exporter }) => exporter) ?? []
  const exportTo = `export to ${collectors.map(formatCollectorAddress).join(', ')}`
  receiveSdkMessages((reason) => reportFailure(`${exportTo}: ${reason}`))

  const shutdownController = new AbortController()
  const provider =
    settings.provider === undefined
      ? E.right(idleProvider)
      : await createProvider(settings.provider, {
          runtime,
          resource: settings.resource,
          version,
          reportFailure,
          shutdownSignal: shutdownController.signal,
        })
  if (E.isLeft(provider)) return E.left(redactConfigValues(provider.left))
  const { tracerProvider, shutdown } = provider.right

  const log = createLogger(level, clock, (line) => void stderr.write(line))
  for (const { headers, endpoint } of collectors)
    if (holdsKey(headers, redactKeys)) warnOfPlainHttp(log, 'tracing', endpoint)

  const tracer = createTracer({
    tracer: tracerProvider.getTracer('svc', version),
    propagator: settings.propagator,
    env,
    redact: redactKeys,
  })
  const finish = async () => {
    shutdownController.abort()
    const maxDelayMs = signal.aborted ? maxExitDelayMs.interrupted : maxExitDelayMs.finished
    // The program exits after this time, which ends all exports that are still running.
    const isDone = await waitAtMost(clock, maxDelayMs, shutdown())
    if (!isDone) reportFailure(`${exportTo}: not finished within ${maxDelayMs} ms`)
    return firstFailure
  }
  return E.right({ tracer, finish })
}

/** Waits for `work`, but at most for `ms`. Resolves to `true` if `work` resolved in this time. */
const waitAtMost = async (
  clock: Pick<Runtime['clock'], 'timer'>,
  ms: number,
  work: Promise<void>,
): Promise<boolean> => {
  let cancelTimer = (): void => undefined
  const timedOut = new Promise<boolean>((resolve) => {
    cancelTimer = clock.timer(ms, () => resolve(false))
  })
  const isDone = await Promise.race([work.then(() => true), timedOut])
  cancelTimer()
  return isDone
}

/** Returns `true` if a header contains an API key that svc knows. `redactKeys` changes such a header. */
const holdsKey = (
  headers: Readonly<Record<string, string>>,
  redactKeys: (text: string) => string,
): boolean => Object.values(headers).some((value) => redactKeys(value) !== value)
