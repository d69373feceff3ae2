import * as E from 'fp-ts/Either'
import { load, YAMLException } from 'js-yaml'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import { type Env, expandVariables } from './expand-variables'
import { readDocument, type Settings } from './read-document'
import { createRedactor, type Redactor } from './redact'
import { describeFault } from './yaml-parts'

/** A configuration, and the function that redacts its secrets in later messages. */
export interface Loaded {
  readonly settings: Settings
  readonly redact: Redactor
}

/**
 * Loads the configuration: the file that `OTEL_CONFIG_FILE` names, otherwise one built from three variables.
 * Fails with one redacted text. spec: Tracing
 *
 * The package `@opentelemetry/configuration` does not fit: it reads file and `process.env` itself, expands
 * references inside parsed values where the rule here is to expand the text, and accepts settings that svc
 * cannot honour.
 */
export const loadTracingConfig = async (
  runtime: Pick<Runtime, 'env' | 'files' | 'signal'>,
): Promise<E.Either<string, Loaded>> => {
  const file = runtime.env.OTEL_CONFIG_FILE ?? ''
  return file === '' ? buildConfig(runtime.env) : loadFile(file, runtime)
}

/**
 * The most bytes of a configuration file, far more than one needs. It ends the reading of a file that has no
 * end.
 */
const mostBytes = 1 << 20

const loadFile = async (
  file: string,
  { env, files, signal }: Pick<Runtime, 'env' | 'files' | 'signal'>,
): Promise<E.Either<string, Loaded>> => {
  const read = await files.readRegular(file, { limit: mostBytes, signal }).then(
    ({ bytes }) => E.right(bytes),
    (error: unknown) => E.left(`read ${file}: ${reasonOf(error)}`),
  )
  if (E.isLeft(read)) return read
  if (read.right.length > mostBytes) return E.left(`read ${file}: larger than 1 MiB`)
  const text = E.tryCatch(
    () => new TextDecoder('utf-8', { fatal: true }).decode(read.right),
    () => `read ${file}: not valid UTF-8`,
  )
  if (E.isLeft(text)) return text
  const expanded = expandVariables(text.right, env)
  if (E.isLeft(expanded)) return E.left(`${file}: ${expanded.left}`)
  const redact = createRedactor(expanded.right.values)
  const document = parseYaml(expanded.right.text, redact)
  if (E.isLeft(document)) return E.left(`${file}: ${document.left}`)
  if (repeatsTooMuch(document.right))
    return E.left(`${file}: invalid YAML: its aliases stand for more than 10,000 nodes`)
  const settings = readDocument(document.right)
  return E.isLeft(settings)
    ? E.left(describeFault(settings.left, redact))
    : E.right({ settings: settings.right, redact })
}

const parseYaml = (text: string, redact: Redactor): E.Either<string, unknown> =>
  E.tryCatch(
    () => load(text),
    (error) => {
      // Only the reason is shown: the library's whole message would repeat lines of the document.
      const known = error instanceof YAMLException
      const reason = redact.parts((known ? error.reason : reasonOf(error)).slice(0, 300))
      const mark = known ? error.mark : undefined
      const place = mark === undefined ? '' : ` at line ${mark.line + 1}, column ${mark.column + 1}`
      return `invalid YAML${place}: ${reason}`
    },
  )

/** The most nodes that the aliases of a document may stand for. D67 */
const mostRepeated = 10_000

/**
 * Whether the aliases of a parsed document stand for too many nodes. js-yaml represents all aliases of a node
 * by one shared object, so even a huge expansion takes little memory. But code that walks the document visits
 * that object once per alias, and a few lines of aliases to aliases would keep it busy forever.
 */
const repeatsTooMuch = (document: unknown): boolean => {
  const seen = new Set<object>()
  const waiting: unknown[] = [document]
  let repeated = 0
  while (waiting.length > 0 && repeated <= mostRepeated) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null) continue
    const inside: ReadonlyArray<unknown> = Object.values(node)
    if (seen.has(node)) repeated += 1 + inside.length
    seen.add(node)
    for (const one of inside) waiting.push(one)
  }
  return repeated > mostRepeated
}

const buildConfig = (env: Env): E.Either<string, Loaded> => {
  const redact = createRedactor([env.TRACING_API_KEY ?? ''])
  const settings = readDocument(buildDocument(env))
  if (E.isRight(settings)) return E.right({ settings: settings.right, redact })
  const { loc, message } = settings.left
  const variable = loc.at(-1) === 'endpoint' ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'TRACING_API_KEY'
  return E.left(redact.values(`${variable}: ${message}`))
}

/** Builds a configuration from three variables: one batch processor over OTLP/HTTP. spec: Tracing, D33 */
export const buildDocument = (env: Env) => {
  const key = env.TRACING_API_KEY ?? ''
  const headers = key === '' ? {} : { headers: [{ name: 'x-tracing-team', value: key }] }
  const endpoint = addTracesPath(env.OTEL_EXPORTER_OTLP_ENDPOINT || 'http://localhost:4318')
  return {
    file_format: '1.0',
    resource: { attributes: [{ name: 'service.name', value: env.OTEL_SERVICE_NAME || 'svc' }] },
    propagator: { composite: [{ tracecontext: null }] },
    tracer_provider: {
      processors: [{ batch: { exporter: { otlp_http: { endpoint, ...headers } } } }],
    },
  }
}

/**
 * The address that spans are sent to: the given one, with `/v1/traces` added unless it ends with that. An
 * address without a host is returned unchanged, and is refused when the document is read. D55
 */
const addTracesPath = (address: string): string => {
  if (!/^https?:\/\/[^\\/?#]/i.test(address)) return address
  const base = address.replace(/\/$/, '')
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`
}
