import {
  bytesAt,
  type Fields,
  fieldsOf,
  hexAt,
  messageAt,
  messagesAt,
  numberAt,
  textAt,
} from './protobuf'

/** Attributes by name; lists as lists, whole numbers as numbers. */
type Values = Readonly<Record<string, unknown>>

/** A span as a collector received it. */
export interface ReceivedSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Values
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: Values }>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
  readonly status: { readonly code: number; readonly message: string }
  readonly resource: Values
  readonly schemaUrl: string
  readonly scope: { readonly name: string; readonly version: string }
}

/** Decodes an ExportTraceServiceRequest from the protobuf wire format. */
export const decodeSpans = (body: Uint8Array): ReadonlyArray<ReceivedSpan> => {
  const request = fieldsOf(body)
  return messagesAt(request, 1).flatMap((resourceSpans) =>
    messagesAt(resourceSpans, 2).flatMap((scopeSpans) =>
      messagesAt(scopeSpans, 2).map((span) => ({
        name: textAt(span, 5),
        kind: Number(numberAt(span, 6)),
        traceId: hexAt(span, 1),
        spanId: hexAt(span, 2),
        parentSpanId: hexAt(span, 4),
        traceState: textAt(span, 3),
        start: numberAt(span, 7),
        end: numberAt(span, 8),
        attributes: pairs(span, 9),
        events: messagesAt(span, 11).map((event) => ({
          name: textAt(event, 2),
          attributes: pairs(event, 3),
        })),
        links: messagesAt(span, 13).map((link) => ({
          traceId: hexAt(link, 1),
          spanId: hexAt(link, 2),
        })),
        status: {
          code: Number(numberAt(messageAt(span, 15), 3)),
          message: textAt(messageAt(span, 15), 2),
        },
        resource: pairs(messageAt(resourceSpans, 1), 1),
        schemaUrl: textAt(resourceSpans, 3),
        scope: {
          name: textAt(messageAt(scopeSpans, 1), 1),
          version: textAt(messageAt(scopeSpans, 1), 2),
        },
      })),
    ),
  )
}

const pairs = (message: Fields, field: number): Values =>
  Object.fromEntries(
    messagesAt(message, field).map((pair) => [textAt(pair, 1), anyValue(messageAt(pair, 2))]),
  )

const anyValue = (value: Fields): unknown => {
  if (bytesAt(value, 1).length > 0) return textAt(value, 1)
  if (value.has(2)) return numberAt(value, 2) === 1n
  if (value.has(3)) return Number(BigInt.asIntN(64, numberAt(value, 3)))
  if (value.has(4)) {
    const view = new DataView(new ArrayBuffer(8))
    view.setBigUint64(0, numberAt(value, 4))
    return view.getFloat64(0)
  }
  return messagesAt(messageAt(value, 5), 1).map(anyValue)
}
