import * as E from 'fp-ts/Either'
import { load, YAMLException } from 'js-yaml'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import { createRedact, redacted } from '../text/secret'
import { decodeTracingDocument, type TracingSettings } from './decode-document'
import { type Env, expandVariables } from './expand-variables'

/** The configuration of tracing. `redact` removes its secrets from messages. */
export interface TracingConfig {
  readonly settings: TracingSettings
  readonly redact: (text: string) => string
}

/**
 * Loads the configuration: the file that `OTEL_CONFIG_FILE` names, otherwise one built from variables. Fails with a message without
 * secrets.
 *
 * The package `@opentelemetry/configuration` does not fit: it reads the file and `process.env` itself, expands
 * references inside parsed values instead of in the text, and accepts settings that svc cannot honour.
 */
export const loadTracingConfig = async (
  runtime: Pick<Runtime, 'env' | 'files' | 'signal'>,
): Promise<E.Either<string, TracingConfig>> => {
  // A blank variable counts as unset.
  const file = runtime.env.OTEL_CONFIG_FILE ?? ''
  return file.trim() === '' ? buildConfig(runtime.env) : loadFile(file, runtime)
}

const maxFileBytes = 1 << 20

const loadFile = async (
  file: string,
  { env, files, signal }: Pick<Runtime, 'env' | 'files' | 'signal'>,
): Promise<E.Either<string, TracingConfig>> => {
  let text: string
  try {
    const { bytes } = await files.readRegular(file, { maxBytes: maxFileBytes, signal })
    if (bytes.length > maxFileBytes) return E.left(`read ${file}: larger than 1 MiB`)
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    const reason = error instanceof TypeError ? 'not valid UTF-8' : reasonOf(error)
    return E.left(`read ${file}: ${reason}`)
  }
  const expanded = expandVariables(text, env)
  if (E.isLeft(expanded)) return E.left(`${file}: ${expanded.left}`)
  const redact = createValueRedact(expanded.right.values)
  const document = parseYaml(expanded.right.text)
  if (E.isLeft(document)) return E.left(redact(`${file}: ${document.left}`))
  const settings = decodeTracingDocument(document.right)
  if (E.isLeft(settings)) return E.left(redact(settings.left))
  return E.right({ settings: settings.right, redact })
}

/** Shorter values of variables are not redacted, because they also occur in ordinary words. */
const minSecretBytes = 4

/** Creates a function that redacts the values of variables in error messages. */
const createValueRedact = (values: ReadonlyArray<string>): ((text: string) => string) => {
  const secrets = values.filter((value) => Buffer.byteLength(value) >= minSecretBytes)
  const redact = createRedact(secrets)
  // `createRedact` leaves out values of fewer than four characters, but four bytes can be two characters.
  return (text) =>
    secrets.reduce((message, secret) => message.replaceAll(secret, redacted), redact(text))
}

const parseYaml = (text: string): E.Either<string, unknown> =>
  E.tryCatch(
    () => load(text),
    (error) => {
      if (!(error instanceof YAMLException)) return `invalid YAML: ${reasonOf(error)}`
      const { mark, reason } = error
      const place = mark === undefined ? '' : ` at line ${mark.line + 1}, column ${mark.column + 1}`
      // After one of these characters, js-yaml quotes the document, which may contain a secret.
      const [reasonWithoutQuote = ''] = reason.split(/["<:]/, 1)
      return `invalid YAML${place}: ${reasonWithoutQuote.trim()}`
    },
  )

/** Builds the configuration from variables. A failure names the variable at fault. */
const buildConfig = (env: Env): E.Either<string, TracingConfig> => {
  const redact = createValueRedact([readTrimmed(env, 'TRACING_API_KEY')])
  const settings = decodeTracingDocument(buildDocument(env))
  if (E.isRight(settings)) return E.right({ settings: settings.right, redact })
  // The error is `<path>: <message>`. The last key of the path tells from which variable the value is.
  const [, key, message] = /([a-z_]+): (.*)$/s.exec(settings.left) ?? []
  return E.left(redact(`${variableOf(key)}: ${message}`))
}

/**
 * Returns the variable that provides the value of a key of the built document. The only other key that can be invalid is the `value` of
 * the header.
 */
const variableOf = (key: string | undefined): string => {
  if (key === 'endpoint') return 'OTEL_EXPORTER_OTLP_ENDPOINT'
  return key === 'attributes_list' ? 'OTEL_RESOURCE_ATTRIBUTES' : 'TRACING_API_KEY'
}

/** Reads a variable without whitespace around it, such as the final newline of a file. `''` if it is unset. */
const readTrimmed = (env: Env, name: string): string => env[name]?.trim() ?? ''

/** Builds a configuration document from variables: one batch processor that exports over OTLP/HTTP. */
export const buildDocument = (env: Env) => {
  const apiKey = readTrimmed(env, 'TRACING_API_KEY')
  const headers = apiKey === '' ? {} : { headers: [{ name: 'x-tracing-team', value: apiKey }] }
  const address = readTrimmed(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') || 'http://localhost:4318'
  const endpoint = addTracesPath(address)
  return {
    file_format: '1.0',
    resource: {
      attributes: [{ name: 'service.name', value: env.OTEL_SERVICE_NAME || 'svc' }],
      // `null` counts as absent.
      attributes_list: env.OTEL_RESOURCE_ATTRIBUTES || null,
    },
    propagator: { composite: [{ tracecontext: null }] },
    tracer_provider: {
      processors: [{ batch: { exporter: { otlp_http: { endpoint, ...headers } } } }],
    },
  }
}

/**
 * Adds `/v1/traces` to the path of an address unless the path ends with that. A query stays at the end. An address without a host stays unchanged, and is refused when
 * the document is decoded.
 */
const addTracesPath = (address: string): string => {
  if (!/^https?:\/\/[^\\/?#]/i.test(address)) return address
  const queryStart = address.search(/[?#]/)
  const query = queryStart < 0 ? '' : address.slice(queryStart)
  const base = address.slice(0, address.length - query.length).replace(/\/$/, '')
  const path = base.endsWith('/v1/traces') ? base : `${base}/v1/traces`
  return path + query
}
