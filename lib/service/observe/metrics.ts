import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../../runtime/runtime'
import type { WorkQueue } from '../../runtime/work-queue'
import { maxTimerMs } from '../../text/duration'
import type { AnswerLog } from '../answer-log/answer-log'
import type { EngineAnswer } from '../contract/engine'

/** A finished request, as the metrics record it. */
interface FinishedRequest {
  /** The route's path, or `other`. */
  readonly route: string
  readonly method: string
  readonly status: number
  /** The time from the arrival of the headers to the response. */
  readonly seconds: number
  /** The name of the API key; `undefined` if the key has no name or was not accepted. */
  readonly key: string | undefined
}

/** The service's metrics, for Prometheus. Callers cannot add label values, so the number of time series is limited. */
export interface Metrics {
  /** Counts a finished request. */
  readonly recordRequest: (request: FinishedRequest) => void
  /**
   * Records a call to the engine, and its duration in seconds, including the wait in the queue. `outcome` is `answered`, or the type
   * of the problem.
   */
  readonly recordEngineCall: (engine: string, outcome: string, seconds: number) => void
  /** Counts questions of one type. */
  readonly countQuestions: (questionType: string, count: number) => void
  /** Counts the tokens that the engine reports. `key` is the name of the API key. */
  readonly countTokens: (usage: EngineAnswer['usage'], key: string | undefined) => void
  /** The content type of the text from `render`. */
  readonly contentType: string
  /** Formats all metrics in the text format of Prometheus. Computes them at most once per second. */
  readonly render: () => Promise<string>
}

/** The minimum time between two computations of the text. */
const minRenderIntervalMs = 1000

/** The methods with a label value of their own. All others are counted as `other`, because callers may invent methods. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The upper bounds of the histograms' buckets. */
const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The parts of the program that the metrics read. */
interface MetricsEnvironment {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly answerLog?: Pick<AnswerLog, 'countDropped'> | undefined
}

/**
 * Creates the metrics of a service, in a new registry. `queue` is the queue of calls to the engine. The number of calls in it is read
 * each time the text of the metrics is computed.
 */
export const createMetrics = (
  queue: WorkQueue,
  { clock: { monotonic }, answerLog }: MetricsEnvironment,
): Metrics => {
  const register = new Registry()
  const registers = [register]
  // By default prom-client measures the event loop's delay 100 times per second, also if the service is idle. With the longest
  // possible interval it practically never measures. The statistics would then have no measurements, so they are removed. The
  // current delay is measured separately and remains.
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
    help: 'Time from the headers of a request to its response.',
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
    help: 'Time for an answer, including the wait in the queue.',
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
      this.set(queue.countRunning())
    },
  })
  new Gauge({
    name: 'svc_requests_waiting',
    help: 'Requests that wait in the queue for the engine.',
    registers,
    collect() {
      this.set(queue.countWaiting())
    },
  })
  if (answerLog !== undefined)
    new Counter({
      name: 'svc_answer_log_dropped_total',
      help: 'Answers that are missing in the answer log.',
      registers,
      collect() {
        this.reset()
        this.inc(answerLog.countDropped())
      },
    })
  let renderedAt = Number.NEGATIVE_INFINITY
  let rendered = Promise.resolve('')
  return {
    recordRequest: ({ route, method, status, seconds, key }) => {
      const methodLabel = methods.has(method) ? method : 'other'
      requests.inc({ route, method: methodLabel, status, ...createKeyLabel(key) })
      requestTime.observe({ route }, seconds)
    },
    recordEngineCall: (engine, outcome, seconds) =>
      engineTime.observe({ engine, outcome }, seconds),
    countQuestions: (type, count) => questions.inc({ type }, count),
    countTokens: ({ input_tokens: input, output_tokens: output }, key) => {
      const label = createKeyLabel(key)
      if (input !== null) tokens.inc({ direction: 'input', ...label }, input)
      if (output !== null) tokens.inc({ direction: 'output', ...label }, output)
    },
    contentType: register.contentType,
    render: () => {
      if (monotonic() - renderedAt < minRenderIntervalMs) return rendered
      renderedAt = monotonic()
      rendered = register.metrics()
      return rendered
    },
  }
}

/** Creates the label with the key's name. A key without a name has no label. */
const createKeyLabel = (key: string | undefined) => (key === undefined ? {} : { key })
