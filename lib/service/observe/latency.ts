const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** A histogram of durations, cheap to feed: the library's own costs more than routing a request. */
export interface Latency {
  /** `labels` in Prometheus' form, `route="/healthz"`; few different ones. */
  readonly observe: (labels: string, seconds: number) => void
  /** All of it in Prometheus' text format. */
  readonly text: () => string
}

interface Series {
  readonly counts: Array<number>
  sum: number
  count: number
}

/** A histogram under `name`, described by `help`. */
export const latency = (name: string, help: string): Latency => {
  const all = new Map<string, Series>()
  const seriesOf = (labels: string): Series => {
    const known = all.get(labels)
    if (known !== undefined) return known
    const series = { counts: bounds.map(() => 0), sum: 0, count: 0 }
    all.set(labels, series)
    return series
  }
  return {
    observe: (labels, seconds) => {
      const series = seriesOf(labels)
      const index = bounds.findIndex((bound) => seconds <= bound)
      if (index >= 0) series.counts[index] = (series.counts[index] ?? 0) + 1
      series.sum += seconds
      series.count++
    },
    text: () => {
      const head = `# HELP ${name} ${help}\n# TYPE ${name} histogram\n`
      return head + [...all].map(([labels, series]) => seriesText(name, labels, series)).join('')
    },
  }
}

/** Buckets are cumulative in this format. */
const seriesText = (name: string, labels: string, { counts, sum, count }: Series): string => {
  let below = 0
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0
    return `${name}_bucket{le="${bound}",${labels}} ${below}\n`
  })
  const all = `${name}_bucket{le="+Inf",${labels}} ${count}\n`
  return `${buckets.join('')}${all}${name}_sum{${labels}} ${sum}\n${name}_count{${labels}} ${count}\n`
}
