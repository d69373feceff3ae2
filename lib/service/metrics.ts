import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Gate } from './gate'

/** One finished request, as metrics and log see it. */
export interface Finished {
  /** The route's pattern, or `other`. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly seconds: number
}

/** What the service counts; `/metrics` prints it in Prometheus' text format. */
export interface Metrics {
  readonly finished: (request: Finished) => void
  readonly engineFinished: (engine: string, outcome: string, seconds: number) => void
  readonly asked: (questionType: string) => void
  readonly tokens: (input: number | null, output: number | null) => void
  readonly contentType: string
  readonly text: () => Promise<string>
}

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const questionTypes = new Set(['noul', 'choice', 'score'])

/** Metrics in a registry of their own. Every label has few values, whatever callers send. */
export const newMetrics = (gate: Gate): Metrics => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const registers = [register]
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const latency = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer.',
    labelNames: ['route'],
    buckets: latencyBuckets,
    registers,
  })
  const engineLatency = new Histogram({
    name: 'svc_engine_duration_seconds',
    help: 'Time the engine took for a request, by outcome.',
    labelNames: ['engine', 'outcome'],
    buckets: latencyBuckets,
    registers,
  })
  const questions = new Counter({
    name: 'svc_questions_total',
    help: 'Questions asked, by type.',
    labelNames: ['type'],
    registers,
  })
  const tokens = new Counter({
    name: 'svc_engine_tokens_total',
    help: 'Tokens the engine reports, by direction.',
    labelNames: ['direction'],
    registers,
  })
  new Gauge({
    name: 'svc_requests_running',
    help: 'Requests the engine is working on.',
    registers,
    collect() {
      this.set(gate.running())
    },
  })
  new Gauge({
    name: 'svc_requests_waiting',
    help: 'Requests in line for the engine.',
    registers,
    collect() {
      this.set(gate.waiting())
    },
  })
  return {
    finished: ({ route, method, status, seconds }) => {
      requests.inc({ route, method: methods.has(method) ? method : 'other', status })
      latency.observe({ route }, seconds)
    },
    engineFinished: (engine, outcome, seconds) =>
      engineLatency.observe({ engine, outcome }, seconds),
    asked: (type) => questions.inc({ type: questionTypes.has(type) ? type : 'other' }),
    tokens: (input, output) => {
      if (input !== null) tokens.inc({ direction: 'input' }, input)
      if (output !== null) tokens.inc({ direction: 'output' }, output)
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  }
}
