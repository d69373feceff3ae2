import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import { messageOf } from '../../../lib/failure/report'
import { type EngineSettings, readEngineKey } from '../../../lib/service/contract/engine-settings'
import { checkChatOptions, parseEngineBody } from '../../../lib/service/engines/chat/options'
import { Secret } from '../../../lib/text/secret'
import { createServeNames, defaultSettings } from './engine-settings'

const test = suite('chat engine options')

const validSettings: EngineSettings = {
  ...defaultSettings,
  url: 'http://127.0.0.1:8000/v1/',
  model: 'small',
}

const checkSettings = (change: Partial<EngineSettings>) =>
  checkChatOptions({ ...validSettings, ...change }, createServeNames('chat'), {})

test('accepts the defaults, and removes the slash at the end of the base address', () => {
  const checkResult = checkSettings({})
  assert.ok(E.isRight(checkResult))
  assert.equal(checkResult.right.url, 'http://127.0.0.1:8000/v1')
})

const invalidSettings: ReadonlyArray<{
  readonly change: Partial<EngineSettings>
  readonly message: string
}> = [
  { change: { url: '' }, message: '--engine chat needs --engine-url' },
  {
    change: { url: 'ftp://x' },
    message: 'invalid --engine-url "ftp://x": the scheme must be http or https',
  },
]

for (const { change, message } of invalidSettings)
  test(`refuses the settings: ${message}`, () => {
    const checkResult = checkSettings(change)
    assert.ok(E.isLeft(checkResult))
    assert.equal(checkResult.left._tag, 'Usage')
    assert.equal(messageOf(checkResult.left), message)
  })

test('reads the key from SERVICE_ENGINE_API_KEY, without spaces around it', () => {
  const key = readEngineKey({ SERVICE_ENGINE_API_KEY: ' sk-1 ' }, defaultSettings)
  assert.ok(E.isRight(key) && key.right instanceof Secret)
  assert.equal(key.right.reveal(), 'sk-1')
})

test('reads no key if SERVICE_ENGINE_API_KEY is missing or has only spaces', () => {
  assert.deepEqual(
    readEngineKey({ SERVICE_ENGINE_API_KEY: ' ' }, defaultSettings),
    E.right(undefined),
  )
  assert.deepEqual(readEngineKey({}, defaultSettings), E.right(undefined))
})

test('refuses a key that a header cannot carry, and does not repeat it', () => {
  const key = readEngineKey({ SERVICE_ENGINE_API_KEY: 'sk\n-1' }, defaultSettings)
  assert.ok(E.isLeft(key))
  const message = 'SERVICE_ENGINE_API_KEY has characters that a header cannot carry'
  assert.equal(messageOf(key.left), message)
})

test('refuses a key over 8 KiB, and does not repeat it', () => {
  const key = readEngineKey({ SERVICE_ENGINE_API_KEY: 'k'.repeat(8193) }, defaultSettings)
  assert.ok(E.isLeft(key))
  assert.equal(messageOf(key.left), 'SERVICE_ENGINE_API_KEY is longer than 8 KiB')
})

for (const body of [
  '{"reasoning_effort":"none"}',
  '{"temperature":null,"max_tokens":null,"stop":null}',
])
  test(`accepts --engine-body ${body}`, () => {
    assert.ok(E.isRight(parseEngineBody(body, '--engine-body')))
  })

const invalidBodies: ReadonlyArray<{
  readonly body: string
  readonly message: RegExp
}> = [
  { body: '[]', message: /^--engine-body must be a JSON object$/ },
  { body: '{', message: /^--engine-body: line 1, column 2: / },
  { body: '{"logprobs":null}', message: /^--engine-body must not set "logprobs"$/ },
  { body: '{"model":1}', message: /^--engine-body must not set "model"$/ },
  { body: '{"messages":1}', message: /^--engine-body must not set "messages"$/ },
  { body: '{"logprobs":1}', message: /^--engine-body must not set "logprobs"$/ },
  { body: '{"top_logprobs":1}', message: /^--engine-body must not set "top_logprobs"$/ },
  { body: '{"max_tokens":1}', message: /^--engine-body must not set "max_tokens"$/ },
  { body: '{"n":1}', message: /^--engine-body must not set "n"$/ },
]

for (const { body, message } of invalidBodies)
  test(`refuses --engine-body ${body}`, () => {
    const parseResult = parseEngineBody(body, '--engine-body')
    assert.ok(E.isLeft(parseResult))
    assert.match(messageOf(parseResult.left), message)
  })

test.run()
