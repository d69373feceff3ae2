import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Gate } from '../limits/gate'
import { latency } from './latency'

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

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const questionTypes = new Set(['noul', 'choice', 'score'])

/** Metrics in a registry of their own. Every label has few values, whatever callers send. */
export const newMetrics = (gate: Gate): Metrics => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const counter = <L extends string>(name: string, help: string, labels: ReadonlyArray<L>) =>
    tally(register, name, help, labels)
  const requests = counter('svc_http_requests_total', 'Requests answered.', [
    'route',
    'method',
    'status',
  ])
  const questions = counter('svc_questions_total', 'Questions asked.', ['type'])
  const tokens = counter('svc_engine_tokens_total', 'Tokens that the engine reports.', [
    'direction',
  ])
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [register],
      collect() {
        this.set(value())
      },
    })
  gauge('svc_requests_running', 'Requests that the engine is working on.', gate.running)
  gauge('svc_requests_waiting', 'Requests in line for the engine.', gate.waiting)
  const http = latency(
    'svc_http_request_duration_seconds',
    'Time from the head of a request to its answer.',
  )
  const engineTime = latency(
    'svc_engine_duration_seconds',
    'Time for an answer, the line included.',
  )
  return {
    finished: ({ route, method, status, seconds }) => {
      requests(1, route, methods.has(method) ? method : 'other', status)
      http.observe(`route="${route}"`, seconds)
    },
    engineFinished: (engine, outcome, seconds) =>
      engineTime.observe(`engine="${engine}",outcome="${outcome}"`, seconds),
    asked: (type) => questions(1, questionTypes.has(type) ? type : 'other'),
    tokens: (input, output) => {
      if (input !== null) tokens(input, 'input')
      if (output !== null) tokens(output, 'output')
    },
    contentType: register.contentType,
    text: async () => `${await register.metrics()}\n${http.text()}${engineTime.text()}`,
  }
}

type Add = (by: number, ...values: ReadonlyArray<string | number>) => void

/** A counter that the library is told of only when somebody looks. */
const tally = <L extends string>(
  register: Registry,
  name: string,
  help: string,
  labelNames: ReadonlyArray<L>,
): Add => {
  const sums = new Map<string, number>()
  new Counter({
    name,
    help,
    labelNames,
    registers: [register],
    collect() {
      this.reset()
      for (const [key, sum] of sums) this.labels(...key.split(' ')).inc(sum)
    },
  })
  return (by, ...values) => {
    const key = values.length === 1 ? String(values[0]) : values.join(' ')
    sums.set(key, (sums.get(key) ?? 0) + by)
  }
}
