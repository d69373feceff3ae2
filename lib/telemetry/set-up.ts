import {
  type DiagLogger,
  DiagLogLevel,
  diag,
  ProxyTracerProvider,
  type TextMapPropagator,
} from '@opentelemetry/api'
import {
  CompositePropagator,
  setGlobalErrorHandler,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core'
import * as E from 'fp-ts/Either'
import type { Output, Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/trace'
import { sanitize } from '../text/harmless'
import type { LogLevel, Propagation } from './config'
import type { Env } from './expand'
import { loadConfig } from './load-config'
import { buildProvider, type Provider } from './provider'
import { faultText } from './reader'
import { buildResource } from './resource'
import { type Failures, shutDown } from './shut-down'
import { makeTracer } from './tracer'
import type { TracingOptions } from './tracing'

/** Tracing that is set up. */
export interface Running {
  readonly tracer: Tracer
  /** Ends within `bound` milliseconds; gives the first failure of the run's exports, if any. */
  readonly shutdown: (bound: number) => Promise<string | undefined>
}

/** Characters of a failure that are shown: some of it is a collector's own text. */
const longest = 300

/** Loads the configuration and puts the SDK together. An error is one redacted text. spec: Tracing */
export const setUp = async (
  runtime: Runtime,
  options: TracingOptions,
): Promise<E.Either<string, Running>> => {
  const loaded = await loadConfig(runtime)
  if (E.isLeft(loaded)) return loaded
  const { config, redact } = loaded.right
  const failures: Failures = []
  const fail = (error: unknown): void => {
    if (failures.length > 0) return
    const text = error instanceof Error ? error.message : 'failed'
    failures.push(redact.values(text).slice(0, longest))
  }
  setGlobalErrorHandler(fail)
  diag.setLogger(logger(config.logLevel, runtime.stderr, redact.values, fail), {
    logLevel: DiagLogLevel.ALL,
    suppressOverrideMessage: true,
  })
  const resource = await buildResource(config.resource, runtime)
  const built =
    config.provider === undefined
      ? E.right(noProvider)
      : await buildProvider(config.provider, resource, runtime, options.version)
  if (E.isLeft(built)) return E.left(faultText(built.left, redact))
  const provider = built.right
  return E.right({
    tracer: makeTracer({
      tracer: provider.tracers.getTracer('svc', options.version),
      propagator: propagatorOf(config.propagators),
      carrier: carrierOf(runtime.env),
      redact: options.redact,
    }),
    shutdown: (bound) => shutDown(provider, bound, runtime.clock, fail, failures),
  })
}

/** Records nothing and still passes a parent's context on. */
const noProvider: Provider = {
  tracers: new ProxyTracerProvider(),
  connections: [],
  shutdown: async () => undefined,
  settled: async () => undefined,
}

const propagators: Readonly<Record<Propagation, () => TextMapPropagator>> = {
  tracecontext: () => new W3CTraceContextPropagator(),
  baggage: () => new W3CBaggagePropagator(),
}

const propagatorOf = (names: ReadonlyArray<Propagation>): TextMapPropagator =>
  new CompositePropagator({ propagators: names.map((name) => propagators[name]()) })

/** The environment as a carrier: what a pipeline hands to the programs that it starts. */
const carrierOf = (env: Env): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['traceparent', 'tracestate', 'baggage'].flatMap((name) => {
      const value = env[name.toUpperCase()] ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )

const diagLevels: Readonly<Record<LogLevel, DiagLogLevel>> = {
  trace: DiagLogLevel.VERBOSE,
  debug: DiagLogLevel.DEBUG,
  info: DiagLogLevel.INFO,
  warn: DiagLogLevel.WARN,
  error: DiagLogLevel.ERROR,
  fatal: DiagLogLevel.NONE,
}

/** How the SDK says that a collector took a request and dropped some of its spans. */
const partialSuccess = 'Received Partial Success response:'

/**
 * `log_level` of a document: the SDK's own messages, one line each. A partial success, which the
 * SDK only logs, is a failure whatever the level.
 */
const logger = (
  level: LogLevel | undefined,
  stderr: Output,
  redact: (text: string) => string,
  fail: (error: unknown) => void,
): DiagLogger => {
  const shown = level === undefined ? DiagLogLevel.NONE : diagLevels[level]
  const write =
    (of: DiagLogLevel) =>
    (...parts: ReadonlyArray<unknown>): void => {
      if (of > shown) return
      const text = parts.filter((part) => typeof part === 'string').join(' ')
      void stderr.write(`svc: tracing: ${sanitize(redact(text))}\n`)
    }
  const warn = write(DiagLogLevel.WARN)
  return {
    verbose: write(DiagLogLevel.VERBOSE),
    debug: write(DiagLogLevel.DEBUG),
    info: write(DiagLogLevel.INFO),
    warn: (message, ...parts) => {
      if (message === partialSuccess) fail(new Error(`${message} ${parts.join(' ')}`))
      warn(message, ...parts)
    },
    error: write(DiagLogLevel.ERROR),
  }
}
