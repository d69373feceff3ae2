import type { TracerProvider as ApiTracerProvider } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import { createAlwaysRecordSampler } from '@opentelemetry/sdk-trace'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  type Sampler,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime/runtime'
import type { ExporterConfig, ProcessorConfig, ProviderConfig, SamplerConfig } from './config'
import { type Connections, connectionsTo, longestTimer } from './connections'
import { consoleExporter } from './console-exporter'
import { otlpExporter } from './otlp-exporter'
import type { Fault } from './reader'
import { withoutVariables } from './without-variables'

/** What of the outside world exporters use. */
export type ExporterOutside = Pick<Runtime, 'clock' | 'env' | 'files' | 'stderr'>

/** A provider of tracers, and its end. */
export interface Provider {
  readonly tracers: ApiTracerProvider
  readonly connections: ReadonlyArray<Connections>
  /** Sends what is left. Rejects when something could not be sent. */
  readonly shutdown: () => Promise<void>
  /** Resolves when no export is under way, whatever became of them. */
  readonly settled: () => Promise<void>
}

/**
 * Puts the SDK together from a configuration. Every setting is passed explicitly, and nothing is
 * read from the environment, which spec: Tracing rules out.
 */
export const buildProvider = async (
  config: ProviderConfig,
  resource: Resource,
  outside: ExporterOutside,
  version: string,
): Promise<E.Either<Fault, Provider>> => {
  const connections: Connections[] = []
  const exporters: SpanExporter[] = []
  const processors: SpanProcessor[] = []
  for (const processor of config.processors) {
    const built = await buildExporter(processor.exporter, outside, version)
    if (E.isLeft(built)) return built
    exporters.push(built.right.exporter)
    connections.push(...built.right.connections)
    processors.push(withoutVariables(() => buildProcessor(processor, built.right.exporter)))
  }
  const tracers = withoutVariables(
    () =>
      new NodeTracerProvider({
        resource,
        sampler: buildSampler(config.sampler),
        spanLimits: config.limits,
        spanProcessors: processors,
      }),
  )
  return E.right({
    tracers,
    connections,
    shutdown: () => tracers.shutdown(),
    settled: async () => {
      await Promise.all(exporters.map((exporter) => exporter.forceFlush?.()))
    },
  })
}

interface Built {
  readonly exporter: SpanExporter
  readonly connections: ReadonlyArray<Connections>
}

const buildExporter = async (
  config: ExporterConfig,
  outside: ExporterOutside,
  version: string,
): Promise<E.Either<Fault, Built>> => {
  if (config.kind === 'console') {
    return E.right({ exporter: consoleExporter(outside.stderr), connections: [] })
  }
  const opened = await connectionsTo(config, outside)
  if (E.isLeft(opened)) return opened
  const connections = opened.right
  return E.right({
    exporter: withoutVariables(() => otlpExporter(config, connections, `svc/${version}`)),
    connections: [connections],
  })
}

const buildProcessor = (config: ProcessorConfig, exporter: SpanExporter): SpanProcessor => {
  if (config.kind === 'simple') return new SimpleSpanProcessor(exporter)
  return new BatchSpanProcessor(exporter, {
    scheduledDelayMillis: Math.min(config.scheduleDelay, longestTimer),
    exportTimeoutMillis: Math.min(config.exportTimeout || longestTimer, longestTimer),
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
