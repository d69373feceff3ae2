import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedact } from '../../../lib/failure/text/redact'
import { takeOutKey } from '../../../lib/service/engines/upstream/without-key'

const test = suite('service: the key of the service in documents of an upstream service')

test('it is taken out of failures, and answers stay as they came', () => {
  const redact = createRedact(['engine-key-1'])
  const body = Buffer.from('é"engine-key-1"')
  assert.is(takeOutKey(redact, 200, body), body)
  assert.is(Buffer.from(takeOutKey(redact, 500, body)).toString(), 'é"[redacted]"')
})

test.run()
