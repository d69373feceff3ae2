import * as E from 'fp-ts/Either'
import { sanitize } from '../failure/text/sanitize'
import type { Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/tracer'
import { collectorName } from './exporter'
import { loadTracingConfig } from './load-config'
import { createLogger, warnOfPlainHttp } from './log'
import { createProvider, noProvider } from './provider'
import { receiveSdkMessages } from './sdk-messages'
import { createTracer } from './tracer'
import { type Tracing, type TracingOptions, untraced } from './tracing'

/** The longest delay of the exit by sending spans: after a finished run, and after an interrupt. */
export const maxExitDelayMs = { finished: 5_000, interrupted: 80 } as const

/** Sets tracing up. A failure, now or on shutdown, is reported in one line on stderr. */
export const startTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> => {
  const report = (what: string, error: string): Promise<void> =>
    runtime.stderr.write(`svc: tracing ${what}: ${sanitize(error)}\n`).catch(() => undefined)
  const started = await assembleTracing(runtime, options).catch((error) => E.left(messageOf(error)))
  if (E.isLeft(started)) {
    await report('disabled', started.left)
    return untraced
  }
  const { tracer, finish } = started.right
  return {
    tracer,
    shutdown: async () => {
      const error = await finish().catch(messageOf)
      if (error !== undefined) await report('shutdown', error)
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'failed')

/** A failure is cut to this length, since it may quote a text of the collector. */
const maxFailureCharacters = 300

/** Tracing that is set up. */
interface Started {
  readonly tracer: Tracer
  /** Sends the remaining spans. Resolves to the first failure to export during the run, if any. */
  readonly finish: () => Promise<string | undefined>
}

/** Loads the configuration and assembles the SDK. Fails with one redacted text. */
const assembleTracing = async (
  runtime: Runtime,
  options: TracingOptions,
): Promise<E.Either<string, Started>> => {
  const { clock, env, signal, stderr } = runtime
  const { version, level, redact: redactKeys } = options
  const loaded = await loadTracingConfig(runtime)
  if (E.isLeft(loaded)) return loaded
  const { settings, redact } = loaded.right

  let failure: string | undefined
  const fail = (text: string): void => {
    failure ??= redact(text).slice(0, maxFailureCharacters)
  }
  const collectors = settings.provider?.processors.map(({ exporter }) => exporter) ?? []
  const exportTo = `export to ${collectors.map(collectorName).join(', ')}`
  receiveSdkMessages((reason) => fail(`${exportTo}: ${reason}`))

  const ending = new AbortController()
  const built =
    settings.provider === undefined
      ? E.right(noProvider)
      : await createProvider(settings.provider, {
          runtime,
          resource: settings.resource,
          version,
          fail,
          ending: ending.signal,
        })
  if (E.isLeft(built)) return E.left(redact(built.left))
  const { tracers, shutdown } = built.right

  const log = createLogger(level, clock, (line) => void stderr.write(line))
  for (const { headers, endpoint } of collectors)
    if (holdsKey(headers, redactKeys)) warnOfPlainHttp(log, 'tracing', endpoint)

  const tracer = createTracer({
    tracer: tracers.getTracer('svc', version),
    propagator: settings.propagator,
    env,
    redact: redactKeys,
  })
  const finish = async () => {
    ending.abort()
    const limit = signal.aborted ? maxExitDelayMs.interrupted : maxExitDelayMs.finished
    let cancelTimer = (): void => undefined
    // The program exits after this time, which ends any export that is still running.
    const timedOut = new Promise<void>((resolve) => {
      cancelTimer = clock.timer(limit, () => {
        fail(`${exportTo}: not finished within ${limit} ms`)
        resolve()
      })
    })
    await Promise.race([shutdown(), timedOut])
    cancelTimer()
    return failure
  }
  return E.right({ tracer, finish })
}

/** True if a header contains a key: the tracing key, or one that the file takes from the environment. */
const holdsKey = (
  headers: Readonly<Record<string, string>>,
  redactKeys: (text: string) => string,
): boolean => Object.values(headers).some((value) => redactKeys(value) !== value)
