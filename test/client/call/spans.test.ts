import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkAndAsk } from '../../../lib/client/call/client'
import type { Attributes, Span, Tracer } from '../../../lib/runtime/tracer'
import {
  askRequest,
  createBusyResponse,
  createFakeClient,
  fakeAskResponse,
  type Reply,
} from './fake-client'

const test = suite('call/spans')

interface RecordedSpan {
  readonly name: string
  readonly attributes: Record<string, unknown>
  readonly parent: RecordedSpan | undefined
  readonly links: ReadonlyArray<RecordedSpan>
  error?: { readonly kind: string; readonly message: string } | undefined
  isEnded: boolean
}

/** Creates a tracer that records its spans. */
const createRecorder = () => {
  const spans: RecordedSpan[] = []
  const recordedBySpan = new Map<Span, RecordedSpan>()
  const setAttributes = (recorded: RecordedSpan, attributes: Attributes = {}): void => {
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) recorded.attributes[name] = value
  }
  const tracer: Tracer = {
    start: (name, { parent, links = [], attributes }) => {
      const recorded: RecordedSpan = {
        name,
        attributes: {},
        parent: parent && recordedBySpan.get(parent),
        // `?? []` leaves out a link to a span that this tracer did not start.
        links: links.flatMap((link) => recordedBySpan.get(link) ?? []),
        isEnded: false,
      }
      setAttributes(recorded, attributes)
      spans.push(recorded)
      const span: Span = {
        set: (added) => setAttributes(recorded, added),
        event: () => undefined,
        end: (error) => Object.assign(recorded, { error, isEnded: true }),
        headers: () => ({ traceparent: `00-${spans.indexOf(recorded)}` }),
      }
      recordedBySpan.set(span, recorded)
      return span
    },
  }
  return { spans, tracer }
}

/** Makes a traced call. Its span is below one named `parentName`, if you pass a name. */
const askTraced = async (replies: ReadonlyArray<Reply>, parentName?: string) => {
  const { client, sentRequests } = createFakeClient(replies)
  const { spans, tracer } = createRecorder()
  const parent = parentName === undefined ? undefined : tracer.start(parentName, {})
  await checkAndAsk({ ...client, tracer, parent }, askRequest)
  return { spans, sentRequests }
}

test('records a span for the call and one for each attempt, with links and trace headers', async () => {
  const { spans, sentRequests } = await askTraced([createBusyResponse(), fakeAskResponse])
  const [call, first, second] = spans
  assert.equal(
    spans.map(({ name, isEnded }) => [name, isEnded]),
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
  const commonAttributes = {
    'http.request.method': 'POST',
    'url.full': 'http://service.test/api/v1/questions',
    'server.address': 'service.test',
    'server.port': 80,
  }
  assert.equal(first?.attributes, {
    ...commonAttributes,
    'http.response.status_code': 503,
    'error.type': 'server',
  })
  assert.is(first?.parent, call)
  assert.equal(first?.error, {
    kind: 'server',
    message: 'typesafe: POST /v1/questions returned 503',
  })
  assert.equal(second?.attributes, {
    ...commonAttributes,
    'http.request.resend_count': 1,
    'http.response.status_code': 200,
  })
  assert.is(second?.links[0], first)
  // The spans 1 and 2 are those of the attempts, span 0 is that of the call.
  assert.equal(
    sentRequests.map(({ headers }) => headers.traceparent),
    ['00-1', '00-2'],
  )
})

test('spans describe a failure without any part of a body', async () => {
  const { spans } = await askTraced([{ status: 400, body: 'sk-state is no state' }], 'svc.review')
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
  assert.not.match(JSON.stringify(spans[1]?.attributes), 'sk-')
})

test.run()
