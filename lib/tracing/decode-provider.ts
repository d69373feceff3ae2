import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type BufferConfig,
  ParentBasedSampler,
  type Sampler,
  type SpanLimits,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import * as t from 'io-ts'
import { delayMs, exporter, timeLimitMs } from './decode-exporter'
import * as yaml from './yaml-codecs'

/** The settings of a batch processor. The SDK replaces absent values by its defaults, which are those of the configuration schema. */
const batchSection = yaml.section({
  exporter,
  schedule_delay: yaml.optional(delayMs),
  export_timeout: yaml.optional(timeLimitMs),
  max_queue_size: yaml.defaultTo(yaml.integerFrom(1), 2_048),
  max_export_batch_size: yaml.optional(yaml.integerFrom(1)),
})

const batch = yaml.convert(
  // The default 1 always passes. The SDK lowers its own default, 512, to the size of the queue.
  yaml.check(batchSection, ({ max_export_batch_size: batchSize = 1, max_queue_size: queueSize }) =>
    batchSize > queueSize ? 'max_export_batch_size must not exceed max_queue_size' : undefined,
  ),
  (decoded) => {
    const config: BufferConfig = {
      scheduledDelayMillis: decoded.schedule_delay,
      exportTimeoutMillis: decoded.export_timeout,
      maxQueueSize: decoded.max_queue_size,
      maxExportBatchSize: decoded.max_export_batch_size,
    }
    return { exporter: decoded.exporter, batch: config }
  },
)

const simple = yaml.convert(yaml.section({ exporter }), (decoded) => ({
  exporter: decoded.exporter,
  batch: undefined,
}))

/** A span processor. A simple processor, which has no settings of a batch, exports each span by itself. */
const processor = yaml.oneKind({ simple, batch })

/** A sampler. It may contain other samplers. */
const sampler: yaml.YamlCodec<Sampler> = t.recursion<Sampler, unknown, unknown>('a sampler', () =>
  yaml.oneKind({
    always_on: yaml.kindWithoutSettings<Sampler>(new AlwaysOnSampler()),
    always_off: yaml.kindWithoutSettings<Sampler>(new AlwaysOffSampler()),
    trace_id_ratio_based: yaml.convert(
      yaml.section({ ratio: yaml.defaultTo(yaml.fraction, 1) }),
      (decoded): Sampler => new TraceIdRatioBasedSampler(decoded.ratio),
    ),
    parent_based: yaml.convert(
      yaml.section({
        root: yaml.defaultTo(sampler, new AlwaysOnSampler()),
        remote_parent_sampled: yaml.optional(sampler),
        remote_parent_not_sampled: yaml.optional(sampler),
        local_parent_sampled: yaml.optional(sampler),
        local_parent_not_sampled: yaml.optional(sampler),
      }),
      (decoded): Sampler =>
        new ParentBasedSampler({
          root: decoded.root,
          remoteParentSampled: decoded.remote_parent_sampled,
          remoteParentNotSampled: decoded.remote_parent_not_sampled,
          localParentSampled: decoded.local_parent_sampled,
          localParentNotSampled: decoded.local_parent_not_sampled,
        }),
    ),
  }),
)

const limit = yaml.optional(yaml.integerFrom(0))

/** The limits that both the document and its provider can have. */
const generalLimits = { attribute_value_length_limit: limit, attribute_count_limit: limit }

/** The `attribute_limits` of the document. The provider's `limits` override them. */
export const attributeLimits = yaml.section(generalLimits)

const spanLimits = yaml.section({
  ...generalLimits,
  event_count_limit: limit,
  link_count_limit: limit,
  event_attribute_count_limit: limit,
  link_attribute_count_limit: limit,
})

/** Translates limits of spans to the SDK's names. The SDK replaces absent limits by its defaults, which are those of the schema. */
export const toSpanLimits = (
  providerLimits: t.TypeOf<typeof spanLimits>,
  documentLimits: t.TypeOf<typeof attributeLimits>,
): SpanLimits => ({
  attributeValueLengthLimit:
    providerLimits.attribute_value_length_limit ?? documentLimits.attribute_value_length_limit,
  attributeCountLimit: providerLimits.attribute_count_limit ?? documentLimits.attribute_count_limit,
  eventCountLimit: providerLimits.event_count_limit,
  linkCountLimit: providerLimits.link_count_limit,
  attributePerEventCountLimit: providerLimits.event_attribute_count_limit,
  attributePerLinkCountLimit: providerLimits.link_attribute_count_limit,
})

/** The `tracer_provider` of the declarative configuration. */
export const provider = yaml.section({
  processors: yaml.list(processor),
  limits: spanLimits,
  sampler: yaml.optional(sampler),
})
