import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedact } from '../../../lib/failure/text/redact'
import { takeOutKey } from '../../../lib/service/engines/upstream/without-key'

const test = suite("service: the service's own key in what an upstream service says")

test('removes the key from a failure and leaves an answer unchanged, whose labels may equal it', () => {
  const redact = createRedact(['engine-key-1'])
  const body = Buffer.from('["engine-key-1 \xff"]', 'latin1')
  assert.is(takeOutKey(redact, 200, body), body)
  const clean = Buffer.from(takeOutKey(redact, 500, body))
  assert.is(clean.toString('latin1'), '["[redacted] \xff"]')
})

test.run()
