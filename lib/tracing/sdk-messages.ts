import { type DiagLogFunction, DiagLogLevel, diag } from '@opentelemetry/api'
import { setGlobalErrorHandler } from '@opentelemetry/core'

/** The message of the exporters' warning about a response that rejects spans. They report it nowhere else. */
const partialSuccess = 'Received Partial Success response:'

const discard: DiagLogFunction = () => undefined

/**
 * Keeps the messages of OpenTelemetry's SDK off the console. `reportRejection` gets the reason when a collector accepts a
 * request but rejects spans in it.
 */
export const receiveSdkMessages = (reportRejection: (reason: string) => void): void => {
  const warn: DiagLogFunction = (message, partial) => {
    if (message !== partialSuccess) return
    // The JSON encoding carries the number as a string.
    const { rejectedSpans, errorMessage = '' } = JSON.parse(String(partial))
    if (Number(rejectedSpans) > 0)
      reportRejection(`spans rejected: ${rejectedSpans}, ${errorMessage}`)
  }
  const logger = { verbose: discard, debug: discard, info: discard, warn, error: discard }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  // The exporters report their failures to svc. This handler of the SDK would log stack traces as well.
  setGlobalErrorHandler(() => undefined)
}
