import * as E from 'fp-ts/Either'
import { load } from 'js-yaml'
import * as assert from 'uvu/assert'
import { decodeTracingDocument, type TracingSettings } from '../../lib/tracing/decode-document'
import { expandVariables } from '../../lib/tracing/expand-variables'

/** The configuration that a document gives, or the text of its first fault. */
export const read = (text: string): TracingSettings | string => {
  const expanded = expandVariables(text, {})
  assert.ok(E.isRight(expanded))
  const result = decodeTracingDocument(load(expanded.right.text))
  return E.toUnion(result)
}

export const expectAccepted = (text: string): TracingSettings => {
  const result = read(text)
  if (typeof result === 'string') throw new Error(result)
  return result
}

/** A document with one processor, and these lines under its exporter or its provider. */
export const withExporter = (yaml: string) =>
  `file_format: "1.0"\ntracer_provider: {processors: [{simple: {exporter: ${yaml}}}]}`
export const withProvider = (yaml: string) =>
  `file_format: "1.0"\ntracer_provider: {processors: [{simple: {exporter: {otlp_http: }}}], ${yaml}}`
export const withOtlp = (yaml: string) => withExporter(`{otlp_http: ${yaml}}`)
export const otlp = 'tracer_provider.processors[0].simple.exporter.otlp_http'
