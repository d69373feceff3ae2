import type { ReceivedSpan } from './decode-spans'

/** The attributes that a tree shows. */
const shownAttributes = [
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

/**
 * Formats a trace as a tree of spans, in order of their start, such as:
 *
 *     svc.ask (15 ms)
 *     │  svc.questions.count = 1
 *     ├─ POST (10 ms)
 *     │     http.response.status_code = 503
 *     └─ POST (5 ms)
 *           http.response.status_code = 200
 */
export const formatSpanTree = (spans: ReadonlyArray<ReceivedSpan>): string => {
  const sorted = [...spans].sort((a, b) => Number(a.start - b.start))
  const ids = new Set(sorted.map(({ spanId }) => spanId))
  const roots = sorted.filter(({ parentSpanId }) => !ids.has(parentSpanId))
  const lines = roots.flatMap((root) => formatSubtree(root, sorted))
  return lines.map((line) => `${line}\n`).join('')
}

/** Formats a span with its attributes, and its descendants. `all` are the spans of the trace. */
const formatSubtree = (
  span: ReceivedSpan,
  all: ReadonlyArray<ReceivedSpan>,
): ReadonlyArray<string> => {
  const children = all.filter(({ parentSpanId }) => parentSpanId === span.spanId)
  const margin = children.length > 0 ? '│' : ' '
  const lines = [formatTitle(span, all)]
  for (const name of shownAttributes) {
    const value = span.attributes[name]
    if (value !== undefined) lines.push(`${margin}  ${name} = ${value}`)
  }
  children.forEach((child, index) => {
    const isLast = index === children.length - 1
    const [titlePrefix, linePrefix] = isLast ? ['└─ ', '   '] : ['├─ ', '│  ']
    const [title, ...linesBelow] = formatSubtree(child, all)
    lines.push(`${titlePrefix}${title}`)
    for (const line of linesBelow) lines.push(`${linePrefix}${line}`)
  })
  return lines
}

/** Formats the name and the duration of a span, and the names of the spans that it links to. Ignores links to other traces. */
const formatTitle = (span: ReceivedSpan, all: ReadonlyArray<ReceivedSpan>): string => {
  const durationMs = Number((span.end - span.start) / 1_000_000n)
  const links = span.links.map((link) => {
    const target = all.find(({ spanId }) => spanId === link.spanId)
    return target === undefined ? '' : `, linked to the ${target.name} above`
  })
  return `${span.name} (${durationMs} ms)${links.join('')}`
}
