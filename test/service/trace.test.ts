import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SpanOptions, Tracer } from '../../lib/runtime/tracer'
import { engineFailed } from '../../lib/service/contract/problem'
import { closeAfterEach } from '../support/servers'
import {
  chooseFirstOptions,
  createStubEngine,
  exampleRequest,
  post,
  startService,
} from './run-service'

const test = suite('service: server spans')
closeAfterEach(test)

interface RecordedSpan {
  readonly name: string
  readonly options: SpanOptions
  /** The attributes at the start of the span, and all that were set later. */
  readonly attributes: Record<string, unknown>
  isEnded: boolean
  error?: unknown
}

/** Creates a tracer that keeps its spans. */
const createSpanRecorder = () => {
  const spans: RecordedSpan[] = []
  const tracer: Tracer = {
    start: (name, options) => {
      const span: RecordedSpan = {
        name,
        options,
        attributes: { ...options.attributes },
        isEnded: false,
      }
      spans.push(span)
      return {
        set: (attributes) => {
          Object.assign(span.attributes, attributes)
        },
        event: () => undefined,
        end: (error) => {
          span.isEnded = true
          span.error = error
        },
        headers: () => ({ traceparent: 'span of the service' }),
      }
    },
  }
  return { tracer, spans }
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('continues the trace of the caller', async () => {
  const { tracer, spans } = createSpanRecorder()
  const service = await startService(createStubEngine(), { tracer })
  await post(service.url, exampleRequest, { headers: { traceparent, tracestate: 'a=b' } })
  const [span] = spans
  assert.is(span?.name, 'POST /v1/questions')
  assert.equal(span?.options.server, { traceparent, tracestate: 'a=b' })
})

test('records route, status, models, tokens and the number of questions, and no text of the request', async () => {
  const { tracer, spans } = createSpanRecorder()
  const service = await startService(createStubEngine(), { tracer })
  await post(service.url, exampleRequest)
  const { attributes = {}, isEnded, error } = spans[0] ?? {}
  assert.is(attributes['http.route'], '/v1/questions')
  assert.is(attributes['http.response.status_code'], 200)
  assert.is(attributes['gen_ai.request.model'], 'svc-latest')
  assert.is(attributes['gen_ai.response.model'], 'stub-1')
  assert.is(attributes['gen_ai.usage.input_tokens'], 7)
  assert.is(attributes['svc.questions.count'], 3)
  assert.match(String(attributes['svc.request_id']), /^req_/)
  assert.is(isEnded, true)
  assert.is(error, undefined)
  assert.not.match(JSON.stringify(spans), /Bearer|charged|billing/)
})

test('gives the engine the span of the request', async () => {
  const { tracer } = createSpanRecorder()
  let engineHeaders: object = {}
  const engine = createStubEngine(async (request, { span }) => {
    engineHeaders = span.headers()
    return chooseFirstOptions(request)
  })
  const service = await startService(engine, { tracer })
  await post(service.url, exampleRequest)
  assert.equal(engineHeaders, { traceparent: 'span of the service' })
})

test('ends the span with an error if the engine fails', async () => {
  const { tracer, spans } = createSpanRecorder()
  const engine = createStubEngine(async () => engineFailed('The engine is gone.'))
  const service = await startService(engine, { tracer })
  await post(service.url, exampleRequest)
  assert.equal(spans[0]?.error, { kind: 'engine_error', message: 'answered with status 502' })
})

test('ends the span without an error if the request is invalid', async () => {
  const { tracer, spans } = createSpanRecorder()
  const service = await startService(createStubEngine(), { tracer })
  await post(service.url, '{')
  assert.is(spans[0]?.isEnded, true)
  assert.is(spans[0]?.error, undefined)
})

test.run()
