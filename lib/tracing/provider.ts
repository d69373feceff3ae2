import { ProxyTracerProvider, type TracerProvider as Tracers } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node'
import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime/runtime'
import { createCollectorAgent } from './collector-agent'
import { createConsoleExporter, createOtlpExporter } from './exporters'
import type { ProviderSettings } from './read-document'
import type { Exporter } from './read-exporter'

/** What building a provider takes besides its settings. */
export interface Surroundings {
  readonly runtime: Pick<Runtime, 'env' | 'files' | 'stderr' | 'signal'>
  readonly resource: Resource
  /** The version of svc. */
  readonly version: string
  /** Called with every failure to send spans. */
  readonly fail: (failure: string) => void
  /** Fires when the run is about to end. */
  readonly ending: AbortSignal
}

/** An OpenTelemetry tracer provider, and how to shut it down. */
interface Provider {
  readonly tracers: Tracers
  /** Sends the remaining spans. Resolves when all exports have ended; never rejects. */
  readonly shutdown: () => Promise<void>
}

/** Used where no provider is configured: spans are not recorded, but a parent's context is passed on. */
export const noProvider: Provider = {
  tracers: new ProxyTracerProvider(),
  shutdown: async () => undefined,
}

/** Assembles the SDK's parts. Fails where a file named in the settings cannot be used. D34 */
export const buildProvider = async (
  { processors, sampler, limits }: ProviderSettings,
  around: Surroundings,
): Promise<E.Either<string, Provider>> => {
  const exporters: SpanExporter[] = []
  for (const { exporter: settings } of processors) {
    const exporter = await buildExporter(settings, around)
    if (E.isLeft(exporter)) return exporter
    exporters.push(exporter.right)
  }
  return withoutSdkVariables(() => {
    const spanProcessors = exporters.map((exporter, index) => {
      const batch = processors[index]?.batch
      return batch === undefined
        ? new SimpleSpanProcessor(exporter)
        : new BatchSpanProcessor(exporter, { ...batch })
    })
    const { resource } = around
    return E.right({
      tracers: new NodeTracerProvider({ resource, sampler, spanLimits: limits, spanProcessors }),
      // The provider's own shutdown stops waiting as soon as one processor, or one batch, has failed.
      shutdown: async () => {
        await Promise.allSettled(spanProcessors.map((processor) => processor.shutdown()))
        await Promise.allSettled(exporters.map((exporter) => exporter.shutdown()))
      },
    })
  })
}

const buildExporter = async (
  settings: Exporter,
  { runtime, version, fail, ending }: Surroundings,
): Promise<E.Either<string, SpanExporter>> => {
  if (settings.kind === 'console') return E.right(createConsoleExporter(runtime.stderr))
  const agent = await createCollectorAgent(settings, runtime, ending)
  return E.isLeft(agent)
    ? agent
    : E.right(withoutSdkVariables(() => createOtlpExporter(settings, agent.right, version, fail)))
}

/**
 * Calls `build` while the process has no variable whose name begins with `OTEL_`. The constructors of
 * OpenTelemetry's SDK and exporters take every setting that they are not given from such variables, which svc
 * does not consult. spec: Tracing
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
