import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cleanOutput, prepareRun } from '../../lib/cli/prepare-run'
import { testBuild } from '../support/build'
import { createFakeRuntime } from '../support/runtime'

const test = suite('cli/prepare-run')

const createCleanOutput = ({ isDumbTerminal = false } = {}) => {
  const written: unknown[] = []
  const output = cleanOutput(
    { isTTY: true, columns: 7, write: async (data) => void written.push(data) },
    (lines) => lines.toUpperCase(),
    isDumbTerminal,
  )
  return { output, written }
}

test('cleans texts and bytes', async () => {
  const { output, written } = createCleanOutput()
  await output.write('a\n')
  await output.write(Buffer.from('b\n'))
  assert.equal(written, ['A\n', 'B\n'])
})

test('stderr redacts secrets, and breaks up workflow commands of CI systems', async () => {
  const { runtime, stderr } = createFakeRuntime({ env: { SERVICE_API_KEY: 'sk-secret' } })
  const { context } = await prepareRun(['version'], runtime, testBuild, [])
  await context.runtime.stderr.write('\r\u001b[Ksk-secret\n ::debug::a\n##vso[a] sk-secret\n')
  assert.is(stderr(), '\r\u001b[K[redacted]\n :\\x3adebug::a\n#\\x23vso[a] [redacted]\n')
})

test('stderr of a terminal wraps messages after it has redacted them', async () => {
  const env = { SERVICE_API_KEY: 'sk-long secret key', COLUMNS: '24', NO_COLOR: '1' }
  const { runtime, stderr } = createFakeRuntime({ env, tty: ['stderr'] })
  const { context } = await prepareRun(['version'], runtime, testBuild, [])
  await context.runtime.stderr.write('svc: this is sk-long secret key and more\n')
  assert.is(stderr(), 'svc: this is [redacted]\n  and more\n')
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
