import * as E from 'fp-ts/Either'
import type { ProcessorConfig, ProviderConfig, SamplerConfig, SpanLimitsConfig } from './config'
import { exporter } from './read-exporter'
import {
  type Fault,
  fault,
  integer,
  kind,
  list,
  nothing,
  number,
  or,
  type Read,
  type Reader,
  refine,
  required,
  section,
  unused,
} from './reader'

const processor: Reader<ProcessorConfig> = kind({
  simple: refine(
    section({ exporter }),
    (read): E.Either<Fault, ProcessorConfig> =>
      E.right({ kind: 'simple', exporter: read.exporter }),
  ),
  batch: refine(
    section({
      schedule_delay: or(integer(0), 5_000),
      export_timeout: or(integer(0), 30_000),
      max_queue_size: or(integer(1), 2_048),
      max_export_batch_size: or(integer(1), undefined),
      exporter,
    }),
    (read, path): E.Either<Fault, ProcessorConfig> => {
      const size = read.max_export_batch_size ?? Math.min(512, read.max_queue_size)
      if (size > read.max_queue_size) {
        return fault(`${path}.max_export_batch_size`, 'must not exceed max_queue_size')
      }
      return E.right({
        kind: 'batch',
        exporter: read.exporter,
        scheduleDelay: read.schedule_delay,
        exportTimeout: read.export_timeout,
        maxQueueSize: read.max_queue_size,
        maxExportBatchSize: size,
      })
    },
  ),
})

const always = {
  on: { kind: 'always_on' },
  off: { kind: 'always_off' },
} satisfies Record<string, SamplerConfig>

const ratio: Reader<number> = refine(number, (value, path) =>
  value >= 0 && value <= 1 ? E.right(value) : fault(path, 'must be between 0 and 1'),
)

const sampler: Reader<SamplerConfig> = (value, path) =>
  kind({
    always_on: nothing<SamplerConfig>(always.on),
    always_off: nothing<SamplerConfig>(always.off),
    trace_id_ratio_based: refine(
      section({ ratio: or(ratio, 1) }),
      (read): E.Either<Fault, SamplerConfig> =>
        E.right({ kind: 'trace_id_ratio_based', ratio: read.ratio }),
    ),
    always_record: refine(
      section({ root: required(sampler) }),
      (read): E.Either<Fault, SamplerConfig> => E.right({ kind: 'always_record', root: read.root }),
    ),
    parent_based: refine(
      section({
        root: or(sampler, always.on),
        remote_parent_sampled: or(sampler, always.on),
        remote_parent_not_sampled: or(sampler, always.off),
        local_parent_sampled: or(sampler, always.on),
        local_parent_not_sampled: or(sampler, always.off),
      }),
      (read): E.Either<Fault, SamplerConfig> =>
        E.right({
          kind: 'parent_based',
          root: read.root,
          remoteParentSampled: read.remote_parent_sampled,
          remoteParentNotSampled: read.remote_parent_not_sampled,
          localParentSampled: read.local_parent_sampled,
          localParentNotSampled: read.local_parent_not_sampled,
        }),
    ),
  })(value, path)

/** Kept by every span of svc, whose attributes are plain values without any depth. */
const depthLimit = or(integer(0), undefined)

/** `attribute_limits`: what applies where the provider's own `limits` say nothing. */
export const attributeLimits = section({
  attribute_value_length_limit: or(integer(0), undefined),
  attribute_count_limit: or(integer(0), undefined),
  attribute_value_depth_limit: depthLimit,
})

const limits = section({
  attribute_value_length_limit: or(integer(0), undefined),
  attribute_count_limit: or(integer(0), undefined),
  attribute_value_depth_limit: depthLimit,
  event_count_limit: or(integer(0), 128),
  link_count_limit: or(integer(0), 128),
  event_attribute_count_limit: or(integer(0), 128),
  link_attribute_count_limit: or(integer(0), 128),
})

const merged = (
  own: Read<typeof limits>,
  general: Read<typeof attributeLimits>,
): SpanLimitsConfig => ({
  attributeValueLengthLimit:
    own.attribute_value_length_limit ?? general.attribute_value_length_limit ?? Infinity,
  attributeCountLimit: own.attribute_count_limit ?? general.attribute_count_limit ?? 128,
  eventCountLimit: own.event_count_limit,
  linkCountLimit: own.link_count_limit,
  attributePerEventCountLimit: own.event_attribute_count_limit,
  attributePerLinkCountLimit: own.link_attribute_count_limit,
})

/** `tracer_provider`, completed by the document's `attribute_limits`. D34 */
export const provider = (general: Read<typeof attributeLimits>): Reader<ProviderConfig> =>
  refine(
    section({
      processors: required(list(processor)),
      limits,
      sampler: or(sampler, { ...parentBased }),
      id_generator: or(kind({ random: nothing(undefined) }), undefined),
      'tracer_configurator/development': unused('is not supported'),
    }),
    (read) =>
      E.right({
        processors: read.processors,
        limits: merged(read.limits, general),
        sampler: read.sampler,
      }),
  )

const parentBased: SamplerConfig = {
  kind: 'parent_based',
  root: always.on,
  remoteParentSampled: always.on,
  remoteParentNotSampled: always.off,
  localParentSampled: always.on,
  localParentNotSampled: always.off,
}
