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
import { delay, exporter, timeLimit } from './read-exporter'
import {
  bare,
  checked,
  defaultTo,
  fraction,
  integerFrom,
  kind,
  list,
  mapped,
  optional,
  section,
  type YamlCodec,
} from './yaml-codecs'

const batchSection = section({
  exporter,
  schedule_delay: optional(delay),
  export_timeout: optional(timeLimit),
  max_queue_size: defaultTo(integerFrom(1), 2_048),
  max_export_batch_size: optional(integerFrom(1)),
})

/** A span processor. Without `batch`, each span is exported by itself. The SDK fills in what is absent: its defaults are those of the configuration schema. */
const processor = kind({
  simple: mapped(section({ exporter }), (read) => ({ ...read, batch: undefined })),
  batch: mapped(
    checked(batchSection, ({ max_export_batch_size: size = 1, max_queue_size: queue }) =>
      size > queue ? 'max_export_batch_size must not exceed max_queue_size' : undefined,
    ),
    (read) => {
      const batch: BufferConfig = {
        scheduledDelayMillis: read.schedule_delay,
        exportTimeoutMillis: read.export_timeout,
        maxQueueSize: read.max_queue_size,
        maxExportBatchSize: read.max_export_batch_size,
      }
      return { exporter: read.exporter, batch }
    },
  ),
})

/** A sampler. It may contain other samplers. */
const sampler: YamlCodec<Sampler> = t.recursion<Sampler, unknown, unknown>('a sampler', () =>
  kind({
    always_on: bare<Sampler>(new AlwaysOnSampler()),
    always_off: bare<Sampler>(new AlwaysOffSampler()),
    trace_id_ratio_based: mapped(
      section({ ratio: defaultTo(fraction, 1) }),
      (read): Sampler => new TraceIdRatioBasedSampler(read.ratio),
    ),
    parent_based: mapped(
      section({
        root: defaultTo(sampler, new AlwaysOnSampler()),
        remote_parent_sampled: optional(sampler),
        remote_parent_not_sampled: optional(sampler),
        local_parent_sampled: optional(sampler),
        local_parent_not_sampled: optional(sampler),
      }),
      (read): Sampler =>
        new ParentBasedSampler({
          root: read.root,
          remoteParentSampled: read.remote_parent_sampled,
          remoteParentNotSampled: read.remote_parent_not_sampled,
          localParentSampled: read.local_parent_sampled,
          localParentNotSampled: read.local_parent_not_sampled,
        }),
    ),
  }),
)

const limit = optional(integerFrom(0))

const generalLimits = { attribute_value_length_limit: limit, attribute_count_limit: limit }

/** `attribute_limits` apply if the provider's `limits` do not set the same limit. */
export const attributeLimits = section(generalLimits)

const limits = section({
  ...generalLimits,
  event_count_limit: limit,
  link_count_limit: limit,
  event_attribute_count_limit: limit,
  link_attribute_count_limit: limit,
})

/** Translates limits of spans into the SDK's names. The SDK's defaults, which are the schema's, replace absent ones. */
export const toSpanLimits = (
  own: t.TypeOf<typeof limits>,
  general: t.TypeOf<typeof attributeLimits>,
): SpanLimits => ({
  attributeValueLengthLimit:
    own.attribute_value_length_limit ?? general.attribute_value_length_limit,
  attributeCountLimit: own.attribute_count_limit ?? general.attribute_count_limit,
  eventCountLimit: own.event_count_limit,
  linkCountLimit: own.link_count_limit,
  attributePerEventCountLimit: own.event_attribute_count_limit,
  attributePerLinkCountLimit: own.link_attribute_count_limit,
})

/** The `tracer_provider` of the declarative configuration. */
export const provider = section({ processors: list(processor), limits, sampler: optional(sampler) })
