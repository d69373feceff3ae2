import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import { messageOf } from '../../../lib/failure/format-failure'
import { Secret } from '../../../lib/failure/text/secret'
import {
  checkOpenaiOptions,
  type OpenaiOptions,
  parseEngineBody,
} from '../../../lib/service/engines/openai/options'
import { readEngineKey } from '../../../lib/service/engines/select-engine'

const test = suite('openai engine options')

const validOptions: OpenaiOptions = {
  permutations: 1,
  temperature: 1,
  concurrency: 8,
  maxRetries: 2,
  url: 'http://127.0.0.1:8000/v1/',
  model: 'small',
  apiKey: undefined,
  body: undefined,
  timeout: 30_000_000_000n,
}

test('accepts the defaults and trims the base address', () => {
  const checked = checkOpenaiOptions(validOptions)
  assert.ok(E.isRight(checked))
  assert.equal(checked.right.url, 'http://127.0.0.1:8000/v1')
})

const faults: ReadonlyArray<readonly [Partial<OpenaiOptions>, string]> = [
  [{ url: '' }, '--engine openai needs --engine-url'],
  [{ url: 'ftp://x' }, 'invalid --engine-url "ftp://x": the scheme must be http or https'],
]

for (const [change, message] of faults) {
  test(message, () => {
    const checked = checkOpenaiOptions({ ...validOptions, ...change })
    assert.ok(E.isLeft(checked))
    assert.equal(checked.left._tag, 'Usage')
    assert.equal(messageOf(checked.left), message)
  })
}

test('reads the key from the environment only, and does not repeat an invalid one', () => {
  const key = readEngineKey({ SERVICE_ENGINE_API_KEY: ' sk-1 ' })
  assert.ok(E.isRight(key) && key.right instanceof Secret)
  assert.equal(key.right.reveal(), 'sk-1')
  assert.deepEqual(readEngineKey({ SERVICE_ENGINE_API_KEY: ' ' }), E.right(undefined))
  assert.deepEqual(readEngineKey({}), E.right(undefined))
  const bad = readEngineKey({ SERVICE_ENGINE_API_KEY: 'sk\n-1' })
  assert.ok(E.isLeft(bad))
  assert.equal(
    messageOf(bad.left),
    'SERVICE_ENGINE_API_KEY has characters that a header cannot carry',
  )
})

test('reads the members of --engine-body, and refuses those that svc sets', () => {
  assert.ok(E.isRight(parseEngineBody('{"reasoning_effort":"none"}')))
  const message = (text: string) => {
    const parsed = parseEngineBody(text)
    return E.isLeft(parsed) ? messageOf(parsed.left) : 'accepted'
  }
  assert.equal(message('[]'), '--engine-body must be a JSON object')
  assert.match(message('{'), /^--engine-body: line 1, column 2: /)
  assert.ok(E.isRight(parseEngineBody('{"temperature":null,"max_tokens":null,"stop":null}')))
  assert.equal(message('{"logprobs":null}'), '--engine-body must not set "logprobs"')
  for (const name of ['model', 'messages', 'logprobs', 'top_logprobs', 'max_tokens', 'n']) {
    assert.equal(message(`{"${name}":1}`), `--engine-body must not set "${name}"`)
  }
})

test.run()
