import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SpanOptions, Tracer } from '../../lib/runtime/tracer'
import { engineFailed } from '../../lib/service/contract/problem'
import {
  chooseFirstOptions,
  createStubEngine,
  exampleRequest,
  post,
  startService,
} from './run-service'

const test = suite('service: server spans')

interface Seen {
  readonly name: string
  readonly options: SpanOptions
  readonly set: Array<object>
  end?: { readonly error: unknown }
}

const createSpanRecorder = () => {
  const spans: Seen[] = []
  const tracer: Tracer = {
    start: (name, options) => {
      const seen: Seen = { name, options, set: [] }
      spans.push(seen)
      return {
        set: (attributes) => void seen.set.push(attributes),
        event: () => undefined,
        end: (error) => {
          seen.end = { error }
        },
        headers: () => ({ traceparent: 'own' }),
      }
    },
  }
  return { tracer, spans }
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('a span per request continues the caller’s and records counts, models and tokens', async () => {
  const { tracer, spans } = createSpanRecorder()
  let headers: object = {}
  const engine = createStubEngine(async (request, { span }) => {
    headers = span.headers()
    return chooseFirstOptions(request)
  })
  const service = await startService(engine, {}, { tracer })
  await post(service.url, exampleRequest, { traceparent, tracestate: 'a=b' })
  const [span] = spans
  assert.is(span?.name, 'POST /v1/questions')
  assert.equal(span?.options.server, { traceparent, tracestate: 'a=b' })
  const attributes = Object.assign({}, span?.options.attributes, ...(span?.set ?? []))
  assert.is(attributes['http.route'], '/v1/questions')
  assert.is(attributes['http.response.status_code'], 200)
  assert.is(attributes['gen_ai.request.model'], 'svc-latest')
  assert.is(attributes['gen_ai.response.model'], 'stub-1')
  assert.is(attributes['gen_ai.usage.input_tokens'], 7)
  assert.is(attributes['svc.questions.count'], 3)
  assert.match(attributes['svc.request_id'], /^req_/)
  assert.equal(span?.end, { error: undefined })
  assert.equal(headers, { traceparent: 'own' })
  assert.not.match(JSON.stringify(spans), /Bearer|charged|billing/)
  await service.stop()
})

test('a failure of the service ends the span with its type, a fault of the caller does not', async () => {
  const { tracer, spans } = createSpanRecorder()
  const service = await startService(
    createStubEngine(async () => engineFailed('The engine is gone.')),
    {},
    { tracer },
  )
  await post(service.url, exampleRequest)
  await post(service.url, '{')
  assert.equal(
    spans.map(({ end, name }) => [name, end?.error]),
    [
      ['POST /v1/questions', { kind: 'engine_error', message: 'answered with status 502' }],
      ['POST /v1/questions', undefined],
    ],
  )
  await service.stop()
})

test.run()
