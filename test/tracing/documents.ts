import * as E from 'fp-ts/Either'
import { load } from 'js-yaml'
import * as assert from 'uvu/assert'
import { decodeTracingDocument, type TracingSettings } from '../../lib/tracing/decode-document'
import { expandVariables } from '../../lib/tracing/expand-variables'

/** Decodes a document. Returns the configuration, or the text of the first fault. */
export const decodeText = (text: string): TracingSettings | string => {
  const expanded = expandVariables(text, {})
  assert.ok(E.isRight(expanded))
  const result = decodeTracingDocument(load(expanded.right.text))
  return E.toUnion(result)
}

export const expectAccepted = (text: string): TracingSettings => {
  const result = decodeText(text)
  if (typeof result === 'string') throw new Error(result)
  return result
}

/** A document with one processor whose exporter is this YAML. */
export const withExporter = (yaml: string) =>
  `file_format: "1.0"\ntracer_provider: {processors: [{simple: {exporter: ${yaml}}}]}`

/** A document with one processor, and this YAML as further members of the provider. */
export const withProvider = (yaml: string) =>
  `file_format: "1.0"\ntracer_provider: {processors: [{simple: {exporter: {otlp_http: }}}], ${yaml}}`

/** A document with one processor, and this YAML as the settings of OTLP over HTTP. */
export const withOtlp = (yaml: string) => withExporter(`{otlp_http: ${yaml}}`)

/** The path of these settings in messages. */
export const otlp = 'tracer_provider.processors[0].simple.exporter.otlp_http'
