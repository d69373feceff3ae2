import * as E from 'fp-ts/Either'
import type { LogLevel, Propagation, TracingConfig } from './config'
import { attributeLimits, provider } from './read-provider'
import { resource } from './read-resource'
import {
  bool,
  type Fault,
  fault,
  isMapping,
  kind,
  list,
  nothing,
  or,
  type Reader,
  refine,
  required,
  section,
  text,
  unused,
} from './reader'

/** Minor versions only add to the schema, and what they add is reported key by key. */
const fileFormat: Reader<string> = refine(text, (version, path) =>
  /^1\.\d+(-.+)?$/.test(version) ? E.right(version) : fault(path, 'must be "1.0" or a later 1.x'),
)

const levels: ReadonlyArray<LogLevel> = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

const logLevel: Reader<LogLevel> = refine(text, (level, path) => {
  const found = levels.find((l) => new RegExp(`^${l}[2-4]?$`).test(level))
  return found === undefined ? fault(path, `must be one of ${levels.join(', ')}`) : E.right(found)
})

const propagation = kind({
  tracecontext: nothing<Propagation>('tracecontext'),
  baggage: nothing<Propagation>('baggage'),
})

const propagationList = refine(text, (names, path): E.Either<Fault, ReadonlyArray<Propagation>> => {
  const read: Propagation[] = []
  const wanted = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (wanted.length === 1 && wanted[0] === 'none') return E.right([])
  for (const [index, name] of wanted.entries()) {
    if (name !== 'tracecontext' && name !== 'baggage') {
      return fault(path, `entry ${index + 1} is not supported`)
    }
    read.push(name)
  }
  return E.right(read)
})

/**
 * Without the section `traceparent` is sent all the same (D33); with it, exactly what it says.
 */
const propagator: Reader<ReadonlyArray<Propagation>> = or(
  refine(
    section({ composite: or(list(propagation), []), composite_list: or(propagationList, []) }),
    (read) => E.right([...new Set([...read.composite, ...read.composite_list])]),
  ),
  ['tracecontext'],
)

/**
 * Providers of the signals that svc does not record: a file that several programs share has
 * them beside its `tracer_provider`. A complete SDK would have nothing to export from them
 * either; only a reader that waits to be asked would open a port.
 */
const anything: Reader<undefined> = () => E.right(undefined)
const noMetrics = section({
  readers: or(
    list(kind({ periodic: anything, pull: unused('svc records no metrics to be read') })),
    [],
  ),
  views: anything,
  exemplar_filter: anything,
  'meter_configurator/development': anything,
})
const noLogs = section({
  processors: anything,
  limits: anything,
  'logger_configurator/development': anything,
})

const otherSignals = ['meter_provider', 'logger_provider'] as const
const isNothing = (value: unknown): boolean => value === undefined || value === null

const whole = refine(
  section({
    file_format: required(fileFormat),
    disabled: or(bool, false),
    log_level: or(logLevel, undefined),
    attribute_limits: attributeLimits,
    resource,
    propagator,
    tracer_provider: (value, path) => E.right({ value, path }),
    meter_provider: or(noMetrics, undefined),
    logger_provider: or(noLogs, undefined),
    'instrumentation/development': unused('is not supported'),
    distribution: unused('is not supported'),
  }),
  (read): E.Either<Fault, TracingConfig> => {
    const { value, path } = read.tracer_provider
    const other = otherSignals.find((name) => read[name] !== undefined)
    if (isNothing(value) && other !== undefined) return fault(other, 'svc records traces only')
    return E.map((found: TracingConfig['provider']) => ({
      logLevel: read.log_level,
      resource: read.resource,
      propagators: read.propagator,
      provider: found,
    }))(or(provider(read.attribute_limits), undefined)(value, path))
  },
)

/**
 * Reads a document of the OpenTelemetry declarative configuration, parsed from YAML.
 * What svc cannot honour, unknown keys included, is a fault with its path. A disabled
 * SDK asks for nothing but the propagators. D34
 */
export const readDocument = (document: unknown): E.Either<Fault, TracingConfig> => {
  if (!isMapping(document)) return fault('', 'the document must be a mapping')
  const { disabled, file_format, propagator } = document
  return whole(disabled === true ? { disabled, file_format, propagator } : document, '')
}
