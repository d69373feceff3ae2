import * as E from 'fp-ts/Either'
import { load } from 'js-yaml'
import * as assert from 'uvu/assert'
import { decodeTracingDocument, type TracingSettings } from '../../lib/tracing/decode-document'
import { expandVariables } from '../../lib/tracing/expand-variables'

/** Decodes a YAML document, without any environment variables. */
const decodeYaml = (text: string): E.Either<string, TracingSettings> => {
  const expanded = expandVariables(text, {})
  assert.ok(E.isRight(expanded))
  return decodeTracingDocument(load(expanded.right.text))
}

/** Decodes a YAML document. Throws if svc refuses it. */
export const decodeValidYaml = (text: string): TracingSettings => {
  const decoded = decodeYaml(text)
  if (E.isLeft(decoded)) throw new Error(decoded.left)
  return decoded.right
}

/** Returns the message about the first fault of a YAML document, or `undefined` if the document is valid. */
export const explainYamlFault = (text: string): string | undefined => {
  const decoded = decodeYaml(text)
  return E.isLeft(decoded) ? decoded.left : undefined
}

/** Formats a document with one processor. `exporter` is YAML, such as `{otlp_http: }`. */
export const formatDocument = (exporter: string, processor: 'batch' | 'simple' = 'batch') =>
  `file_format: "1.0"\ntracer_provider: {processors: [{${processor}: {exporter: ${exporter}}}]}`

/** Formats a document with one processor and further members of `tracer_provider`, which are YAML. */
export const formatProviderDocument = (members: string) =>
  `file_format: "1.0"\ntracer_provider: {processors: [{simple: {exporter: {otlp_http: }}}], ${members}}`
