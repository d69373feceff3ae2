import { type DiagLogFunction, DiagLogLevel, diag } from '@opentelemetry/api'
import { setGlobalErrorHandler } from '@opentelemetry/core'

/** Where the messages of OpenTelemetry's SDK go. */
interface Listener {
  /** Messages of this level and graver are printed. */
  readonly level: DiagLogLevel
  readonly print: (line: string) => void
  /** Called where a collector accepts a request but rejects spans in it. */
  readonly reportRejection: (cause: string) => void
}

/** How the exporters begin the warning about an answer that rejects spans. Nothing else tells of it. */
const partialSuccess = 'Received Partial Success response:'

/** Takes over what the SDK would otherwise write to the console. */
export const receiveSdkMessages = ({ level, print, reportRejection }: Listener): void => {
  const printFrom = (own: DiagLogLevel): DiagLogFunction =>
    own > level
      ? () => undefined
      : (...parts) => print(parts.filter((part) => typeof part === 'string').join(' '))
  const warn = printFrom(DiagLogLevel.WARN)
  const messages = {
    verbose: printFrom(DiagLogLevel.VERBOSE),
    debug: printFrom(DiagLogLevel.DEBUG),
    info: printFrom(DiagLogLevel.INFO),
    warn: (...parts: Parameters<DiagLogFunction>): void => {
      if (parts[0] === partialSuccess) reportRejected(String(parts[1]), reportRejection)
      warn(...parts)
    },
    error: printFrom(DiagLogLevel.ERROR),
  }
  diag.setLogger(messages, { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true })
  // The exporters report their failures to svc. This handler of the SDK would log stack traces as well.
  setGlobalErrorHandler(() => undefined)
}

/** Reports the rejected spans that a `partialSuccess` names. JSON carries their number as a string. */
const reportRejected = (partial: string, report: (cause: string) => void): void => {
  const { rejectedSpans, errorMessage = '' } = JSON.parse(partial)
  if (Number(rejectedSpans) > 0) report(`spans rejected: ${rejectedSpans}, ${errorMessage}`)
}
