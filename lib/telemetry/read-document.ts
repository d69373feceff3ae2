import { DiagLogLevel, type TextMapPropagator } from '@opentelemetry/api'
import {
  CompositePropagator,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core'
import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { withDefault } from '../codec/combinators'
import { type Fault, firstFault } from '../codec/fault'
import { attributeLimits, provider, spanLimits } from './read-provider'
import { resource } from './read-resource'
import {
  bare,
  bool,
  invalid,
  kind,
  list,
  map,
  type Part,
  refine,
  section,
  text,
} from './yaml-parts'

/** Any 1.x will do: minor versions only add keys to the schema, and a key that svc does not know is refused by name. */
const fileFormat = refine(text, (version, context) =>
  /^1\.\d+(-.+)?$/.test(version)
    ? t.success(version)
    : invalid(version, context, 'must be "1.0" or a later 1.x'),
)

/** The schema's log levels and the level of the SDK that comes nearest. The schema has `debug2` to `debug4` as well. */
const levels = new Map([
  ['trace', DiagLogLevel.VERBOSE],
  ['debug', DiagLogLevel.DEBUG],
  ['info', DiagLogLevel.INFO],
  ['warn', DiagLogLevel.WARN],
  ['error', DiagLogLevel.ERROR],
  ['fatal', DiagLogLevel.NONE],
])

const logLevel: Part<DiagLogLevel> = refine(text, (name, context) => {
  const level = levels.get(name.replace(/[2-4]$/, ''))
  return level === undefined
    ? invalid(name, context, `must be one of ${[...levels.keys()].join(', ')}`)
    : t.success(level)
})

const traceContext = new W3CTraceContextPropagator()
const baggage = new W3CBaggagePropagator()
const propagators = new Map<string, TextMapPropagator>([
  ['tracecontext', traceContext],
  ['baggage', baggage],
])

/** Names separated by commas; `none` alone stands for none. */
const propagatorList = refine(text, (names, context) => {
  const given = names.split(',').map((name) => name.trim())
  const wanted = given.filter((name) => name !== '' && !(name === 'none' && given.length === 1))
  const strange = wanted.findIndex((name) => !propagators.has(name))
  return strange < 0
    ? t.success(wanted.flatMap((name) => propagators.get(name) ?? []))
    : invalid(names, context, `entry ${strange + 1} is not supported`)
})

const propagator = map(
  section(
    {
      composite: withDefault(
        list(kind({ tracecontext: bare(traceContext), baggage: bare(baggage) })),
        [],
      ),
      composite_list: withDefault(propagatorList, []),
    },
    {},
  ),
  (read) => [...new Set([...read.composite, ...read.composite_list])],
)

/**
 * Sections for metrics, logs and instrumentation. Several programs may share one file, so that they are passed over
 * beside a `tracer_provider`. Without one the file asks svc for something that it does not do, and is refused.
 */
const others = ['meter_provider', 'logger_provider', 'instrumentation/development'] as const

const whole = section(
  {
    file_format: fileFormat,
    log_level: withDefault(logLevel, DiagLogLevel.NONE),
    resource,
    attribute_limits: attributeLimits,
    // Without the section `traceparent` is sent all the same (D33); with it, exactly what it says.
    propagator: withDefault(propagator, [traceContext]),
  },
  {
    disabled: bool,
    tracer_provider: provider,
    meter_provider: t.unknown,
    logger_provider: t.unknown,
    'instrumentation/development': t.unknown,
  },
)

const settings = refine(whole, (read, context) => {
  const other = others.find((name) => read[name] !== undefined)
  if (read.tracer_provider === undefined && other !== undefined)
    return invalid(other, t.appendContext(context, other, t.unknown), 'svc records traces only')
  const { tracer_provider: tracers } = read
  return t.success({
    /** From which level on the SDK's own messages go to stderr. */
    logLevel: read.log_level,
    resource: read.resource,
    propagator: new CompositePropagator({ propagators: read.propagator }),
    /** Without one, spans are not recorded; a parent's context is still passed on. */
    provider: tracers && {
      processors: tracers.processors,
      sampler: tracers.sampler,
      limits: spanLimits({ ...read.attribute_limits, ...tracers.limits }),
    },
  })
})

/** A tracing configuration that was read and checked: everything in it can be honoured. D34 */
export type Settings = t.TypeOf<typeof settings>

/** How spans are sampled, limited and sent. */
export type ProviderSettings = NonNullable<Settings['provider']>

/**
 * Reads a document of the OpenTelemetry declarative configuration, parsed from YAML. What svc cannot honour,
 * unknown keys included, is a fault with its place. With `disabled: true` only the propagators are read: no span is
 * recorded then, and a caller's trace is still passed on to the service. D34
 */
export const readDocument = (document: unknown): E.Either<Fault, Settings> => {
  const isDisabled = t.type({ disabled: t.literal(true) }).is(document)
  const kept = ['disabled', 'file_format', 'propagator']
  const read = isDisabled
    ? Object.fromEntries(Object.entries(document).filter(([key]) => kept.includes(key)))
    : document
  return E.mapLeft(firstFault)(settings.decode(read ?? null))
}
