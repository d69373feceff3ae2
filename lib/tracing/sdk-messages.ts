import { type DiagLogFunction, DiagLogLevel, diag } from '@opentelemetry/api'
import { setGlobalErrorHandler } from '@opentelemetry/core'

/** The warning that the exporters log if a collector rejects some spans of a request. They report that nowhere else. */
const partialSuccess = 'Received Partial Success response:'

const discard: DiagLogFunction = () => undefined

/**
 * Keeps the messages of OpenTelemetry's SDK off the console. `reportRejection` gets the reason when a collector accepts a
 * request but rejects spans in it.
 */
export const receiveSdkMessages = (reportRejection: (reason: string) => void): void => {
  const warn: DiagLogFunction = (message, response) => {
    if (message !== partialSuccess) return
    // OTLP's JSON encoding writes 64-bit numbers, such as `rejectedSpans`, as strings.
    const { rejectedSpans, errorMessage = '' } = JSON.parse(String(response))
    if (Number(rejectedSpans) > 0)
      reportRejection(`spans rejected: ${rejectedSpans}, ${errorMessage}`)
  }
  const logger = { verbose: discard, debug: discard, info: discard, warn, error: discard }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  // The exporters report their failures to svc. This handler of the SDK would log stack traces as well.
  setGlobalErrorHandler(() => undefined)
}
