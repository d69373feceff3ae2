/** A tracing configuration that was read and checked: everything in it can be honoured. D34 */
export interface TracingConfig {
  /** From which level on the SDK's own messages go to stderr; none when left out. */
  readonly logLevel: LogLevel | undefined
  readonly resource: ResourceConfig
  readonly propagators: ReadonlyArray<Propagation>
  /** Without one, spans are not recorded; a parent's context is still passed on. */
  readonly provider: ProviderConfig | undefined
}

/** `log_level` of a document. D34 */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'
/** A propagator that svc has. D34 */
export type Propagation = 'tracecontext' | 'baggage'

/** Who sends the spans. D34 */
export interface ResourceConfig {
  /** The later of two equal names wins. */
  readonly attributes: ReadonlyArray<readonly [name: string, value: AttributeValue]>
  readonly detectors: ReadonlyArray<Detector>
  /** Which detected attributes are kept, by their names. */
  readonly keep: (name: string) => boolean
  readonly schemaUrl: string | undefined
}

/** A value of a resource attribute. */
export type AttributeValue = string | number | boolean | string[] | number[] | boolean[]
/** A resource detector that svc has. D34 */
export type Detector = 'container' | 'host' | 'process' | 'service'

/** How spans are sampled, limited and sent. D34 */
export interface ProviderConfig {
  readonly processors: ReadonlyArray<ProcessorConfig>
  readonly limits: SpanLimitsConfig
  readonly sampler: SamplerConfig
}

/** When spans are handed to an exporter. D34 */
export type ProcessorConfig =
  | { readonly kind: 'simple'; readonly exporter: ExporterConfig }
  | {
      readonly kind: 'batch'
      readonly exporter: ExporterConfig
      /** Milliseconds. */
      readonly scheduleDelay: number
      /** Milliseconds; 0 is no limit. */
      readonly exportTimeout: number
      readonly maxQueueSize: number
      readonly maxExportBatchSize: number
    }

/** Where spans go. D34 */
export type ExporterConfig =
  | { readonly kind: 'console' }
  | {
      readonly kind: 'otlp_http'
      readonly endpoint: URL
      readonly headers: Readonly<Record<string, string>>
      readonly gzip: boolean
      /** Milliseconds; 0 is no limit. */
      readonly timeout: number
      readonly encoding: 'protobuf' | 'json'
      /** Bytes, after compression. */
      readonly maxRequestSize: number
      /** Bytes. */
      readonly maxResponseSize: number
      readonly tls: { readonly ca?: FileRef; readonly key?: FileRef; readonly cert?: FileRef }
    }

/** An OTLP/HTTP exporter. */
export type OtlpConfig = Extract<ExporterConfig, { kind: 'otlp_http' }>

/** A file that a document names, and where it names it. */
export interface FileRef {
  readonly file: string
  readonly path: string
}

/** Counts, and characters of a value. D34 */
export interface SpanLimitsConfig {
  readonly attributeValueLengthLimit: number
  readonly attributeCountLimit: number
  readonly eventCountLimit: number
  readonly linkCountLimit: number
  readonly attributePerEventCountLimit: number
  readonly attributePerLinkCountLimit: number
}

/** Which spans are recorded. D34 */
export type SamplerConfig =
  | { readonly kind: 'always_on' }
  | { readonly kind: 'always_off' }
  | { readonly kind: 'trace_id_ratio_based'; readonly ratio: number }
  | { readonly kind: 'always_record'; readonly root: SamplerConfig }
  | {
      readonly kind: 'parent_based'
      readonly root: SamplerConfig
      readonly remoteParentSampled: SamplerConfig
      readonly remoteParentNotSampled: SamplerConfig
      readonly localParentSampled: SamplerConfig
      readonly localParentNotSampled: SamplerConfig
    }
