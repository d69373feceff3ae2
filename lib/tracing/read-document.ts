import type { AttributeValue, TextMapPropagator } from '@opentelemetry/api'
import {
  CompositePropagator,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as t from 'io-ts'
import { attributeLimits, provider, toSpanLimits } from './read-provider'
import {
  bare,
  bool,
  checked,
  defaultTo,
  describeErrors,
  kind,
  list,
  mapped,
  optional,
  pairList,
  section,
  text,
  word,
} from './yaml-codecs'

/** Any 1.x is accepted: minor versions only add keys to the schema, and an unknown key is refused by name. */
const fileFormat = checked(text, (version) =>
  /^1\.\d+(-.+)?$/.test(version) ? undefined : 'must be "1.0" or a later 1.x',
)

const isInt: t.Is<number> = (value): value is number => Number.isSafeInteger(value)

/** The types that a document may declare for an attribute, and how to recognise a value of each. */
const attributeTypes = {
  string: t.string.is,
  bool: t.boolean.is,
  int: isInt,
  double: t.number.is,
  string_array: t.array(t.string).is,
  bool_array: t.array(t.boolean).is,
  int_array: (value: unknown) => Array.isArray(value) && value.every(isInt),
  double_array: t.array(t.number).is,
}

const typeNames = Object.keys(attributeTypes) as ReadonlyArray<keyof typeof attributeTypes>

const attribute = mapped(
  checked(
    section({ name: text, type: defaultTo(word(...typeNames), 'string'), value: t.unknown }),
    ({ type, value }) =>
      value === undefined || attributeTypes[type](value)
        ? undefined
        : `the value must be of type ${type}`,
  ),
  ({ name, value }) => [name, value as AttributeValue | undefined] as const,
)

/** The `resource`, which describes the sender of the spans. `attributes` override `attributes_list`. */
const resource = mapped(
  section({
    attributes: defaultTo(list(attribute), []),
    attributes_list: defaultTo(pairList, []),
    schema_url: optional(text),
  }),
  (read) => ({
    attributes: Object.fromEntries<AttributeValue | undefined>([
      ...read.attributes_list,
      ...read.attributes,
    ]),
    schemaUrl: read.schema_url,
  }),
)

const propagators = {
  tracecontext: new W3CTraceContextPropagator(),
  baggage: new W3CBaggagePropagator(),
}

const propagatorOf = (name: string): TextMapPropagator | undefined =>
  Object.entries(propagators).find(([one]) => one === name)?.[1]

/** Names of propagators separated by commas. `none` means no propagator. */
const propagatorList = mapped(
  checked(
    mapped(text, (names) => (names === 'none' ? [] : names.split(',').map((name) => name.trim()))),
    (names) => {
      const unknown = names.findIndex((name) => propagatorOf(name) === undefined)
      return unknown < 0 ? undefined : `entry ${unknown + 1} is not supported`
    },
  ),
  (names) => names.flatMap((name) => propagatorOf(name) ?? []),
)

const propagator = mapped(
  section({
    composite: defaultTo(
      list(
        kind({
          tracecontext: bare(propagators.tracecontext),
          baggage: bare(propagators.baggage),
        }),
      ),
      [],
    ),
    composite_list: defaultTo(propagatorList, []),
  }),
  (read) => [...new Set([...read.composite, ...read.composite_list])],
)

/**
 * The sections for other signals and programs. Several programs may share one file, so svc ignores these sections if
 * there is a `tracer_provider` too. Otherwise the file asks svc only for things that it does not do.
 */
const otherSections = ['meter_provider', 'logger_provider', 'instrumentation/development'] as const

const tracingDocument = section({
  file_format: fileFormat,
  disabled: optional(bool),
  resource,
  attribute_limits: attributeLimits,
  // Without this section, `traceparent` is still sent. With it, only the propagators that it names are.
  propagator: defaultTo<TextMapPropagator[], TextMapPropagator[]>(propagator, [
    propagators.tracecontext,
  ]),
  tracer_provider: optional(provider),
  meter_provider: t.unknown,
  logger_provider: t.unknown,
  'instrumentation/development': t.unknown,
})

const toSettings = (read: t.TypeOf<typeof tracingDocument>) => ({
  resource: read.resource,
  propagator: new CompositePropagator({ propagators: read.propagator }),
  /** Absent if no spans are recorded. A parent's context is then still passed on. */
  provider: read.tracer_provider && {
    processors: read.tracer_provider.processors,
    sampler: read.tracer_provider.sampler,
    limits: toSpanLimits(read.tracer_provider.limits, read.attribute_limits),
  },
})

/** A checked tracing configuration: svc can honour everything in it. */
export type TracingSettings = ReturnType<typeof toSettings>

/** The settings of sampling, limits and export. */
export type ProviderSettings = NonNullable<TracingSettings['provider']>

/**
 * Reads a document of the OpenTelemetry declarative configuration, parsed from YAML. Fails with the place of the first
 * thing that svc cannot honour, such as an unknown key. With `disabled: true` only the propagators are read: no span is
 * recorded, but a caller's trace is still passed on to the service.
 */
export const readDocument = (document: unknown): E.Either<string, TracingSettings> => {
  const isDisabled = t.type({ disabled: t.literal(true) }).is(document)
  const keptKeys = ['disabled', 'file_format', 'propagator']
  const given = isDisabled
    ? Object.fromEntries(Object.entries(document).filter(([key]) => keptKeys.includes(key)))
    : document
  const read = pipe(tracingDocument.decode(given ?? null), E.mapLeft(describeErrors))
  if (E.isLeft(read)) return read
  const other = otherSections.find((name) => read.right[name] !== undefined)
  return other !== undefined && read.right.tracer_provider === undefined
    ? E.left(`${other}: svc records traces only`)
    : E.right(toSettings(read.right))
}
