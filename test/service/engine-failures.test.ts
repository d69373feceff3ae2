import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  atCapacity,
  engineFailed,
  engineRefusedKey,
  engineTooSlow,
  maxTokensExceeded,
  type Problem,
  unsupportedType,
} from '../../lib/service/contract/problem'
import { closeAfterEach } from '../support/servers'
import { until } from '../support/until'
import {
  chooseFirstOptions,
  createStubEngine,
  exampleRequest,
  post,
  postUntilAborted,
  readJson,
  type StubAnswer,
  startService,
} from './run-service'

const test = suite('service: engines that fail')
closeAfterEach(test)

const engineFailures: ReadonlyArray<{
  readonly failure: Problem
  readonly status: number
  readonly type: string
  readonly retryAfter: string | null
}> = [
  {
    failure: engineFailed('The engine is not there.'),
    status: 502,
    type: 'engine_error',
    retryAfter: null,
  },
  {
    failure: engineRefusedKey('The engine refused the key.'),
    status: 502,
    type: 'engine_auth',
    retryAfter: null,
  },
  {
    failure: engineTooSlow('The engine took too long.'),
    status: 504,
    type: 'engine_timeout',
    retryAfter: null,
  },
  {
    failure: atCapacity('The engine is busy.', 2500),
    status: 529,
    type: 'overloaded_error',
    // 2,500 ms, rounded up to whole seconds.
    retryAfter: '3',
  },
  {
    failure: unsupportedType('No such question.'),
    status: 400,
    type: 'unsupported_question_type',
    retryAfter: null,
  },
  {
    failure: maxTokensExceeded('9 tokens, at most 8.'),
    status: 400,
    type: 'max_tokens_exceeded',
    retryAfter: null,
  },
]

for (const { failure, status, type, retryAfter } of engineFailures)
  test(`answers ${status} with ${type} and the engine’s message`, async () => {
    const service = await startService(createStubEngine(async () => failure))
    const response = await post(service.url, exampleRequest)
    assert.is(response.status, status)
    assert.is(response.headers.get('retry-after'), retryAfter)
    const { detail } = await readJson(response)
    assert.equal(detail, { error_type: type, message: failure.message })
  })

const state = 'I was charged twice this month.'
const loggedFailures: ReadonlyArray<{
  readonly failure: Problem
  readonly status: number
  readonly loggedCause: string
}> = [
  {
    failure: engineFailed('Gone.', 'refused (host:1)'),
    status: 502,
    loggedCause: 'cause="refused (host:1)"',
  },
  { failure: engineRefusedKey('The key.'), status: 502, loggedCause: 'cause="The key."' },
  { failure: engineTooSlow('two\nlines', 'late'), status: 504, loggedCause: 'cause=late' },
  {
    failure: engineFailed(`It said: '${state}'`, 'status 500'),
    status: 502,
    loggedCause: 'cause="status 500"',
  },
]

for (const { failure, status, loggedCause } of loggedFailures)
  test(`logs a ${status} in one line with ${loggedCause}, without the state`, async () => {
    const engine = createStubEngine(async () => failure)
    const service = await startService(engine, { level: 'warning' })
    const response = await post(service.url, { ...exampleRequest, state })
    const id = response.headers.get('x-service-request-id')
    assert.is(service.logLines.length, 1)
    const withoutTime = service.logLines[0]?.replace(/^\S+ /, '')
    const expected = `level=warning msg="engine failed" request_id=${id} status=${status} ${loggedCause}\n`
    assert.is(withoutTime, expected)
  })

test('does not log a failure of the engine after the caller has disconnected', async () => {
  let isAsked = false
  const engine = createStubEngine((_, { signal }) => {
    isAsked = true
    return new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve(engineFailed('Cut.'))),
    )
  })
  const service = await startService(engine)
  const disconnect = new AbortController()
  const call = postUntilAborted(service, disconnect.signal)
  await until(() => isAsked)
  disconnect.abort()
  await call
  await until(() => service.logLines.join('').includes('status=499'))
  assert.not.match(service.logLines.join(''), /level=warning/)
})

const defectiveEngines: ReadonlyArray<{
  readonly title: string
  readonly answer: StubAnswer
}> = [
  {
    title: 'throws',
    answer: async () => {
      throw new Error('at secret (source.ts:1)')
    },
  },
  { title: 'returns too few answers', answer: async () => [] },
  {
    title: 'returns a probability above 1',
    answer: async ({ questions }) => questions.map(() => ({ type: 'noul', yes: 2 })),
  },
]

for (const { title, answer } of defectiveEngines)
  test(`answers 502 without details if the engine ${title}`, async () => {
    const service = await startService(createStubEngine(answer))
    const response = await post(service.url, exampleRequest)
    assert.is(response.status, 502)
    assert.not.match(await response.text(), /secret|source/)
    assert.match(service.logLines.join(''), /level=warning msg="engine failed"/)
  })

test('answers every request if the engine fails under load for a while', async () => {
  let calls = 0
  const engine = createStubEngine(async (request) => {
    calls += 1
    const isFailing = calls > 100 && calls <= 200
    await new Promise((resolve) => setImmediate(resolve))
    return isFailing ? engineFailed('The engine is not there.') : chooseFirstOptions(request)
  })
  const service = await startService(engine, { maxConcurrent: 16, maxWaiting: 500 })
  const statuses: number[] = []
  const askRepeatedly = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) statuses.push((await post(service.url, exampleRequest)).status)
  }
  await Promise.all(Array.from({ length: 20 }, askRepeatedly))
  // Of the 20 × 20 calls, those from 101 to 200 fail.
  assert.is(statuses.filter((status) => status === 200).length, 300)
  assert.is(statuses.filter((status) => status === 502).length, 100)
})

test.run()
