import * as E from 'fp-ts/Either'
import { sanitize } from '../failure/text/harmless'
import type { Runtime } from '../runtime/runtime'
import { collectorName } from './exporters'
import { loadTracingConfig } from './load-config'
import { createLogger, warnOfPlainHttp } from './log'
import { buildProvider, noProvider } from './provider'
import { buildResource } from './resource'
import { receiveSdkMessages } from './sdk-messages'
import { type Tracer, type Tracing, type TracingOptions, untraced } from './trace'
import { createTracer } from './tracer'

/**
 * The longest time in milliseconds that sending spans may delay the exit: at the end of a run (D35), and after
 * an interrupt.
 */
export const bounds = { finished: 5_000, interrupted: 80 } as const

/** Sets tracing up. A failure, now or on shutdown, is reported in one line on stderr. spec: Tracing */
export const startTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> => {
  const say = (what: string, error: string): Promise<void> =>
    runtime.stderr.write(`svc: tracing ${what}: ${sanitize(error)}\n`).catch(() => undefined)
  const started = await setUp(runtime, options).catch((error) => E.left(messageOf(error)))
  if (E.isLeft(started)) {
    await say('disabled', started.left)
    return untraced
  }
  const { tracer, finish } = started.right
  return {
    tracer,
    shutdown: async () => {
      const error = await finish().catch(messageOf)
      if (error !== undefined) await say('shutdown', error)
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'failed')

/** The most characters of a failure that are kept: it may hold text of any length from a collector. */
const longest = 300

/**
 * Loads the configuration and assembles the SDK. Fails with one redacted text. `finish` sends the remaining spans and
 * returns the first failure to export during the run, if any. spec: Tracing
 */
const setUp = async (
  runtime: Runtime,
  { version, level, redact: redactKeys }: TracingOptions,
): Promise<
  E.Either<string, { readonly tracer: Tracer; readonly finish: () => Promise<string | undefined> }>
> => {
  const { clock, env, signal, stderr } = runtime
  const loaded = await loadTracingConfig(runtime)
  if (E.isLeft(loaded)) return loaded
  const { settings, redact } = loaded.right

  let failure: string | undefined
  const fail = (text: string): void => {
    failure ??= redact.values(text).slice(0, longest)
  }
  const collectors = (settings.provider?.processors ?? []).flatMap(({ exporter }) =>
    exporter.kind === 'otlp_http' ? [exporter] : [],
  )
  const exportTo = `export to ${collectors.map(collectorName).join(', ')}`
  receiveSdkMessages({
    level: settings.logLevel,
    print: (text) => void stderr.write(`svc: tracing: ${sanitize(redact.values(text))}\n`),
    reportRejection: (cause) => fail(`${exportTo}: ${cause}`),
  })

  const ending = new AbortController()
  const resource = await buildResource(settings.resource, runtime)
  const around = { runtime, resource, version, fail, ending: ending.signal }
  const built =
    settings.provider === undefined
      ? E.right(noProvider)
      : await buildProvider(settings.provider, around)
  if (E.isLeft(built)) return E.left(redact.values(built.left))
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
  return E.right({
    tracer,
    finish: async () => {
      ending.abort()
      const bound = signal.aborted ? bounds.interrupted : bounds.finished
      let cancel = (): void => undefined
      // After this time the program exits, which ends whatever is still being sent.
      const late = new Promise<void>((resolve) => {
        cancel = clock.timer(bound, () => {
          fail(`${exportTo}: not finished within ${bound} ms`)
          resolve()
        })
      })
      await Promise.race([shutdown(), late]).finally(() => cancel())
      return failure
    },
  })
}

/** Whether a header holds a key: the tracing key, or one that the file takes from the environment. */
const holdsKey = (
  headers: Readonly<Record<string, string>>,
  redactKeys: (text: string) => string,
): boolean => Object.values(headers).some((value) => redactKeys(value) !== value)
