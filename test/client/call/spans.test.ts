import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ServiceClient } from '../../../lib/client/call/call-context'
import { checkAndAsk } from '../../../lib/client/call/client'
import type { Attributes, Span, Tracer } from '../../../lib/runtime/tracer'
import { busy, fakeEnv, good, type Reply, request } from './support'

const test = suite('client/spans')

interface Recorded {
  readonly name: string
  readonly attributes: Record<string, unknown>
  readonly parent: Recorded | undefined
  readonly links: ReadonlyArray<Recorded>
  error?: { readonly kind: string; readonly message: string } | undefined
  ended: boolean
}

/** A tracer that keeps what it is told. */
const recorder = () => {
  const spans: Array<Recorded> = []
  const known = new Map<Span, Recorded>()
  const of = (span: Span | undefined) => (span === undefined ? undefined : known.get(span))
  const add = (record: Recorded, attributes: Attributes = {}) => {
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) record.attributes[name] = value
  }
  const tracer: Tracer = {
    start: (name, { parent, links = [], attributes }) => {
      const record: Recorded = {
        name,
        attributes: {},
        parent: of(parent),
        links: links.flatMap((link) => of(link) ?? []),
        ended: false,
      }
      add(record, attributes)
      spans.push(record)
      const span: Span = {
        set: (more) => add(record, more),
        event: () => undefined,
        end: (error) => Object.assign(record, { error, ended: true }),
        headers: () => ({ traceparent: `00-${spans.indexOf(record)}` }),
      }
      known.set(span, record)
      return span
    },
  }
  return { spans, tracer }
}

const traced = async (replies: ReadonlyArray<Reply>, parent?: string) => {
  const { env, sent } = fakeEnv(replies)
  const { spans, tracer } = recorder()
  const above = parent === undefined ? {} : { parent: tracer.start(parent, {}) }
  const whole: ServiceClient = { ...env, tracer, ...above }
  await checkAndAsk(request)(whole)()
  return { spans, sent }
}

test('a span for the call and one for each attempt', async () => {
  const { spans, sent } = await traced([busy(), good])
  const [call, first, second] = spans
  assert.equal(
    spans.map(({ name, ended }) => [name, ended]),
    [
      ['svc.ask', true],
      ['POST', true],
      ['POST', true],
    ],
  )
  assert.equal(call?.attributes, {
    'gen_ai.operation.name': 'ask',
    'gen_ai.request.model': 'svc-latest',
    'gen_ai.response.model': 'svc-1',
    'gen_ai.usage.input_tokens': 7,
    'svc.questions.count': 2,
    'svc.questions.noul': 1,
    'svc.questions.choice': 1,
    'svc.questions.score': 0,
    'svc.questions.other': 0,
    'svc.request_id': 'req_ok',
    'svc.retry.attempts': 1,
    'http.response.status_code': 200,
  })
  assert.is(call?.error, undefined)
  const common = {
    'http.request.method': 'POST',
    'url.full': 'http://service.test/api/v1/questions',
    'server.address': 'service.test',
    'server.port': 80,
  }
  assert.equal(first?.attributes, {
    ...common,
    'http.response.status_code': 503,
    'error.type': 'server',
  })
  assert.is(first?.parent, call)
  assert.equal(first?.error, {
    kind: 'server',
    message: 'typesafe: POST /v1/questions returned 503',
  })
  assert.equal(second?.attributes, {
    ...common,
    'http.request.resend_count': 1,
    'http.response.status_code': 200,
  })
  assert.is(second?.links[0], first)
  assert.equal(
    sent.map(({ headers }) => headers.traceparent),
    ['00-1', '00-2'],
  )
})

test('a failure is on the spans without anything of a body', async () => {
  const { spans } = await traced([{ status: 400, body: 'sk-state is no state' }], 'svc.review')
  assert.equal(
    spans.map(({ name }) => name),
    ['svc.review', 'svc.ask', 'POST'],
  )
  assert.is(spans[1]?.parent, spans[0])
  assert.is(spans[1]?.attributes['error.type'], 'request')
  assert.equal(spans[1]?.error, {
    kind: 'request',
    message: 'typesafe: POST /v1/questions returned 400',
  })
  assert.is(JSON.stringify(spans[1]?.attributes).includes('sk-'), false)
})

test.run()
