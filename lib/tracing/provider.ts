import {
  type DiagLogFunction,
  DiagLogLevel,
  diag,
  ProxyTracerProvider,
  type TracerProvider,
} from '@opentelemetry/api'
import { setGlobalErrorHandler } from '@opentelemetry/core'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime/runtime'
import { createCollectorAgent } from './collector-agent'
import type { ProviderSettings, TracingSettings } from './decode-document'
import { createOtlpExporter } from './exporter'

/** The inputs of a provider besides its settings. */
interface ProviderOptions {
  readonly runtime: Pick<Runtime, 'env' | 'files' | 'signal'>
  readonly resource: TracingSettings['resource']
  /** The version of svc. */
  readonly version: string
  /** Is called with a description of every failure to send spans. */
  readonly reportFailure: (failure: string) => void
  /** Fires when the run is about to end. */
  readonly shutdownSignal: AbortSignal
}

/** An OpenTelemetry tracer provider, and how to shut it down. */
interface Provider {
  readonly tracerProvider: TracerProvider
  /** Sends the remaining spans. Resolves when all exports have ended; never rejects. */
  readonly shutdown: () => Promise<void>
}

/** A provider that records no spans. Its spans still have the context of their parent, so svc passes the caller's trace on. */
export const idleProvider: Provider = {
  tracerProvider: new ProxyTracerProvider(),
  shutdown: async () => undefined,
}

/** Creates the provider, with its processors and exporters. Fails if a file or a proxy that the settings name cannot be used. */
export const createProvider = async (
  settings: ProviderSettings,
  options: ProviderOptions,
): Promise<E.Either<string, Provider>> => {
  const { runtime, version, reportFailure, shutdownSignal } = options
  const spanProcessors: SpanProcessor[] = []
  for (const { exporter: otlpSettings, batch } of settings.processors) {
    const agent = await createCollectorAgent(otlpSettings, runtime, shutdownSignal)
    if (E.isLeft(agent)) return agent
    // The constructors of the SDK would read variables such as OTEL_EXPORTER_OTLP_HEADERS.
    const processor = withoutSdkVariables(() => {
      const exporter = createOtlpExporter(otlpSettings, agent.right, version, reportFailure)
      return batch === undefined
        ? new SimpleSpanProcessor(exporter)
        : new BatchSpanProcessor(exporter, batch)
    })
    spanProcessors.push(processor)
  }
  const { attributes, schemaUrl } = options.resource
  const declared = resourceFromAttributes(attributes, schemaUrl === undefined ? {} : { schemaUrl })
  const tracerProvider = withoutSdkVariables(
    () =>
      new NodeTracerProvider({
        resource: defaultResource().merge(declared),
        sampler: settings.sampler,
        spanLimits: settings.limits,
        spanProcessors,
      }),
  )
  const shutdown = async () => {
    // The provider's own shutdown stops waiting as soon as one processor, or one batch, has failed.
    await Promise.allSettled(spanProcessors.map((processor) => processor.shutdown()))
  }
  return E.right({ tracerProvider, shutdown })
}

/**
 * Calls `build` while the process has no variable whose name begins with `OTEL_`. The constructors of OpenTelemetry's
 * SDK and exporters would read the settings that svc leaves out from such variables.
 */
const withoutSdkVariables = <A>(build: () => A): A => {
  const hidden = Object.entries(process.env).filter(([name]) => /^otel_/i.test(name))
  for (const [name] of hidden) delete process.env[name]
  try {
    return build()
  } finally {
    Object.assign(process.env, Object.fromEntries(hidden))
  }
}

/** The warning that the exporters log if a collector rejects some spans of a request. They report that only here. */
const partialSuccessMessage = 'Received Partial Success response:'

const discard: DiagLogFunction = () => undefined

/**
 * Keeps the messages of OpenTelemetry's SDK off the console. `reportRejection` gets the reason when a collector accepts a
 * request but rejects spans in it.
 */
export const receiveSdkMessages = (reportRejection: (reason: string) => void): void => {
  const warn: DiagLogFunction = (message, response) => {
    if (message !== partialSuccessMessage) return
    // OTLP's JSON encoding writes 64-bit numbers, such as `rejectedSpans`, as strings.
    const { rejectedSpans, errorMessage = '' } = JSON.parse(String(response))
    if (Number(rejectedSpans) > 0)
      reportRejection(`spans rejected: ${rejectedSpans}, ${errorMessage}`)
  }
  const logger = { verbose: discard, debug: discard, info: discard, warn, error: discard }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  // The exporters report their failures to svc. This handler of the SDK would log stack traces as well.
  setGlobalErrorHandler(() => undefined)
}
