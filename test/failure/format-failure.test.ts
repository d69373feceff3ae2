import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  apiError,
  commandLineFailure,
  connection,
  type Failure,
  internal,
  interrupted,
  invalidResponse,
  mapFailureTexts,
  usage,
  validation,
} from '../../lib/failure/failure'
import { formatEnvelope, formatStderrLines } from '../../lib/failure/format-failure'
import * as fc from '../support/fast-check'

const test = suite('failure/format-failure')

const createApiError = (fields: {
  status?: number
  message?: string
  requestId?: string
}): Failure =>
  apiError({ operation: 'GET /v1/models', status: 500, message: '', requestId: '', ...fields })

const formats: ReadonlyArray<readonly [failure: Failure, error: string, line: string]> = [
  [interrupted, '{"kind":"interrupted","message":"interrupted"}', 'interrupted'],
  [usage('a "b"'), '{"kind":"usage","message":"a \\"b\\""}', 'a "b"'],
  [
    validation('questions.q.criteria', 'choice requires at least one label'),
    '{"kind":"validation","message":"typesafe: invalid request: questions.q.criteria: choice requires at least one label"}',
    'typesafe: invalid request: questions.q.criteria: choice requires at least one label',
  ],
  [
    createApiError({ status: 503, message: 'busy', requestId: 'r' }),
    '{"kind":"server","status":503,"request_id":"r","message":"busy"}',
    'typesafe: GET /v1/models returned 503: busy (request id r)',
  ],
  [
    createApiError({}),
    '{"kind":"server","status":500,"message":"typesafe: GET /v1/models returned 500"}',
    'typesafe: GET /v1/models returned 500',
  ],
  [
    createApiError({ status: 0, message: 'm' }),
    '{"kind":"request","message":"m"}',
    'typesafe: GET /v1/models returned 0: m',
  ],
  [
    connection({ cause: 'connection refused', host: '127.0.0.1:9' }),
    '{"kind":"connection","message":"typesafe: connection error: connection refused (127.0.0.1:9)"}',
    'typesafe: connection error: connection refused (127.0.0.1:9)',
  ],
  [
    connection({ cause: 'no answer', host: 'h', timeout: '10s' }),
    '{"kind":"connection","message":"typesafe: request timed out after 10s: no answer (h)"}',
    'typesafe: request timed out after 10s: no answer (h)',
  ],
  [
    invalidResponse('answers.q.noul', 'is required'),
    '{"kind":"invalid_response","message":"typesafe: invalid response field \\"answers.q.noul\\": is required"}',
    'typesafe: invalid response field "answers.q.noul": is required',
  ],
  [internal('oops'), '{"kind":"internal","message":"oops"}', 'oops'],
]

test('formats the envelope and the line of every failure', () => {
  for (const [failure, error, line] of formats) {
    assert.is(formatEnvelope(failure, false), `{"error":${error}}`)
    assert.is(formatStderrLines(failure), `svc: ${line}\n`)
  }
})

test('for any message, stdout is one JSON document and stderr one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.anyCharacter }), fc.boolean(), (message, pretty) => {
      const parsed = JSON.parse(formatEnvelope(usage(message), pretty))
      assert.equal(parsed, { error: { kind: 'usage', message } })
      assert.match(formatStderrLines(usage(message)), /^svc: [^\n]*\n$/)
    }),
  )
})

const changes: ReadonlyArray<readonly [before: Failure, after: Failure]> = [
  [interrupted, interrupted],
  [usage('a'), usage('A')],
  [commandLineFailure('a'), commandLineFailure('A')],
  [internal('a'), internal('A')],
  [validation('a', 'b'), validation('A', 'B')],
  [invalidResponse('a', 'b'), invalidResponse('A', 'B')],
  [
    createApiError({ message: 'a', requestId: 'b' }),
    createApiError({ message: 'A', requestId: 'B' }),
  ],
  [
    connection({ cause: 'a', host: 'b', timeout: '10s' }),
    connection({ cause: 'A', host: 'B', timeout: '10s' }),
  ],
  [
    connection({ cause: 'a', host: 'b', proxy: 'c' }),
    connection({ cause: 'A', host: 'B', proxy: 'C' }),
  ],
]

test('mapFailureTexts changes only texts that users or services wrote', () => {
  for (const [before, after] of changes)
    assert.equal(
      mapFailureTexts(before, (text) => text.toUpperCase()),
      after,
    )
})

test.run()
