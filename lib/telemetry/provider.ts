import { ProxyTracerProvider, type TracerProvider as Tracers } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime/runtime'
import { collectorAgent } from './collector-agent'
import { consoleExporter } from './console-exporter'
import { collectorName, otlpExporter } from './otlp-exporter'
import type { ProviderSettings } from './read-document'
import type { Exporter } from './read-exporter'

/** What a provider is built with besides its settings. */
export interface Surroundings {
  readonly runtime: Pick<Runtime, 'env' | 'files' | 'stderr' | 'signal'>
  readonly resource: Resource
  /** svc's own version. */
  readonly version: string
  /** Is told every failure to send spans. */
  readonly fail: (failure: string) => void
  /** Fires when the run ends. */
  readonly ending: AbortSignal
}

/** A provider of tracers, and its end. */
export interface Provider {
  readonly tracers: Tracers
  /** Where spans are sent, for messages. */
  readonly collectors: ReadonlyArray<string>
  /** Sends what is left. Resolves when nothing is under way any more; never rejects. */
  readonly shutdown: () => Promise<void>
}

/** Without settings spans are not recorded, and a parent's context is still passed on. */
export const noProvider: Provider = {
  tracers: new ProxyTracerProvider(),
  collectors: [],
  shutdown: async () => undefined,
}

/** Puts the SDK together. Fails where a file that the settings name cannot be used. D34 */
export const buildProvider = async (
  { processors, sampler, limits }: ProviderSettings,
  around: Surroundings,
): Promise<E.Either<string, Provider>> => {
  const exporters: SpanExporter[] = []
  const spanProcessors: SpanProcessor[] = []
  for (const { exporter: settings, batch } of processors) {
    const exporter = await buildExporter(settings, around)
    if (E.isLeft(exporter)) return exporter
    exporters.push(exporter.right)
    spanProcessors.push(
      batch === undefined
        ? new SimpleSpanProcessor({ exporter: exporter.right })
        : new BatchSpanProcessor({ exporter: exporter.right, ...batch }),
    )
  }
  return E.right({
    tracers: new TracerProvider({
      resource: around.resource,
      sampler,
      spanLimits: limits,
      spanProcessors,
    }),
    collectors: processors.flatMap(({ exporter }) =>
      exporter.kind === 'otlp_http' ? [collectorName(exporter)] : [],
    ),
    // The SDK itself waits no longer once one processor, or one batch, has failed.
    shutdown: async () => {
      await Promise.allSettled(spanProcessors.map((processor) => processor.shutdown()))
      await Promise.allSettled(exporters.map((exporter) => exporter.shutdown()))
    },
  })
}

const buildExporter = async (
  settings: Exporter,
  { runtime, version, fail, ending }: Surroundings,
): Promise<E.Either<string, SpanExporter>> => {
  if (settings.kind === 'console') return E.right(consoleExporter(runtime.stderr))
  const agent = await collectorAgent(settings, runtime, ending)
  return E.isLeft(agent) ? agent : E.right(otlpExporter(settings, agent.right, version, fail))
}
