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
import { exporter } from './read-exporter'
import {
  bare,
  check,
  delay,
  integer,
  kind,
  list,
  map,
  number,
  type Part,
  refine,
  rejectPart,
  section,
  timeLimit,
} from './yaml-parts'

/**
 * Reads a span processor. Without a `batch`, each span is exported by itself. The SDK's defaults, which are the
 * schema's, apply to what a `batch` leaves out.
 */
const processor = kind({
  simple: map(section({ exporter }, {}), (read) => ({ ...read, batch: undefined })),
  batch: refine(
    section(
      { exporter },
      {
        schedule_delay: delay,
        export_timeout: timeLimit,
        max_queue_size: integer(1),
        max_export_batch_size: integer(1),
      },
    ),
    (read, context) => {
      const { max_queue_size: queue = 2_048, max_export_batch_size: size } = read
      if (size !== undefined && size > queue)
        return rejectPart(
          size,
          t.appendContext(context, 'max_export_batch_size', t.number),
          'must not exceed max_queue_size',
        )
      const batch: BufferConfig = {
        scheduledDelayMillis: read.schedule_delay,
        exportTimeoutMillis: read.export_timeout,
        maxQueueSize: queue,
        maxExportBatchSize: size,
      }
      return t.success({ exporter: read.exporter, batch })
    },
  ),
})

const ratio = check(number, (value) =>
  value >= 0 && value <= 1 ? undefined : 'must be between 0 and 1',
)

/**
 * Reads a sampler, which may contain other samplers. The SDK's defaults, which are the schema's, apply to what
 * `parent_based` leaves out.
 */
const sampler: Part<Sampler> = t.recursion<Sampler, unknown, unknown>('a sampler', () =>
  kind({
    always_on: bare(new AlwaysOnSampler()),
    always_off: bare(new AlwaysOffSampler()),
    trace_id_ratio_based: map(
      section({}, { ratio }),
      (read) => new TraceIdRatioBasedSampler(read.ratio ?? 1),
    ),
    // This sampler also records the spans that `root` leaves out. svc exports sampled spans alone, so that nobody
    // would see a difference.
    always_record: map(section({ root: sampler }, {}), ({ root }) => root),
    parent_based: map(
      section(
        {},
        {
          root: sampler,
          remote_parent_sampled: sampler,
          remote_parent_not_sampled: sampler,
          local_parent_sampled: sampler,
          local_parent_not_sampled: sampler,
        },
      ),
      (read) =>
        new ParentBasedSampler({
          root: read.root ?? new AlwaysOnSampler(),
          remoteParentSampled: read.remote_parent_sampled,
          remoteParentNotSampled: read.remote_parent_not_sampled,
          localParentSampled: read.local_parent_sampled,
          localParentNotSampled: read.local_parent_not_sampled,
        }),
    ),
  }),
)

/** `attribute_value_depth_limit` has no effect, since the attributes of svc's spans are not nested. */
const generalLimits = {
  attribute_value_length_limit: integer(0),
  attribute_count_limit: integer(0),
  attribute_value_depth_limit: integer(0),
}

/** Reads `attribute_limits`, which apply where the provider's own `limits` are silent. */
export const attributeLimits = section({}, generalLimits)

const limits = section(
  {},
  {
    ...generalLimits,
    event_count_limit: integer(0),
    link_count_limit: integer(0),
    event_attribute_count_limit: integer(0),
    link_attribute_count_limit: integer(0),
  },
)

/**
 * Translates limits of spans into the SDK's names. The SDK's defaults, which are the schema's, apply to what is
 * absent.
 */
export const toSpanLimits = (read: t.TypeOf<typeof limits>): SpanLimits => ({
  attributeValueLengthLimit: read.attribute_value_length_limit,
  attributeCountLimit: read.attribute_count_limit,
  eventCountLimit: read.event_count_limit,
  linkCountLimit: read.link_count_limit,
  attributePerEventCountLimit: read.event_attribute_count_limit,
  attributePerLinkCountLimit: read.link_attribute_count_limit,
})

/** Reads the `tracer_provider` of the declarative configuration. D34 */
export const provider = section(
  { processors: list(processor) },
  { limits, sampler, id_generator: kind({ random: bare('random') }) },
)
