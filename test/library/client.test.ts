import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createClient, InvalidResponseError, noul, RequestError } from '../../lib/library'
import { closeAfterEach } from '../support/servers'
import { answeredReply, answers, questions } from './sample-answers'
import { catchError, createResponseBody, startServiceAndClient } from './scripted-service'

const test = suite('library/client')
closeAfterEach(test)

/** Starts a service that answers every request, and a client. */
const startAnswering = () => startServiceAndClient(() => answeredReply)

test('sends the questions in the form of the service', async () => {
  const { client, requests } = await startAnswering()
  await client.ask({ text: 'I was charged twice.' }, questions)
  assert.is(requests[0]?.path, '/v1/questions')
  assert.equal(JSON.parse(requests[0]?.body ?? ''), {
    model: 'svc-latest',
    state: { text: 'I was charged twice.' },
    questions: {
      billing: {
        type: 'noul',
        instructions: 'Is this about a bill?',
        criteria: { true: 'money is named' },
      },
      tone: {
        type: 'choice',
        instructions: 'What is the tone?',
        criteria: { calm: null, angry: null },
      },
      urgency: {
        type: 'score',
        instructions: 'How urgent?',
        criteria: ['not at all', 'somewhat', 'very'],
      },
    },
  })
})

test('returns answers of every type', async () => {
  const { client } = await startAnswering()
  const response = await client.ask('x', questions)
  // `JSON.stringify` leaves out `json`, here and in the answers.
  assert.equal(JSON.parse(JSON.stringify(response)), {
    model: 'svc-1.13.0',
    answers,
    request_id: 'req_1',
    usage: { input_tokens: 21, output_tokens: 4 },
  })
})

test('adds the most probable level to a score', async () => {
  const { client } = await startAnswering()
  const { urgency } = (await client.ask('x', questions)).answers
  assert.ok(urgency.type === 'score')
  assert.is(urgency.level, 2)
})

test('keeps the original text of numbers in json', async () => {
  // The answer to a yes/no question is the probability of yes, `noul`.
  const answerJson = '{"type":"noul","noul":0.50,"n":12345678901234567890}'
  const { client } = await startServiceAndClient(() => ({
    body: `{"model":"m","answers":{"q":${answerJson}}}`,
  }))
  const response = await client.ask('x', { q: noul('?') })
  const { q } = response.answers
  assert.is(q.json, answerJson)
  assert.ok(response.json.startsWith(`{"model":"m","answers":{"q":${answerJson}}`))
  assert.ok(q.type === 'noul')
  assert.is(q.noul, 0.5)
})

test('returns a refusal for a missing answer', async () => {
  const { client } = await startServiceAndClient(
    () => ({ body: createResponseBody({ a: { type: 'refusal', reason: 'no' } }) }),
    { dialect: 'systemone' },
  )
  const { a, b } = (await client.ask('x', { a: noul('?'), b: noul('?') })).answers
  assert.ok(a.type === 'refusal')
  assert.is(a.reason, 'no')
  assert.is(b.type, 'refusal')
})

/** Answers that do not fit the questions, and the path of the misfit. */
const unfitAnswers = [
  { path: 'answers.billing.type', returned: { ...answers, billing: answers.tone } },
  {
    path: 'answers.tone.choice',
    returned: { ...answers, tone: { ...answers.tone, choice: 'loud' } },
  },
]
for (const { path, returned } of unfitAnswers)
  test(`rejects answers that do not fit the questions: ${path}`, async () => {
    const { client } = await startServiceAndClient(() => ({ body: createResponseBody(returned) }))
    const error = await catchError(client.ask('x', questions))
    assert.ok(error instanceof InvalidResponseError)
    assert.match(error.message, `"${path}"`)
  })

test('omits probabilities that do not cover all labels or levels', async () => {
  const body = createResponseBody({
    ...answers,
    tone: { ...answers.tone, probabilities: { angry: 0.8 } },
    urgency: { ...answers.urgency, probabilities: {} },
  })
  const { client } = await startServiceAndClient(() => ({ body }))
  const { tone, urgency } = (await client.ask('x', questions)).answers
  assert.is('probabilities' in tone, false)
  assert.match(tone.json, '"probabilities":{"angry":0.8}')
  assert.is('level' in urgency, false)
})

test('throws refusals with the option refusals: "throw"', async () => {
  const body = createResponseBody({ q: { type: 'refusal', reason: 'no' } })
  const { client } = await startServiceAndClient(() => ({ body }), {
    dialect: 'systemone',
    refusals: 'throw',
  })
  const error = await catchError(client.ask('x', { q: noul('?') }))
  assert.ok(error instanceof RequestError)
  assert.is(error.message, 'the service refused to answer "q": no')
})

test('with the option refusals: "throw", the type of an answer has no refusal', async () => {
  const body = createResponseBody({ q: { type: 'noul', noul: 0.5 } })
  const { service } = await startServiceAndClient(() => ({ body }))
  // `startServiceAndClient` would lose the type of `refusals`.
  const client = createClient({ baseUrl: service.url, apiKey: 'k', refusals: 'throw' })
  const { q } = (await client.ask('x', { q: noul('?') })).answers
  // This compiles without a check of `q.type`.
  assert.is(q.noul, 0.5)
})

test('lists models', async () => {
  const body = { models: [{ name: 'svc-1', n: 1 }] }
  const { client, requests } = await startServiceAndClient(() => ({ body }))
  assert.equal(await client.models(), body)
  assert.is(requests[0]?.path, '/v1/models')
})

test('calls a provider at its path, in its dialect and with its default model', async () => {
  const answer = { type: 'predicate', name: 'q', probability: 0.9 }
  const { client, requests } = await startServiceAndClient(
    () => ({ body: { answers: [answer] } }),
    { provider: 'openai' },
  )
  const result = await client.askResult('x', { q: noul('?') })
  assert.ok(result.ok)
  assert.is(requests[0]?.path, '/v1/decisions')
  assert.is(JSON.parse(requests[0]?.body ?? '').model, 'gpt-6-luna')
})

test('sends any characters of a state unchanged', async () => {
  const state = { name: 'Grüße aus 北京 👋', loneSurrogate: '\ud800' }
  const { client, requests } = await startAnswering()
  await client.ask(state, questions)
  const [request] = requests
  assert.ok(request)
  assert.equal(JSON.parse(request.body).state, state)
  assert.is(request.headers['content-length'], String(Buffer.byteLength(request.body)))
})

test.run()
