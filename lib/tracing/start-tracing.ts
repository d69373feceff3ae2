import * as E from 'fp-ts/Either'
import { sanitize } from '../failure/text/harmless'
import type { Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/tracer'
import { collectorName } from './exporter'
import { loadTracingConfig } from './load-config'
import { createLogger, warnOfPlainHttp } from './log'
import { buildProvider, noProvider } from './provider'
import { receiveSdkMessages } from './sdk-messages'
import { createTracer } from './tracer'
import { type Tracing, type TracingOptions, untraced } from './tracing'

/**
 * The maximum time in milliseconds that sending spans may delay the exit: at the end of a run, and after an
 * interrupt.
 */
export const bounds = { finished: 5_000, interrupted: 80 } as const

/** Sets tracing up. A failure, now or on shutdown, is reported in one line on stderr. */
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

/** A failure may quote a collector's text of any length. This many characters of it are kept. */
const maxFailureCharacters = 300

/** Tracing that is set up. */
interface Started {
  readonly tracer: Tracer
  /** Sends the remaining spans. Resolves to the first failure to export during the run, if any. */
  readonly finish: () => Promise<string | undefined>
}

/** Loads the configuration and assembles the SDK. Fails with one redacted text. */
const setUp = async (
  runtime: Runtime,
  { version, level, redact: redactKeys }: TracingOptions,
): Promise<E.Either<string, Started>> => {
  const { clock, env, signal, stderr } = runtime
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
  const options = { runtime, resource: settings.resource, version, fail, ending: ending.signal }
  const built =
    settings.provider === undefined
      ? E.right(noProvider)
      : await buildProvider(settings.provider, options)
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
  }
  return E.right({ tracer, finish })
}

/** True if a header contains a key: the tracing key, or one that the file takes from the environment. */
const holdsKey = (
  headers: Readonly<Record<string, string>>,
  redactKeys: (text: string) => string,
): boolean => Object.values(headers).some((value) => redactKeys(value) !== value)
