import * as assert from 'node:assert/strict'
import { suite } from 'uvu'
import {
  askEndpoint,
  billingQuestion,
  expectFailure,
  failWith,
  withModelServer,
} from './ask-chat-engine'
import type { ModelServerOptions } from './model-server'

const test = suite('chat engine: prompts that are too long')

/** Asks a question of a model server with these options. Asserts that the engine refuses the prompt as too long, with this message. */
const expectTooLong = (options: Partial<ModelServerOptions>, message: RegExp): Promise<void> =>
  withModelServer(options, async ({ url }) => {
    const answerPromise = askEndpoint(url, [['q', billingQuestion]])
    await expectFailure(answerPromise, 'max_tokens_exceeded', message)
  })

/** The beginning of OpenAI's message about a prompt that is too long. vLLM uses it too. */
const openaiLimit = "This model's maximum context length is 8192 tokens. However,"

/** The messages of servers about a prompt of 9,001 tokens, if their model reads at most 8,192. */
const tooLongMessages: ReadonlyArray<{
  readonly server: string
  readonly status: number
  readonly message: string
}> = [
  {
    server: 'OpenAI',
    status: 400,
    message: `${openaiLimit} your messages resulted in 9001 tokens. Please reduce the length.`,
  },
  {
    server: 'vLLM',
    status: 400,
    message: `${openaiLimit} you requested 9001 tokens (9000 in the messages, 1 in the completion).`,
  },
  {
    server: 'vLLM 0.14',
    status: 400,
    message: `${openaiLimit} your request has 9001 input tokens. Please reduce the length.`,
  },
  {
    server: 'vLLM 0.17',
    status: 400,
    message:
      "You passed 9001 input tokens and requested 1 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8191 tokens.",
  },
  {
    server: 'vLLM with images',
    status: 400,
    message: 'The decoder prompt (length 9001) is longer than the maximum model length of 8192.',
  },
  {
    server: 'SGLang',
    status: 400,
    message: "The input (9001 tokens) is longer than the model's context length (8192 tokens).",
  },
  {
    server: 'llama.cpp',
    status: 400,
    message:
      'request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it',
  },
  {
    server: 'TGI',
    status: 422,
    message:
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9001 `inputs` tokens and 1 `max_new_tokens`',
  },
  {
    server: 'Gemini',
    status: 400,
    message: 'The input token count (9,001) exceeds the maximum number of tokens allowed (8,192).',
  },
  {
    server: 'LM Studio',
    status: 400,
    message:
      'Trying to keep the first 9001 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough.',
  },
  {
    server: 'LM Studio 0.4',
    status: 500,
    message:
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9001>= n_ctx: 8192).',
  },
]

for (const { server, status, message } of tooLongMessages)
  test(`finds both lengths in the message of ${server}`, () =>
    expectTooLong(
      failWith({ kind: 'status', status, message }),
      /: the state or the question is too long for the engine: 9001 tokens, at most 8192$/,
    ))

test('finds both lengths beside the message of older versions of llama.cpp', () => {
  const error = {
    code: 500,
    message: 'the request exceeds the available context size. try increasing the context size',
    type: 'exceed_context_size_error',
    n_prompt_tokens: 9001,
    n_ctx: 8192,
  }
  const body = JSON.stringify({ error })
  return expectTooLong(
    failWith({ kind: 'body', status: 500, body }),
    /is too long for the engine: 9001 tokens, at most 8192$/,
  )
})

const messagesWithoutLengths: ReadonlyArray<{
  readonly title: string
  readonly message: string
}> = [
  { title: 'without numbers', message: 'the input length exceeds the context length' },
  { title: 'of z.ai', message: 'Prompt exceeds max length' },
  {
    title: 'of vLLM that counts characters',
    message: `${openaiLimit} your prompt contains 200000 characters (more than 98304 characters`,
  },
]

for (const { title, message } of messagesWithoutLengths)
  test(`repeats a message ${title}`, () =>
    withModelServer(failWith({ kind: 'status', status: 400, message }), async ({ url }) => {
      const answerPromise = askEndpoint(url, [['q', billingQuestion]])
      const failure = await expectFailure(answerPromise, 'max_tokens_exceeded', /too long/)
      assert.ok(failure.message.endsWith(`is too long for the engine: ${message}`))
    }))

test('notices that a server silently cuts the prompt', () =>
  // The 59 words of the prompt's beginning take at least 59 tokens.
  expectTooLong(
    { maxReadTokens: 40 },
    /is too long for the engine: it read 40 tokens of at least 59$/,
  ))

test.run()
