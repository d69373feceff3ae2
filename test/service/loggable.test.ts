import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loggable } from '../../lib/service/observe/loggable'

const test = suite('service: causes fit for the log (D76)')

const hidden = (cause: string, document: string): string => loggable(cause, Buffer.from(document))

test('the engine’s own words stay, what the request has too does not', () => {
  const document = '{"state":"I was charged twice this month.","questions":{}}'
  assert.is(hidden('connection refused', document), 'connection refused')
  assert.is(hidden('', document), '')
  assert.is(hidden('charged twice this month', document), '…')
  assert.is(
    hidden("invalid prompt: 'I was charged twice this month.' (31 characters)", document),
    'invalid prompt: …(31 characters)',
  )
  assert.is(hidden('one charged twice, two was charged, three', document), 'o…t…, three')
  assert.is(Buffer.byteLength(hidden('x'.repeat(600), document)), 500)
  assert.is(hidden(`für ${'ß'.repeat(20)}, über`, `{"state":"${'ß'.repeat(20)}"}`), 'f…ber')
})

test('no eleven bytes in a row are those of the request', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', ' '), maxLength: 60 })
  fc.assert(
    fc.property(text, text, text, (before, document, after) => {
      const result = Buffer.from(hidden(before + document.slice(3, 40) + after, document))
      const bytes = Buffer.from(document)
      for (let at = 0; at + 11 <= result.length; at++)
        assert.ok(!bytes.includes(result.subarray(at, at + 11)), result.toString())
    }),
  )
})

test.run()
