import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedact, redactFailure } from '../../lib/client/redact'
import {
  apiError,
  connection,
  internal,
  interrupted,
  invalidResponse,
  usage,
} from '../../lib/failure/failure'
import { Secret } from '../../lib/runtime/secret'

const test = suite('redact')

test('D3: every spelling of the key goes', () => {
  const key = 'sk-"a/b\\é$.'
  const redact = createRedact(new Secret(key))
  for (const text of [
    key,
    JSON.stringify(key).slice(1, -1),
    'sk-\\"a\\/b\\\\\\u00e9$.',
    'sk-\\u0022a\\u002Fb\\u005cé\\u0024.',
  ])
    assert.is(redact(`x ${text} y ${text}`), 'x [redacted] y [redacted]', text)
  assert.is(redact('sk-"a/b\\é$!'), 'sk-"a/b\\é$!')
})

test('an empty key takes nothing away', () => {
  assert.is(createRedact(new Secret(''))('text'), 'text')
})

test('D3: failures keep their form', () => {
  const redact = createRedact(new Secret('KEY'))
  const texts = { message: 'a KEY', requestId: 'r-KEY' }
  assert.equal(
    redactFailure(apiError({ operation: 'GET /v1/models', status: 401, ...texts }), redact),
    apiError({
      operation: 'GET /v1/models',
      status: 401,
      message: 'a [redacted]',
      requestId: 'r-[redacted]',
    }),
  )
  assert.equal(
    redactFailure(connection('KEY (h)', '10s'), redact),
    connection('[redacted] (h)', '10s'),
  )
  assert.equal(
    redactFailure(invalidResponse('answers.KEY', 'KEY'), redact),
    invalidResponse('answers.[redacted]', '[redacted]'),
  )
  assert.equal(redactFailure(internal('KEY'), redact), internal('[redacted]'))
  assert.equal(redactFailure(usage('KEY'), redact), usage('KEY'))
  assert.equal(redactFailure(interrupted, redact), interrupted)
})

test.run()
