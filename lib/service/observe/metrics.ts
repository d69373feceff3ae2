import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { maxTimerMs } from '../../failure/text/duration'
import type { Clock } from '../../runtime/runtime'
import type { WorkQueue } from '../../runtime/work-queue'
import type { EngineAnswer } from '../contract/engine'

/** The facts about a finished request that the metrics record. */
interface FinishedRequest {
  /** The route's path, or `other`. */
  readonly route: string
  readonly method: string
  readonly status: number
  /** Time from the arrival of the request's headers to its response. */
  readonly seconds: number
  /** The name of the API key; `undefined` if it has none or was not accepted. */
  readonly key: string | undefined
}

/** The service's metrics. No label takes values from callers, and keys have at most 100 names. */
export interface Metrics {
  /** Counts a finished request. */
  readonly recordRequest: (request: FinishedRequest) => void
  /** Records how a call to the engine ended, and how many seconds it took, including the wait in the queue. */
  readonly recordEngineCall: (engine: string, outcome: string, seconds: number) => void
  /** Counts questions of one type. */
  readonly countQuestions: (questionType: string, count: number) => void
  /** Counts the tokens that the engine reports, for the key of this name. */
  readonly countTokens: (usage: EngineAnswer['usage'], key: string | undefined) => void
  /** The content type of the text from `render`. */
  readonly contentType: string
  /** All metrics in Prometheus' text format, for `GET /metrics`. Computed at most once a second. */
  readonly render: () => Promise<string>
}

/** A rendered text is reused for this many milliseconds. */
const reuseMs = 1000

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The upper bounds of the histograms' buckets. */
const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * Creates the metrics of a service, in a new registry. `queue` is the queue in front of the engine; its length is
 * read when Prometheus asks.
 */
export const createMetrics = (
  queue: WorkQueue,
  { monotonic }: Pick<Clock, 'monotonic'>,
): Metrics => {
  const register = new Registry()
  const registers = [register]
  // prom-client samples the event loop's delay, which would wake an idle service 100 times a second. The
  // longest possible interval prevents that. The statistics of the samples are removed; the current delay remains.
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: maxTimerMs })
  for (const statistic of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
    register.removeSingleMetric(`nodejs_eventloop_lag_${statistic}_seconds`)
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'method', 'status', 'key'],
    registers,
  })
  const requestTime = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the head of a request to its answer.',
    labelNames: ['route'],
    buckets: bucketSeconds,
    registers,
  })
  const questions = new Counter({
    name: 'svc_questions_total',
    help: 'Questions asked.',
    labelNames: ['type'],
    registers,
  })
  const engineTime = new Histogram({
    name: 'svc_engine_duration_seconds',
    help: 'Time for an answer, the line included.',
    labelNames: ['engine', 'outcome'],
    buckets: bucketSeconds,
    registers,
  })
  const tokens = new Counter({
    name: 'svc_engine_tokens_total',
    help: 'Tokens that the engine reports.',
    labelNames: ['direction', 'key'],
    registers,
  })
  new Gauge({
    name: 'svc_requests_running',
    help: 'Requests that the engine is working on.',
    registers,
    collect() {
      this.set(queue.running())
    },
  })
  new Gauge({
    name: 'svc_requests_waiting',
    help: 'Requests in line for the engine.',
    registers,
    collect() {
      this.set(queue.waiting())
    },
  })
  let renderedAt = Number.NEGATIVE_INFINITY
  let rendered = Promise.resolve('')
  return {
    recordRequest: ({ route, method, status, seconds, key }) => {
      const methodLabel = methods.has(method) ? method : 'other'
      requests.inc({ route, method: methodLabel, status, ...keyLabel(key) })
      requestTime.observe({ route }, seconds)
    },
    recordEngineCall: (engine, outcome, seconds) =>
      engineTime.observe({ engine, outcome }, seconds),
    countQuestions: (type, count) => questions.inc({ type }, count),
    countTokens: ({ input_tokens: input, output_tokens: output }, key) => {
      const label = keyLabel(key)
      if (input !== null) tokens.inc({ direction: 'input', ...label }, input)
      if (output !== null) tokens.inc({ direction: 'output', ...label }, output)
    },
    contentType: register.contentType,
    render: () => {
      if (monotonic() - renderedAt < reuseMs) return rendered
      renderedAt = monotonic()
      rendered = register.metrics()
      return rendered
    },
  }
}

/** A series has the label only if the key has a name. */
const keyLabel = (key: string | undefined) => (key === undefined ? {} : { key })
