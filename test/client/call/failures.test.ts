import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createConnectionFailure } from '../../../lib/client/call/failures'
import { describeConnectionCause } from '../../../lib/failure/report'
import { createNetworkError } from './fake-client'

const test = suite('call/failures')
const host = 'api.test:8443'

const describeError = (error: unknown): string =>
  describeConnectionCause(createConnectionFailure(error, host))

test('describes codes of network errors in plain words, with the host', () => {
  const cases: ReadonlyArray<readonly [code: string, cause: string]> = [
    ['ECONNREFUSED', 'connection refused'],
    ['ECONNRESET', 'connection reset'],
    ['ENOTFOUND', 'host not found'],
    ['EHOSTUNREACH', 'host unreachable'],
    ['ETIMEDOUT', 'connection attempt timed out'],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'the certificate is self-signed; NODE_EXTRA_CA_CERTS can add a CA',
    ],
    ['CERT_HAS_EXPIRED', 'the certificate has expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'TLS handshake failed'],
    ['HPE_INVALID_CONSTANT', 'the response is not valid HTTP'],
    ['HPE_HEADER_OVERFLOW', 'the response headers are too large'],
    ['ESOMETHING', 'request failed with ESOMETHING'],
    // `toString` is not in svc's table of codes, but every object has a member of this name.
    ['toString', 'request failed with toString'],
  ]
  for (const [code, cause] of cases)
    assert.is(describeError(createNetworkError(code)), `${cause} (${host})`, code)
})

test('tells two kinds of ECONNRESET apart by their messages', () => {
  const hangUp = 'request to http://h/ failed, reason: socket hang up'
  assert.is(
    describeError(createNetworkError('ECONNRESET', hangUp)),
    `connection closed before a response came (${host})`,
  )
  assert.is(
    describeError(createNetworkError('ECONNRESET', 'aborted')),
    `connection closed before the body ended (${host})`,
  )
})

test('never repeats the text of an error without a known code', () => {
  for (const error of [new Error('http://u:p@h/?key=sk-secret'), 'sk-secret', undefined, null, 7])
    assert.is(describeError(error), `request failed (${host})`)
})

test('names the proxy, and shows the message of a proxy that refuses', () => {
  const refusedError = Object.assign(createNetworkError('ECONNREFUSED'), { via: 'proxy.test:3128' })
  assert.is(
    describeError(refusedError),
    `connection refused (${host} through proxy proxy.test:3128)`,
  )
  const deniedError = createNetworkError('ERR_PROXY', 'the proxy answered 407')
  assert.is(describeError(deniedError), `the proxy answered 407 (${host})`)
})

test.run()
