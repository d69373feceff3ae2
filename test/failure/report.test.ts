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
import { formatEnvelope, formatStderrLines } from '../../lib/failure/report'
import * as fc from '../support/fast-check'

const test = suite('failure/report')

/** Creates an error response of `GET /v1/models` with status 500 and no texts, unless `fields` says otherwise. */
const createApiError = (fields: {
  status?: number
  message?: string
  requestId?: string
}): Failure =>
  apiError({ operation: 'GET /v1/models', status: 500, message: '', requestId: '', ...fields })

/** A failure, and what svc prints for it. */
interface PrintedFailure {
  readonly failure: Failure
  /** The value of `error` in the document on stdout. */
  readonly error: string
  /** The message on stderr, after `svc: `. */
  readonly line: string
}

const printedFailures: ReadonlyArray<PrintedFailure> = [
  {
    failure: interrupted,
    error: '{"kind":"interrupted","message":"interrupted"}',
    line: 'interrupted',
  },
  {
    failure: usage('a "b"'),
    error: '{"kind":"usage","message":"a \\"b\\""}',
    line: 'a "b"',
  },
  {
    failure: validation('questions.q.criteria', 'choice requires at least one label'),
    error:
      '{"kind":"validation","message":"typesafe: invalid request: questions.q.criteria: choice requires at least one label"}',
    line: 'typesafe: invalid request: questions.q.criteria: choice requires at least one label',
  },
  {
    failure: createApiError({ status: 503, message: 'busy', requestId: 'r' }),
    error: '{"kind":"server","status":503,"request_id":"r","message":"busy"}',
    line: 'typesafe: GET /v1/models returned 503: busy (request id r)',
  },
  {
    failure: createApiError({}),
    error: '{"kind":"server","status":500,"message":"typesafe: GET /v1/models returned 500"}',
    line: 'typesafe: GET /v1/models returned 500',
  },
  // The status 0 means that the status is unknown, so the document has no `status`.
  {
    failure: createApiError({ status: 0, message: 'm' }),
    error: '{"kind":"request","message":"m"}',
    line: 'typesafe: GET /v1/models returned 0: m',
  },
  {
    failure: connection({ cause: 'connection refused', host: '127.0.0.1:9' }),
    error:
      '{"kind":"connection","message":"typesafe: connection error: connection refused (127.0.0.1:9)"}',
    line: 'typesafe: connection error: connection refused (127.0.0.1:9)',
  },
  {
    failure: connection({ cause: 'no answer', host: 'h', timeout: '10s' }),
    error: '{"kind":"connection","message":"typesafe: request timed out after 10s: no answer (h)"}',
    line: 'typesafe: request timed out after 10s: no answer (h)',
  },
  {
    failure: invalidResponse('answers.q.noul', 'is required'),
    error:
      '{"kind":"invalid_response","message":"typesafe: invalid response field \\"answers.q.noul\\": is required"}',
    line: 'typesafe: invalid response field "answers.q.noul": is required',
  },
  { failure: internal('oops'), error: '{"kind":"internal","message":"oops"}', line: 'oops' },
]

test('formats the document on stdout and the line on stderr of every failure', () => {
  const pretty = false
  for (const { failure, error, line } of printedFailures) {
    assert.is(formatEnvelope(failure, pretty), `{"error":${error}}`)
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

/** Failures before and after `mapFailureTexts` changes their texts to upper case. */
const changedFailures: ReadonlyArray<{ readonly before: Failure; readonly after: Failure }> = [
  { before: interrupted, after: interrupted },
  { before: usage('a'), after: usage('A') },
  { before: commandLineFailure('a'), after: commandLineFailure('A') },
  { before: internal('a'), after: internal('A') },
  { before: validation('a', 'b'), after: validation('A', 'B') },
  { before: invalidResponse('a', 'b'), after: invalidResponse('A', 'B') },
  {
    before: createApiError({ message: 'a', requestId: 'b' }),
    after: createApiError({ message: 'A', requestId: 'B' }),
  },
  {
    before: connection({ cause: 'a', host: 'b', timeout: '10s' }),
    after: connection({ cause: 'A', host: 'B', timeout: '10s' }),
  },
  {
    before: connection({ cause: 'a', host: 'b', proxy: 'c' }),
    after: connection({ cause: 'A', host: 'B', proxy: 'C' }),
  },
]

test('mapFailureTexts changes only texts that users or services wrote', () => {
  for (const { before, after } of changedFailures)
    assert.equal(
      mapFailureTexts(before, (text) => text.toUpperCase()),
      after,
    )
})

test.run()
