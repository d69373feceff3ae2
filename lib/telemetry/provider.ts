import type { TracerProvider as ApiTracerProvider } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  createAlwaysRecordSampler,
  ParentBasedSampler,
  type Sampler,
  SimpleSpanProcessor,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime/runtime'
import type { ExporterConfig, ProcessorConfig, ProviderConfig, SamplerConfig } from './config'
import { consoleExporter } from './console-exporter'
import { type BoundedExporter, otlpExporter } from './otlp-exporter'
import type { Fault } from './reader'
import { routesTo } from './route'

/** What of the outside world exporters use. */
export type ExporterOutside = Pick<Runtime, 'clock' | 'env' | 'files' | 'random' | 'stderr'>

/** A provider of tracers, and its end. */
export interface Provider {
  readonly tracers: ApiTracerProvider
  readonly exporters: ReadonlyArray<BoundedExporter>
  /** Sends what is left. Rejects when something could not be sent. */
  readonly shutdown: () => Promise<void>
}

/**
 * Puts the SDK together from a configuration. Every setting is passed explicitly: what is
 * left out, the SDK's parts would look up in the environment, which spec: Tracing rules out.
 */
export const buildProvider = async (
  config: ProviderConfig,
  resource: Resource,
  outside: ExporterOutside,
  version: string,
): Promise<E.Either<Fault, Provider>> => {
  const exporters: BoundedExporter[] = []
  const processors: SpanProcessor[] = []
  for (const processor of config.processors) {
    const exporter = await buildExporter(processor.exporter, outside, version)
    if (E.isLeft(exporter)) return exporter
    exporters.push(exporter.right)
    processors.push(buildProcessor(processor, exporter.right))
  }
  const tracers = new TracerProvider({
    resource,
    sampler: buildSampler(config.sampler),
    spanLimits: config.limits,
    spanProcessors: processors,
  })
  return E.right({ tracers, exporters, shutdown: () => tracers.shutdown() })
}

const buildExporter = async (
  config: ExporterConfig,
  outside: ExporterOutside,
  version: string,
): Promise<E.Either<Fault, BoundedExporter>> => {
  if (config.kind === 'console') return E.right(consoleExporter(outside.stderr))
  const routes = await routesTo(config, outside)
  return E.isLeft(routes)
    ? routes
    : E.right(otlpExporter(config, routes.right, outside, `svc/${version}`))
}

/** The longest time that a timer takes; a longer one would fire at once. */
const longest = 2 ** 31 - 1

const buildProcessor = (config: ProcessorConfig, exporter: BoundedExporter): SpanProcessor => {
  if (config.kind === 'simple') return new SimpleSpanProcessor({ exporter })
  return new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: Math.min(config.scheduleDelay, longest),
    exportTimeoutMillis: Math.min(config.exportTimeout || longest, longest),
    maxQueueSize: config.maxQueueSize,
    maxExportBatchSize: config.maxExportBatchSize,
  })
}

const buildSampler = (config: SamplerConfig): Sampler => {
  switch (config.kind) {
    case 'always_on':
      return new AlwaysOnSampler()
    case 'always_off':
      return new AlwaysOffSampler()
    case 'trace_id_ratio_based':
      return new TraceIdRatioBasedSampler(config.ratio)
    case 'always_record':
      return createAlwaysRecordSampler(buildSampler(config.root))
    case 'parent_based':
      return new ParentBasedSampler({
        root: buildSampler(config.root),
        remoteParentSampled: buildSampler(config.remoteParentSampled),
        remoteParentNotSampled: buildSampler(config.remoteParentNotSampled),
        localParentSampled: buildSampler(config.localParentSampled),
        localParentNotSampled: buildSampler(config.localParentNotSampled),
      })
  }
}
