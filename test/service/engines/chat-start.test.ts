import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import type { AnsweringEngine } from '../../../lib/service/contract/engine'
import type { ChatOptions } from '../../../lib/service/engines/chat/options'
import {
  askEngine,
  assertNear,
  createChoice,
  expectAnswer,
  expectFailure,
  failWith,
  openEngine,
  preferredWeight,
  threeQuestions,
  withModelServer,
} from './ask-chat-engine'
import type { Fault, ModelServerOptions } from './model-server'

const test = suite('chat engine: checks of the endpoint')

/** Endpoints that cannot be used, and the messages with which svc refuses to start. */
const refusedStarts: ReadonlyArray<{
  readonly title: string
  readonly server: Partial<ModelServerOptions>
  readonly engineOptions?: Partial<ChatOptions>
  readonly message: RegExp
}> = [
  {
    title: 'an unknown model',
    server: {},
    engineOptions: { model: 'large' },
    message: /does not list the model "large"; it lists small: pass/,
  },
  {
    title: 'no log-probabilities',
    server: failWith({
      kind: 'body',
      body: '{"choices":[{"index":0,"message":{"content":"A"}}]}',
    }),
    // The message names 0.12.11, the first version of Ollama with log-probabilities.
    message: /returned no log-probabilities for the model "small".*0\.12\.11/,
  },
  {
    title: 'letters with a low probability',
    // Five words share the other 98 %.
    server: { letterProbability: 0.02 },
    message:
      /puts only 2\.0 % of its probability on the option letters; likeliest are "The" \(20 %\).*--engine-body/,
  },
  {
    title: 'a list with one token',
    server: { maxListed: 1 },
    message: /cannot be used: it listed 1 likely tokens/,
  },
  {
    title: 'an endpoint that answers 422',
    server: failWith({ kind: 'status', status: 422 }),
    message: /returned 422: it failed/,
  },
  { title: 'a missing key', server: { apiKey: 'k' }, message: /returned 401/ },
]

for (const { title, server, engineOptions, message } of refusedStarts)
  test(`refuses to start: ${title}`, () =>
    withModelServer(server, async ({ url }) => {
      const opened = await openEngine(url, engineOptions)
      assert.ok(E.isLeft(opened) && opened.left._tag === 'Usage')
      assert.match(opened.left.message, message)
      assert.ok(opened.left.message.startsWith(`engine chat: engine ${url}: `))
    }))

const canPing = async (engine: AnsweringEngine): Promise<boolean> => {
  assert.ok(engine.ping)
  return E.isRight(await engine.ping(new AbortController().signal)())
}

/** Opens an engine. Asserts that it can be opened. */
const expectEngine = async (...args: Parameters<typeof openEngine>): Promise<AnsweringEngine> => {
  const engine = await openEngine(...args)
  assert.ok(E.isRight(engine))
  return engine.right
}

test('starts with an endpoint that is not ready, and checks it once for concurrent requests', async () => {
  let isReady = false
  const getFault = (): Fault | undefined =>
    isReady ? undefined : { kind: 'status', status: 503, message: 'loading' }
  await withModelServer({ getFault }, async ({ url, bodies }) => {
    const engine = await expectEngine(url)
    assert.equal(await canPing(engine), false)
    const notReady = /^the engine is overloaded or not ready/
    await expectFailure(askEngine(engine, threeQuestions), 'overloaded_error', notReady)

    isReady = true
    const callsBefore = bodies.length
    const twoRequests = [1, 2]
    await Promise.all(twoRequests.map(() => expectAnswer(askEngine(engine, threeQuestions))))

    // Both requests share one call for the check. Each question takes one more call.
    assert.equal(bodies.length - callsBefore, 1 + 2 * threeQuestions.length)
    assert.equal(await canPing(engine), true)
  })
})

test('starts with an endpoint that refuses connections', async () => {
  const engine = await expectEngine('http://127.0.0.1:1/v1')
  assert.equal(await canPing(engine), false)
  const failure = await expectFailure(
    askEngine(engine, threeQuestions),
    'engine_error',
    /^the engine cannot be reached: connection refused$/,
  )
  assert.equal(failure.cause, 'connection refused (127.0.0.1:1)')
})

test('reports to callers that a later check refuses the model', async () => {
  let isReady = false
  const getFault = (): Fault | undefined => (isReady ? undefined : { kind: 'status', status: 503 })
  await withModelServer({ getFault, letterProbability: 0.02 }, async ({ url }) => {
    const engine = await expectEngine(url)
    isReady = true
    const refusal = /^the model "small" does not answer with letters$/
    await expectFailure(askEngine(engine, threeQuestions), 'engine_error', refusal)
    assert.equal(await canPing(engine), false)
  })
})

/** Endpoints that refuse the first form of requests, and the members of the form that they accept. */
const requestForms: ReadonlyArray<{
  readonly title: string
  readonly getRefusal: NonNullable<ModelServerOptions['getRefusal']>
  readonly expectedMembers: object
}> = [
  {
    title: 'max_completion_tokens instead of max_tokens',
    getRefusal: (body) =>
      'max_tokens' in body
        ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        : undefined,
    expectedMembers: { max_tokens: undefined, max_completion_tokens: 1, top_logprobs: 20 },
  },
  {
    title: 'at most 5 listed tokens',
    getRefusal: ({ top_logprobs }) =>
      Number(top_logprobs) > 5 ? 'top_logprobs must be between 0 and 5' : undefined,
    expectedMembers: { max_tokens: 1, max_completion_tokens: undefined, top_logprobs: 5 },
  },
]

for (const { title, getRefusal, expectedMembers } of requestForms)
  test(`finds the form of requests that an endpoint accepts: ${title}`, () =>
    withModelServer({ getRefusal }, async ({ url, bodies }) => {
      const engine = await expectEngine(url)
      // One prompt has at most as many options as the endpoint lists tokens: 20 or 5. So 30 labels take several prompts.
      const labelCount = 30
      const preferredIndex = 17
      const labels = Array.from({ length: labelCount }, (_, i) =>
        i === preferredIndex ? 'angry' : `label ${i}`,
      )
      const { answers } = await expectAnswer(askEngine(engine, [['q', createChoice(labels)]]))
      assert.ok(answers[0]?.type === 'choice')
      // All other labels have the weight 1. The tolerance is for letters that are not listed, which the engine estimates.
      const expected = preferredWeight / (preferredWeight + labelCount - 1)
      assertNear(answers[0].probabilities[preferredIndex], expected, 0.02)
      const lastBody = JSON.parse(bodies.at(-1) ?? '')
      for (const [name, value] of Object.entries(expectedMembers))
        assert.equal(lastBody[name], value, name)
    }))

test('adds /v1 to the base address', () =>
  withModelServer({}, async ({ url }) => {
    await expectEngine(url.replace('/v1', ''))
  }))

test('accepts a model name with a tag, as Ollama lists it', () =>
  withModelServer({ product: 'ollama', model: 'small:latest' }, async ({ url }) => {
    await expectEngine(url, { model: 'small:latest' })
  }))

test.run()
