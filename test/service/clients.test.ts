import { createOpenAI } from '@ai-sdk/openai'
import { createTypeSafeAi } from '@ai-sdk/typesafe-ai'
import { experimental_decide } from 'ai'
import OpenAI from 'openai'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lexicalEngine } from '../../lib/service/engines/lexical/engine'
import { type Running, start } from './support'

const test = suite('service: clients that others wrote, against svc serve')
let service: Running

test.before(async () => {
  service = await start(lexicalEngine(), { keys: ['k'] })
})
test.after(() => service.stop())

const openai = (apiKey = 'k') =>
  new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0, logLevel: 'off' })

const state = 'I was charged twice this month. Fix it now.'

test('openai: decisions.create with every type, and models.list', async () => {
  const { data, request_id } = await openai()
    .decisions.create({
      model: 'svc-latest',
      input: [{ role: 'user', content: [{ type: 'input_text', text: state }] }],
      questions: [
        { type: 'predicate', name: 'billing', instructions: 'Was the customer charged twice?' },
        {
          ...{ type: 'choice', name: 'tone', instructions: 'What is the tone?' },
          choices: [{ value: 'calm', description: 'polite' }, { value: 'fix it now' }],
        },
        {
          ...{ type: 'choice', instructions: 'Charged twice?' },
          choices: [{ value: true, description: 'charged twice' }, { value: false }],
        },
        {
          ...{ type: 'score', name: 'urgency', instructions: 'How urgent is it?' },
          levels: [{ label: 'can wait' }, { label: 'fix now' }],
        },
      ],
    })
    .withResponse()
  assert.match(request_id ?? '', /^req_/)
  assert.is(data.model, 'svc-lexical-1')
  const [billing, tone, charged, urgency] = data.answers
  assert.ok(billing?.type === 'predicate' && billing.probability > 0.5)
  assert.ok(tone?.type === 'choice' && tone.choice === 'fix it now')
  assert.ok(charged?.type === 'choice' && charged.choice === true && charged.name === null)
  assert.ok(urgency?.type === 'score' && urgency.score > 0.5)
  assert.equal(
    urgency.probabilities.map(({ value, label }) => [value, label]),
    [
      [0, 'can wait'],
      [1, 'fix now'],
    ],
  )
  assert.is(data.usage.total_tokens, 0)
  const models: Array<string> = []
  for await (const { id } of openai().models.list()) models.push(id)
  assert.equal(models, ['svc-latest', 'svc-lexical-1'])
})

test('openai: its errors have class, message, parameter, code and request id', async () => {
  const question = { type: 'predicate', instructions: '?' } as const
  const failureOf = async (client: OpenAI, model: string) => {
    const questions = [
      { ...question, name: 'a' },
      { ...question, name: 'a' },
    ]
    try {
      await client.decisions.create({
        model,
        input: 'x',
        questions: questions.slice(model === 'svc-latest' ? 0 : 1),
      })
    } catch (error) {
      return error
    }
    return undefined
  }
  const wrongKey = await failureOf(openai('wrong'), 'svc-9')
  assert.instance(wrongKey, OpenAI.AuthenticationError)
  assert.is((wrongKey as InstanceType<typeof OpenAI.APIError>).code, 'invalid_api_key')
  const unknown = await failureOf(openai(), 'svc-9')
  assert.instance(unknown, OpenAI.NotFoundError)
  assert.match(String(unknown), /404 Unknown model: svc-9/)
  const faulty = await failureOf(openai(), 'svc-latest')
  assert.instance(faulty, OpenAI.BadRequestError)
  const { param, requestID } = faulty as InstanceType<typeof OpenAI.APIError>
  assert.is(param, 'questions[1].name')
  assert.match(String(requestID), /^req_/)
})

const questions = {
  billing: {
    type: 'boolean',
    instructions: 'Was the customer charged twice?',
    criteria: { true: 'charged twice', false: 'not charged' },
  },
  tone: {
    type: 'choice',
    instructions: 'What is the tone?',
    criteria: { calm: 'polite', angry: 'fix it now', other: null },
  },
  urgency: {
    type: 'score',
    instructions: 'How urgent?',
    criteria: ['can wait', 'fix it now', 'x'],
  },
} as const

test('the AI SDK over both dialects: its strict checks of the answers pass', async () => {
  const settings = { baseURL: `${service.url}/v1`, apiKey: 'k' }
  for (const model of [
    createOpenAI(settings).decisionModel('svc-latest'),
    // Its types are those of an earlier version of the SDK.
    createTypeSafeAi(settings).evaluationModel('svc-latest') as never,
  ])
    for (const evidence of [state, { ticket: state }]) {
      const { answers } = await experimental_decide({
        model,
        questions,
        maxRetries: 0,
        state: evidence,
      })
      assert.ok(answers.billing.probability > 0.5)
      assert.is(answers.tone.choice, 'angry')
      assert.equal(Object.keys(answers.urgency.probabilities ?? {}), ['0', '1', '2'])
    }
})

test.run()
