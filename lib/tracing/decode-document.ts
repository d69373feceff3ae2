/** Decodes OpenTelemetry's declarative configuration: the parts of the document besides the `tracer_provider`. */
import type { AttributeValue } from '@opentelemetry/api'
import {
  CompositePropagator,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core'
import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { attributeLimits, provider, toSpanLimits } from './decode-provider'
import * as yaml from './yaml-codecs'

/** svc accepts every version 1.x. Minor versions only add keys to the schema, and svc refuses unknown keys. */
const fileFormat = yaml.check(yaml.text, (version) =>
  /^1\.\d+(-.+)?$/.test(version) ? undefined : 'must be "1.0" or a later 1.x',
)

const isInteger: t.Is<number> = (value): value is number => Number.isSafeInteger(value)

const isIntegerArray: t.Is<number[]> = (value): value is number[] =>
  Array.isArray(value) && value.every(isInteger)

/** The checks of an attribute's value, by the type that the document declares for the attribute. */
const attributeChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: t.string.is,
  bool: t.boolean.is,
  int: isInteger,
  double: t.number.is,
  string_array: t.array(t.string).is,
  bool_array: t.array(t.boolean).is,
  int_array: isIntegerArray,
  double_array: t.array(t.number).is,
}

const attribute = yaml.check(
  yaml.section({
    name: yaml.text,
    type: yaml.defaultTo(yaml.keyword(...Object.keys(attributeChecks)), 'string'),
    value: t.unknown,
  }),
  ({ type, value }) =>
    // An attribute may lack a value.
    value === undefined || attributeChecks[type]?.(value)
      ? undefined
      : `the value must be of type ${type}`,
)

/** The `resource`, which describes the sender of the spans. `attributes` override `attributes_list`. */
const resource = yaml.convert(
  yaml.section({
    attributes: yaml.defaultTo(yaml.list(attribute), []),
    attributes_list: yaml.defaultTo(yaml.pairList, []),
    schema_url: yaml.optional(yaml.text),
  }),
  ({ attributes, attributes_list, schema_url }) => {
    const merged = new Map<string, AttributeValue | undefined>(attributes_list)
    for (const { name, value } of attributes) merged.set(name, value as AttributeValue | undefined)
    return { attributes: Object.fromEntries(merged), schemaUrl: schema_url }
  },
)

const propagators = {
  tracecontext: new W3CTraceContextPropagator(),
  baggage: new W3CBaggagePropagator(),
}

const isPropagator = (name: string): name is keyof typeof propagators =>
  Object.hasOwn(propagators, name)

/** Names of propagators, separated by commas, such as `tracecontext,baggage`. `none` means no propagator. */
const compositeList = yaml.convert(
  yaml.check(
    yaml.convert(yaml.text, (names) =>
      names === 'none' ? [] : names.split(',').map((name) => name.trim()),
    ),
    (names) => {
      const unknownIndex = names.findIndex((name) => !isPropagator(name))
      return unknownIndex < 0 ? undefined : `entry ${unknownIndex + 1} is not supported`
    },
  ),
  // The check has refused all other names. The filter only gives the names their type.
  (names) => names.filter(isPropagator),
)

const compositeEntry = yaml.oneKind({
  tracecontext: yaml.kindWithoutSettings('tracecontext' as const),
  baggage: yaml.kindWithoutSettings('baggage' as const),
})

const propagatorSection = yaml.convert(
  yaml.section({
    composite: yaml.defaultTo(yaml.list(compositeEntry), []),
    composite_list: yaml.defaultTo(compositeList, []),
  }),
  ({ composite, composite_list }) => [...new Set([...composite, ...composite_list])],
)

/**
 * The sections for metrics, logs and instrumentation. svc ignores them if the document also has a `tracer_provider`, because other
 * programs may use the same file. Without a `tracer_provider` svc refuses them: the document then asks only for what svc cannot do.
 */
const otherSections = ['meter_provider', 'logger_provider', 'instrumentation/development'] as const

const tracingDocument = yaml.section({
  file_format: fileFormat,
  disabled: yaml.optional(yaml.bool),
  resource,
  attribute_limits: attributeLimits,
  // Without this section svc still sends `traceparent`. With it, svc uses only the propagators that it names.
  propagator: yaml.defaultTo(propagatorSection, ['tracecontext'] as const),
  tracer_provider: yaml.optional(provider),
  meter_provider: t.unknown,
  logger_provider: t.unknown,
  'instrumentation/development': t.unknown,
})

/** Converts a decoded document to settings. */
const toSettings = (document: t.TypeOf<typeof tracingDocument>) => ({
  resource: document.resource,
  propagator: new CompositePropagator({
    propagators: document.propagator.map((name) => propagators[name]),
  }),
  /** `undefined` if svc records no spans. It still passes the caller's trace on to the service. */
  provider: document.tracer_provider && {
    processors: document.tracer_provider.processors,
    sampler: document.tracer_provider.sampler,
    limits: toSpanLimits(document.tracer_provider.limits, document.attribute_limits),
  },
})

/** The settings of a tracing configuration. */
export type TracingSettings = ReturnType<typeof toSettings>

/** The settings of sampling, limits and export. */
export type ProviderSettings = NonNullable<TracingSettings['provider']>

/** The keys that svc reads from a document with `disabled: true`. */
const keysWhenDisabled = ['disabled', 'file_format', 'propagator']

/**
 * Decodes an OpenTelemetry declarative configuration that js-yaml parsed. Fails with the path of the first key or value that svc does
 * not support. With `disabled: true` svc reads only `file_format` and the propagators. It then records no span, but still passes a
 * caller's trace on to the service.
 */
export const decodeTracingDocument = (parsed: unknown): E.Either<string, TracingSettings> => {
  const isDisabled = t.type({ disabled: t.literal(true) }).is(parsed)
  const document = isDisabled
    ? Object.fromEntries(Object.entries(parsed).filter(([key]) => keysWhenDisabled.includes(key)))
    : parsed
  // An empty file is `undefined`, which the codec would accept as an empty section. The codec refuses `null`.
  const decoded = tracingDocument.decode(document ?? null)
  if (E.isLeft(decoded)) return E.left(yaml.describeFirstError(decoded.left))
  const otherSection = otherSections.find((name) => decoded.right[name] !== undefined)
  if (otherSection !== undefined && decoded.right.tracer_provider === undefined)
    return E.left(`${otherSection}: svc records traces only`)
  return E.right(toSettings(decoded.right))
}
