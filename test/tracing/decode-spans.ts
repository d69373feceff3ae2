import {
  bytesAt,
  decodeFields,
  type Fields,
  hexAt,
  messageAt,
  messagesAt,
  numberAt,
  textAt,
} from './protobuf'

/** Attributes by name. */
type Attributes = Readonly<Record<string, unknown>>

/** A span as a collector received it. */
export interface ReceivedSpan {
  readonly name: string
  /** A value of `spanKind`. */
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  /** Nanoseconds since the Unix epoch, like `end`. */
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Attributes
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: Attributes }>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
  readonly status: { readonly code: number; readonly message: string }
  readonly resource: Attributes
  readonly schemaUrl: string
  readonly scope: { readonly name: string; readonly version: string }
}

/** The kinds of spans in OTLP. They are the SDK's kinds plus 1. */
export const spanKind = { internal: 1, server: 2, client: 3 } as const

/** The code of a failed span's status. */
export const errorStatusCode = 2

/** Decodes an `ExportTraceServiceRequest` in protobuf. The field numbers are those of OpenTelemetry's `trace.proto`. */
export const decodeSpans = (body: Uint8Array): ReadonlyArray<ReceivedSpan> => {
  const spans: ReceivedSpan[] = []
  for (const resourceSpans of messagesAt(decodeFields(body), 1))
    for (const scopeSpans of messagesAt(resourceSpans, 2))
      for (const span of messagesAt(scopeSpans, 2))
        spans.push(decodeSpan(span, scopeSpans, resourceSpans))
  return spans
}

const decodeSpan = (span: Fields, scopeSpans: Fields, resourceSpans: Fields): ReceivedSpan => {
  const status = messageAt(span, 15)
  const scope = messageAt(scopeSpans, 1)
  return {
    name: textAt(span, 5),
    kind: Number(numberAt(span, 6)),
    traceId: hexAt(span, 1),
    spanId: hexAt(span, 2),
    parentSpanId: hexAt(span, 4),
    traceState: textAt(span, 3),
    start: numberAt(span, 7),
    end: numberAt(span, 8),
    attributes: decodeAttributes(span, 9),
    events: messagesAt(span, 11).map((event) => ({
      name: textAt(event, 2),
      attributes: decodeAttributes(event, 3),
    })),
    links: messagesAt(span, 13).map((link) => ({
      traceId: hexAt(link, 1),
      spanId: hexAt(link, 2),
    })),
    status: { code: Number(numberAt(status, 3)), message: textAt(status, 2) },
    resource: decodeAttributes(messageAt(resourceSpans, 1), 1),
    schemaUrl: textAt(resourceSpans, 3),
    scope: { name: textAt(scope, 1), version: textAt(scope, 2) },
  }
}

const decodeAttributes = (message: Fields, field: number): Attributes =>
  Object.fromEntries(
    messagesAt(message, field).map((pair) => [textAt(pair, 1), decodeValue(messageAt(pair, 2))]),
  )

/**
 * Decodes an `AnyValue`. Its field 1 is a string, 2 a boolean, 3 an integer, 4 a double, and 5 an array. A value with none of these fields
 * becomes an empty array.
 */
const decodeValue = (value: Fields): unknown => {
  if (bytesAt(value, 1).length > 0) return textAt(value, 1)
  if (value.has(2)) return numberAt(value, 2) === 1n
  if (value.has(3)) return Number(BigInt.asIntN(64, numberAt(value, 3)))
  if (value.has(4)) {
    // `numberAt` returns the bits of the double as an integer.
    const view = new DataView(new ArrayBuffer(8))
    view.setBigUint64(0, numberAt(value, 4))
    return view.getFloat64(0)
  }
  return messagesAt(messageAt(value, 5), 1).map(decodeValue)
}
