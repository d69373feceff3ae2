import type { ConfigurationModel } from '@opentelemetry/configuration'
import * as E from 'fp-ts/Either'
import { reasonOf } from '../runtime/reason'
import type { Runtime } from '../runtime/runtime'
import { repeatsTooMuch } from './aliases'
import type { TracingConfig } from './config'
import { type Env, expand } from './expand'
import { readDocument } from './read-document'
import { faultText } from './reader'
import { type Redactor, redactor } from './redact'

/** A configuration, and the function that keeps its secrets out of later messages. */
export interface Loaded {
  readonly config: TracingConfig
  readonly redact: Redactor
}

/**
 * The configuration that the environment asks for: the file `OTEL_CONFIG_FILE` as it is,
 * else one built from three variables. An error is one text, redacted. spec: Tracing
 *
 * Of `@opentelemetry/configuration` only the types serve: its parser reads the file and
 * `process.env` by itself with a second YAML library, substitutes inside parsed scalars
 * where the rule here is to expand the text, and leaves malformed lists out in silence.
 */
export const loadConfig = async (
  runtime: Pick<Runtime, 'env' | 'files'>,
): Promise<E.Either<string, Loaded>> => {
  const file = runtime.env.OTEL_CONFIG_FILE ?? ''
  return file === '' ? builtConfig(runtime.env) : fileConfig(file, runtime)
}

/** Much more than any configuration needs, and an end for a file that has none. */
const limit = 1 << 20

const fileConfig = async (
  file: string,
  { env, files }: Pick<Runtime, 'env' | 'files'>,
): Promise<E.Either<string, Loaded>> => {
  const read = await files.read(file, limit).then(
    (bytes) => E.right(bytes),
    (error: unknown) => E.left(`read ${file}: ${reasonOf(error)}`),
  )
  if (E.isLeft(read)) return read
  if (read.right.length > limit) return E.left(`read ${file}: larger than 1 MiB`)
  const text = E.tryCatch(
    () => new TextDecoder('utf-8', { fatal: true }).decode(read.right),
    () => `read ${file}: not valid UTF-8`,
  )
  if (E.isLeft(text)) return text
  const expanded = expand(text.right, env)
  if (E.isLeft(expanded)) return E.left(`${file}: ${expanded.left}`)
  const redact = redactor(expanded.right.values)
  const document = await parseYaml(expanded.right.text, redact)
  if (E.isLeft(document)) return E.left(`${file}: ${document.left}`)
  if (repeatsTooMuch(document.right))
    return E.left(`${file}: invalid YAML: its aliases stand for more than 10,000 nodes`)
  const config = readDocument(document.right)
  return E.isLeft(config)
    ? E.left(faultText(config.left, redact))
    : E.right({ config: config.right, redact })
}

const parseYaml = async (text: string, redact: Redactor): Promise<E.Either<string, unknown>> => {
  const { load, YAMLException } = await import('js-yaml')
  return E.tryCatch(
    () => load(text),
    (error) => {
      // Without the snippet of the source that the library's own message carries.
      const known = error instanceof YAMLException
      const reason = redact.parts((known ? error.reason : reasonOf(error)).slice(0, 300))
      const mark = known ? error.mark : undefined
      const place = mark === undefined ? '' : ` at line ${mark.line + 1}, column ${mark.column + 1}`
      return `invalid YAML${place}: ${reason}`
    },
  )
}

/** Which variable a part of the built document comes from. */
const origins = [
  ['endpoint', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ['headers[0].value', 'TRACING_API_KEY'],
] as const

const builtConfig = (env: Env): E.Either<string, Loaded> => {
  const config = readDocument(builtDocument(env))
  const redact = redactor([env.TRACING_API_KEY ?? ''])
  if (E.isRight(config)) return E.right({ config: config.right, redact })
  const { path, cause } = config.left
  const origin = origins.find(([end]) => path.endsWith(end))
  return E.left(faultText({ path: origin?.[1] ?? path, cause }, redact))
}

/**
 * The document that the variables stand for: one batch processor over OTLP/HTTP, the
 * service's name, and the team's key as a header. spec: Tracing, built configuration; D33
 */
export const builtDocument = (env: Env): ConfigurationModel => {
  const key = env.TRACING_API_KEY ?? ''
  const headers = key === '' ? {} : { headers: [{ name: 'x-tracing-team', value: key }] }
  const endpoint = tracesEndpoint(env.OTEL_EXPORTER_OTLP_ENDPOINT || 'http://localhost:4318')
  return {
    file_format: '1.0',
    resource: {
      attributes: [{ name: 'service.name', value: env.OTEL_SERVICE_NAME || 'svc' }],
    },
    propagator: { composite: [{ tracecontext: null }] },
    tracer_provider: {
      processors: [{ batch: { exporter: { otlp_http: { endpoint, ...headers } } } }],
    },
  }
}

/** With the path of OTLP after a host; an address without one is refused when it is read. D55 */
const tracesEndpoint = (address: string): string => {
  if (!/^https?:\/\/[^\\/?#]/i.test(address)) return address
  const base = address.replace(/\/$/, '')
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`
}
