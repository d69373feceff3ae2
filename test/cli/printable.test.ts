import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cleanOutput } from '../../lib/cli/printable'
import { createRedact } from '../../lib/failure/text/redact'

const test = suite('cli/printable')

const redact = createRedact(['kind-of-key'])

test('a cleaned output redacts secrets and breaks up commands of CI systems', async () => {
  const written: unknown[] = []
  const output = cleanOutput(
    { isTTY: true, columns: 7, write: async (data) => void written.push(data) },
    redact,
    false,
  )
  await output.write('\r\u001b[Kkind-of-key\n ::debug::a\n')
  await output.write(Buffer.from('##vso[a] kind-of-key\n'))
  assert.equal(written, ['\r\u001b[K[redacted]\n :\\x3adebug::a\n', '#\\x23vso[a] [redacted]\n'])
  assert.is(output.isTTY, true)
  assert.is(output.columns, 7)
})

test.run()
