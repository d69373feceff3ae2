import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cleanOutput } from '../../lib/cli/prepare-run'
import { createRedact } from '../../lib/text/secret'

const test = suite('cli/prepare-run')

const createCleanOutput = ({ isDumbTerminal = false } = {}) => {
  const written: unknown[] = []
  const output = cleanOutput(
    { isTTY: true, columns: 7, write: async (data) => void written.push(data) },
    createRedact(['sk-secret']),
    isDumbTerminal,
  )
  return { output, written }
}

test('redacts secrets and breaks up workflow commands of CI systems', async () => {
  const { output, written } = createCleanOutput()
  await output.write('\r\u001b[Ksk-secret\n ::debug::a\n')
  await output.write(Buffer.from('##vso[a] sk-secret\n'))
  assert.equal(written, ['\r\u001b[K[redacted]\n :\\x3adebug::a\n', '#\\x23vso[a] [redacted]\n'])
})

test('keeps the kind and the width of the output', () => {
  const { output } = createCleanOutput()
  assert.is(output.isTTY, true)
  assert.is(output.columns, 7)
})

test('a terminal that cannot erase lines counts as no terminal', () => {
  assert.is(createCleanOutput({ isDumbTerminal: true }).output.isTTY, false)
})

test.run()
