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
import { attributeLimits, provider, toSpanLimits } from './read-provider'
import { resource } from './read-resource'
import {
  bare,
  bool,
  check,
  kind,
  list,
  map,
  type Part,
  refine,
  rejectPart,
  section,
  text,
} from './yaml-parts'

/** Accepts any 1.x: minor versions only add keys to the schema, and an unknown key is refused by name. */
const fileFormat = check(text, (version) =>
  /^1\.\d+(-.+)?$/.test(version) ? undefined : 'must be "1.0" or a later 1.x',
)

/**
 * The schema's log levels, each with the SDK's nearest. Names with a digit, `debug2` to `debug4`, count as the
 * plain one.
 */
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
    ? rejectPart(name, context, `must be one of ${[...levels.keys()].join(', ')}`)
    : t.success(level)
})

const traceContext = new W3CTraceContextPropagator()
const baggage = new W3CBaggagePropagator()
const propagators = new Map<string, TextMapPropagator>([
  ['tracecontext', traceContext],
  ['baggage', baggage],
])

/** Reads names of propagators separated by commas; `none` alone means that there are none. */
const propagatorList = refine(text, (names, context) => {
  const given = names.split(',').map((name) => name.trim())
  const wanted = given.filter((name) => name !== '' && !(name === 'none' && given.length === 1))
  const strange = wanted.findIndex((name) => !propagators.has(name))
  return strange < 0
    ? t.success(wanted.flatMap((name) => propagators.get(name) ?? []))
    : rejectPart(names, context, `entry ${strange + 1} is not supported`)
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
 * The sections for metrics, logs and instrumentation. Several programs may share one file, so svc ignores them
 * beside a `tracer_provider`. Without one, the file asks svc only for things that it does not do, and is
 * refused.
 */
const others = ['meter_provider', 'logger_provider', 'instrumentation/development'] as const

const whole = section(
  {
    file_format: fileFormat,
    log_level: withDefault(logLevel, DiagLogLevel.NONE),
    resource,
    attribute_limits: attributeLimits,
    // Without this section `traceparent` is sent nevertheless (D33); with it, exactly what it says.
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
    return rejectPart(other, t.appendContext(context, other, t.unknown), 'svc records traces only')
  const { tracer_provider: tracers } = read
  return t.success({
    /** The level from which on the SDK's own messages are written to stderr. */
    logLevel: read.log_level,
    resource: read.resource,
    propagator: new CompositePropagator({ propagators: read.propagator }),
    /** Absent where spans are not to be recorded; a parent's context is then still passed on. */
    provider: tracers && {
      processors: tracers.processors,
      sampler: tracers.sampler,
      limits: toSpanLimits({ ...read.attribute_limits, ...tracers.limits }),
    },
  })
})

/** A checked tracing configuration: svc can honour everything in it. D34 */
export type Settings = t.TypeOf<typeof settings>

/** How spans are sampled, limited and sent. */
export type ProviderSettings = NonNullable<Settings['provider']>

/**
 * Reads a document of the OpenTelemetry declarative configuration, parsed from YAML. Anything that svc cannot
 * honour, including unknown keys, is a fault with its place. With `disabled: true` only the propagators are
 * read: no span is recorded, but a caller's trace is still passed on to the service. D34
 */
export const readDocument = (document: unknown): E.Either<Fault, Settings> => {
  const isDisabled = t.type({ disabled: t.literal(true) }).is(document)
  const kept = ['disabled', 'file_format', 'propagator']
  const read = isDisabled
    ? Object.fromEntries(Object.entries(document).filter(([key]) => kept.includes(key)))
    : document
  return E.mapLeft(firstFault)(settings.decode(read ?? null))
}
