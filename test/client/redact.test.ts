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

const test = suite('client/redact')

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

test('no key, or one as short as a common word, takes nothing away', () => {
  assert.is(createRedact(new Secret(''))('text'), 'text')
  assert.is(createRedact(new Secret('key'))('Check your API key.'), 'Check your API key.')
  assert.is(createRedact(new Secret('keys'))('no keys'), 'no [redacted]')
})

test('D3: failures keep their form', () => {
  const redact = createRedact(new Secret('K-EY'))
  const texts = { message: 'a K-EY', requestId: 'r-K-EY' }
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
    redactFailure(connection({ cause: 'K-EY', host: 'K-EY.test', timeout: '10s' }), redact),
    connection({ cause: '[redacted]', host: '[redacted].test', timeout: '10s' }),
  )
  assert.equal(
    redactFailure(invalidResponse('answers.K-EY', 'K-EY'), redact),
    invalidResponse('answers.[redacted]', '[redacted]'),
  )
  assert.equal(redactFailure(internal('K-EY'), redact), internal('[redacted]'))
  assert.equal(redactFailure(usage('K-EY'), redact), usage('K-EY'))
  assert.equal(redactFailure(interrupted, redact), interrupted)
})

test.run()
