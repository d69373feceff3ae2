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
import { sanitize } from '../failure/message'
import type { Output, Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/trace'
import type { LogLevel, Propagation } from './config'
import type { Env } from './expand'
import { loadConfig } from './load-config'
import { buildProvider, type Provider } from './provider'
import { faultText } from './reader'
import { redactor } from './redact'
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

/** Loads the configuration and puts the SDK together. An error is one redacted text. spec: Tracing */
export const setUp = async (
  runtime: Runtime,
  options: TracingOptions,
): Promise<E.Either<string, Running>> => {
  const loaded = await loadConfig(runtime)
  if (E.isLeft(loaded)) return loaded
  const { config, redact } = loaded.right
  if (config.logLevel !== undefined) {
    diag.setLogger(logger(runtime.stderr, redact.values), {
      logLevel: diagLevels[config.logLevel],
      suppressOverrideMessage: true,
    })
  }
  const resource = await buildResource(config.resource, runtime)
  const built =
    config.provider === undefined
      ? E.right(noProvider)
      : await buildProvider(config.provider, resource, runtime, options.version)
  if (E.isLeft(built)) return E.left(faultText(built.left, redact))
  const provider = built.right

  const failures: Failures = []
  const fail = (error: unknown): void => {
    if (failures.length > 0) return
    failures.push(redact.values(error instanceof Error ? error.message : 'failed'))
  }
  setGlobalErrorHandler(fail)
  return E.right({
    tracer: makeTracer({
      tracer: provider.tracers.getTracer('svc', options.version),
      propagator: propagatorOf(config.propagators),
      carrier: carrierOf(runtime.env),
      redact: redactor(keysOf(runtime.env, options.secrets)).values,
    }),
    shutdown: (bound) => shutDown(provider, bound, runtime.clock, fail, failures),
  })
}

/** Records nothing and still passes a parent's context on. */
const noProvider: Provider = {
  tracers: new ProxyTracerProvider(),
  exporters: [],
  shutdown: async () => undefined,
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

const keysOf = (env: Env, secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...secrets, env.SERVICE_API_KEY ?? '', env.TRACING_API_KEY ?? ''].map((key) => key.trim())

const diagLevels: Readonly<Record<LogLevel, DiagLogLevel>> = {
  trace: DiagLogLevel.VERBOSE,
  debug: DiagLogLevel.DEBUG,
  info: DiagLogLevel.INFO,
  warn: DiagLogLevel.WARN,
  error: DiagLogLevel.ERROR,
  fatal: DiagLogLevel.NONE,
}

/** `log_level` of a document: the SDK's own messages, one line each. */
const logger = (stderr: Output, redact: (text: string) => string): DiagLogger => {
  const write = (...parts: ReadonlyArray<unknown>): void => {
    const text = parts.filter((part) => typeof part === 'string').join(' ')
    void stderr.write(`svc: tracing: ${sanitize(redact(text))}\n`)
  }
  return { verbose: write, debug: write, info: write, warn: write, error: write }
}
