import type { ReceivedSpan } from './otlp'

/** The attributes of a span that a tree shows. */
const shown = [
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'svc.questions.count',
  'svc.retry.attempts',
  'http.response.status_code',
  'http.request.resend_count',
  'error.type',
]

const lines = (span: ReceivedSpan, all: ReadonlyArray<ReceivedSpan>): ReadonlyArray<string> => {
  const millis = Number((span.end - span.start) / 1_000_000n)
  const linked = span.links.flatMap(({ spanId }) => all.find((one) => one.spanId === spanId) ?? [])
  return [
    `${span.name} (${millis} ms)${linked.map(({ name }) => `, linked to the ${name} above`).join('')}`,
    ...shown.flatMap((name) =>
      span.attributes[name] === undefined ? [] : [`  ${name} = ${span.attributes[name]}`],
    ),
  ]
}

/** A trace as a tree: its spans by their start, each with its attributes below. */
export const tree = (spans: ReadonlyArray<ReceivedSpan>): string => {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const oldest = [...spans].sort((a, b) => Number(a.start - b.start))
  const show = (span: ReceivedSpan): ReadonlyArray<string> => {
    const [name = '', ...attributes] = lines(span, oldest)
    const children = oldest.filter(({ parentSpanId }) => parentSpanId === span.spanId)
    const below = children.flatMap((child, index) => {
      const last = index === children.length - 1
      const [first, ...rest] = show(child)
      return [`${last ? '└─' : '├─'} ${first}`, ...rest.map((l) => `${last ? '  ' : '│ '} ${l}`)]
    })
    const margin = children.length > 0 ? '│' : ' '
    return [name, ...attributes.map((l) => `${margin}${l}`), ...below]
  }
  const roots = oldest.filter(({ parentSpanId }) => !ids.has(parentSpanId))
  return roots
    .flatMap(show)
    .map((l) => `${l.trimEnd()}\n`)
    .join('')
}
